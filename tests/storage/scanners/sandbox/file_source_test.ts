import * as assert from "node:assert/strict";
import { hashContent } from "../../../../core/scanner/engine/hash_content.ts";
import { memorySource } from "../../../../core/scanner/contract/source.ts";
import { ScanStopped, withCheckpoint } from "../../../../core/scanner/contract/checkpoint.ts";
import { FileSource } from "../../../../storage/scanners/sandbox/file_source.ts";
import { TempDir } from "../../../support/temp_dir.ts";

const BYTES = new Uint8Array(3 * 2 ** 18 + 5).map((_, index) => index * 31 + (index >> 9));

Deno.test("SR 2.6 a file is hashed block by block in the same memory, with a checkpoint each", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/model.bin`;
  await Deno.writeFile(path, BYTES);
  using file = await Deno.open(path);
  let checkpoints = 0;
  const source = withCheckpoint(new FileSource(file), () => checkpoints++);
  const head = source.read(0, 2 ** 17);
  const buffers = new Set<ArrayBufferLike>();
  const hashed = hashContent({
    ...source,
    readInto(offset, target) {
      buffers.add(target.buffer);
      return source.readInto?.(offset, target) ?? 0;
    },
  }, { needsBlocks: true });
  assert.deepEqual(hashed, hashContent(memorySource(BYTES), { needsBlocks: true }));
  assert.equal(buffers.size, 1);
  assert.equal(checkpoints, 5);
  assert.deepEqual(head, BYTES.subarray(0, 2 ** 17));
});

Deno.test("C 28 a file that still comes in is waited for, and hashed as the whole", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/model.bin`;
  await Deno.writeFile(path, BYTES.subarray(0, 100));
  using writer = await Deno.open(path, { append: true });
  using file = await Deno.open(path);
  let written = 100;
  const pause = () => {
    written += writer.writeSync(BYTES.subarray(written, written + 100_000));
  };
  const source = new FileSource(file, { size: BYTES.length, pause });
  assert.equal(source.size, BYTES.length);
  assert.deepEqual(source.read(90, 100), BYTES.subarray(90, 190));
  assert.deepEqual(hashContent(source), hashContent(memorySource(BYTES)));
});

Deno.test("C 28 nobody waits for the rest of a file for longer than it is asked for", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/model.bin`;
  await Deno.writeFile(path, BYTES);
  using file = await Deno.open(path);
  let pauses = 0;
  const pause = () => {
    if (++pauses === 3) throw new ScanStopped();
  };
  const source = new FileSource(file, { size: BYTES.length + 1, pause });
  assert.throws(() => hashContent(source), ScanStopped);
});
