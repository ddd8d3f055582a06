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

/** A source of the bytes that knows their checksums, and how many bytes were read from it since. */
function checksummed(read: ByteSource["read"] = memorySource(BYTES).read) {
  const counted = { bytes: 0 };
  const source: ByteSource = {
    size: SIZE,
    read(offset, length) {
      const result = read(offset, length);
      counted.bytes += result.length;
      return result;
    },
  };
  const { blocks } = hashContent(source);
  counted.bytes = 0;
  return { source: new ChecksummedSource(source, blocks), counted };
}

Deno.test("C 16 the CRC-32 of a range follows from those of its blocks", () => {
  for (let round = 0; round < 200; round++) {
    const start = below(SIZE);
    const length = below(SIZE - start + 1);
    const { source, counted } = checksummed();
    const known = sourceSlice(source, start, length).crc32?.(0, length);
    if (known === undefined) assert.ok(length < 2 ** 19 || start + length > 4 * 2 ** 20);
    else assert.equal(known, crc32(BYTES.subarray(start, start + length)));
    assert.ok(counted.bytes < 2 ** 19);
  }
});

Deno.test("C 16 a source whose reads are short knows no checksums of the wrong bytes", () => {
  const read: ByteSource["read"] = (offset, length) =>
    memorySource(BYTES).read(offset, Math.min(length, offset === 2 ** 20 ? 2 ** 18 - 1 : length));
  const { source } = checksummed(read);
  assert.equal(source.crc32(0, 2 ** 20 + 1), crc32(BYTES.subarray(0, 2 ** 20 + 1)));
  assert.equal(source.crc32(0, 3 * 2 ** 20), undefined);
});
