/** `deno task test:large`: the steps of the README with a directory of 3 GB. Needs 10 GB of disk. */

import { MIB } from "../../schemas/units.ts";
import { copyFiles, guideTest, MODELS } from "../docs/guide.ts";
import { assertCameBack } from "../docs/newcomer.ts";

const FILES = 12;
const FILE_MIB = 256;

guideTest("README.md", {
  title: " but for its sizes, with 3 GB",
  serves: false,
  async prepare(reader) {
    await copyFiles(reader, MODELS);
    for (let index = 0; index < FILES; index++) {
      await writeWeights(`${reader.directory}/models/weights-${index}.safetensors`);
    }
  },
  compares: false,
  verify: assertCameBack,
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
