/** `deno task test:large`: the steps of the README with a directory of 3 GB. Needs 10 GB of disk. */

import { MIB } from "../../schemas/units.ts";
import { guideTest } from "../docs/guide.ts";
import { NEWCOMER } from "../docs/newcomer.ts";

const FILES = 12;
const FILE_MIB = 256;

guideTest("README.md", {
  ...NEWCOMER,
  title: " but for its sizes, with 3 GB",
  async prepare({ directory }) {
    for (let index = 0; index < FILES; index++) {
      await writeWeights(`${directory}/weights-${index}.safetensors`);
    }
  },
  edit: (text) =>
    NEWCOMER.edit(text).replace(/^mkdir -p models$/m, "$&\nmv ../weights-*.safetensors models"),
  compares: false,
});

/** Writes a safetensors file with random weights. */
async function writeWeights(path: string): Promise<void> {
  const size = FILE_MIB * MIB;
  const tensor = { dtype: "F32", shape: [size / 4], data_offsets: [0, size] };
  const header = new TextEncoder().encode(JSON.stringify({ weights: tensor }));
  const length = new DataView(new ArrayBuffer(8));
  length.setBigUint64(0, BigInt(header.length), true);
  using file = await Deno.open(path, { write: true, createNew: true });
  const writer = file.writable.getWriter();
  await writer.write(new Uint8Array(length.buffer));
  await writer.write(header);
  const piece = new Uint8Array(MIB);
  for (let mib = 0; mib < FILE_MIB; mib++) {
    for (let at = 0; at < MIB; at += 65_536) {
      crypto.getRandomValues(piece.subarray(at, at + 65_536));
    }
    await writer.write(piece);
  }
  await writer.close();
}
