/**
 * `deno task test:large`: archives over 4 GiB, which need ZIP64, read by unzip, 7z, bsdtar and Python.
 * Writes about 5 GB to the temporary directory and takes minutes.
 */

import * as assert from "node:assert/strict";
import { pipeline, Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";
import { type ArchiveEntry, zipStream } from "../../core/archive.ts";
import { ContentReader } from "../../core/content.ts";
import { TempDir } from "../support/temp_dir.ts";
import { MIB } from "../../schemas/units.ts";
import { run } from "../support/tools.ts";

const ZEROS = new Uint8Array(MIB);

interface ZeroFile extends ArchiveEntry {
  readonly deflate: boolean;
}

function zeros(mib: number): ContentReader {
  let left = mib;
  return new ContentReader(() => Promise.resolve(left-- > 0 ? ZEROS.slice() : undefined), () => {});
}

function deflated(content: ContentReader): ContentReader {
  const deflate = createDeflateRaw({ level: 1 });
  pipeline(Readable.from(content), deflate, () => {});
  const pieces: AsyncIterator<Uint8Array> = deflate[Symbol.asyncIterator]();
  return new ContentReader(async () => {
    const { done, value } = await pieces.next();
    return done ? undefined : new Uint8Array(value);
  }, () => {});
}

Deno.test("C 9 archives over 4 GiB", async (t) => {
  const files = [
    { name: "stored.bin", mib: 4200, deflate: false },
    { name: "deflated.bin", mib: 4200, deflate: true },
    { name: "after.bin", mib: 1, deflate: true },
    { name: "after-stored.bin", mib: 1, deflate: false },
  ];
  const sizes = new Map<string, number>();
  const checksum = (mib: number) => {
    let crc = 0;
    for (let count = 0; count < mib; count++) crc = crc32(ZEROS, crc);
    return crc;
  };
  await using directory = await TempDir.make();
  const zip = `${directory.path}/large.zip`;
  const entries = async function* () {
    for (const { name, mib, deflate } of files) {
      yield await Promise.resolve({
        name,
        size: mib * MIB,
        crc32: checksum(mib),
        modifiedAt: Date.now(),
        packedSize: sizes.get(name) ?? null,
        deflate,
      });
    }
  };
  const bytes = zipStream<ZeroFile>({
    async *members() {
      for await (const entry of entries()) {
        const content = zeros(entry.size / MIB);
        const { deflate } = entry;
        yield { entry, deflated: deflate, content: deflate ? deflated(content) : content };
      }
    },
    entries,
    setPackedSize: ({ name }, size) => Promise.resolve(void sizes.set(name, size)),
  });
  await Deno.writeFile(zip, ReadableStream.from(bytes));
  for (
    const [program, ...args] of [
      ["unzip", "-tq", zip],
      ["7z", "t", zip],
      ["python3", "-m", "zipfile", "-t", zip],
      ["bsdtar", "-xOf", zip, "after.bin", "after-stored.bin"],
    ] as const
  ) {
    await t.step(program, async () => {
      const { code, stdout, stderr } = await run(program, args);
      assert.equal(code, 0, stderr || stdout.slice(0, 1000));
    });
  }
});
