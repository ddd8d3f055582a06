import * as assert from "node:assert/strict";
import { hashContent } from "../../../../core/scanner/engine/hash_content.ts";
import { memorySource } from "../../../../core/scanner/contract/source.ts";
import { withCheckpoint } from "../../../../core/scanner/contract/checkpoint.ts";
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
