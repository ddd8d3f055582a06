import * as assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import {
  type ByteSource,
  memorySource,
  sourceSlice,
} from "../../../../core/scanner/contract/source.ts";
import { ChecksummedSource } from "../../../../core/scanner/engine/block_checksums.ts";
import { hashContent } from "../../../../core/scanner/engine/hash_content.ts";
import { seededRandom } from "../../../support/random.ts";

const SIZE = 4 * 2 ** 20 + 12345;
const below = seededRandom(7);
const BYTES = new Uint8Array(SIZE).map(() => below(256));

/** A source of the bytes, how many bytes were read from it, and the checksums of its blocks. */
function hashed(read: ByteSource["read"] = memorySource(BYTES).read) {
  const counted = { bytes: 0 };
  const source: ByteSource = {
    size: SIZE,
    read(offset, length) {
      const result = read(offset, length);
      counted.bytes += result.length;
      return result;
    },
  };
  return { source, counted, blocks: hashContent(source, { needsBlocks: true }).blocks };
}

Deno.test("C 16 the CRC-32 of a range follows from those of its blocks", () => {
  const { source, counted, blocks } = hashed();
  for (let round = 0; round < 200; round++) {
    const start = below(SIZE);
    const length = below(SIZE - start + 1);
    counted.bytes = 0;
    const known = sourceSlice(new ChecksummedSource(source, blocks), start, length)
      .crc32?.(0, length);
    if (known === undefined) assert.ok(length < 2 ** 19 || start + length > 4 * 2 ** 20);
    else assert.equal(known, crc32(BYTES.subarray(start, start + length)));
    assert.ok(counted.bytes < 2 ** 19);
  }
});

Deno.test("C 16 a source whose reads are short knows no checksums of the wrong bytes", () => {
  const read: ByteSource["read"] = (offset, length) =>
    memorySource(BYTES).read(offset, Math.min(length, offset === 2 ** 20 ? 2 ** 18 - 1 : length));
  const { blocks } = hashed(read);
  const source = new ChecksummedSource({ size: SIZE, read }, blocks);
  assert.equal(source.crc32(0, 2 ** 20 + 1), crc32(BYTES.subarray(0, 2 ** 20 + 1)));
  assert.equal(source.crc32(0, 3 * 2 ** 20), undefined);
});
