import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ByteSource } from "../contract/source.ts";
import { BLOCK_BYTES } from "./block_checksums.ts";

/** The digests of content, in lower-case hexadecimal. */
export interface ContentHashes {
  /** SHA-256 of the first MiB. */
  readonly sha256_prefix: string;
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
}

/** What one pass over content yields. */
export interface HashedContent {
  readonly hashes: ContentHashes;
  /** CRC-32 of each whole block. */
  readonly blocks: readonly number[];
}

/**
 * Computes the digests of content, and the checksums of its blocks, in one pass.
 *
 * @param onProgress Called after each MiB with the number of bytes read so far.
 * @throws whatever `source` throws, and an Error if the content is shorter than its size.
 */
export function hashContent(
  source: ByteSource,
  onProgress?: (bytesDone: number) => void,
): HashedContent {
  const blocks: number[] = [];
  const prefix = createHash("sha256");
  const [md5, sha1, sha256, sha512] = [
    createHash("md5"),
    createHash("sha1"),
    createHash("sha256"),
    createHash("sha512"),
  ];
  for (const { block, end } of blocksOf(source)) {
    for (const hash of [md5, sha1, sha256, sha512]) hash.update(block);
    const start = end - block.length;
    if (start < BLOCK_BYTES) prefix.update(block.subarray(0, BLOCK_BYTES - start));
    const isNext = block.length === BLOCK_BYTES && end === (blocks.length + 1) * BLOCK_BYTES;
    if (isNext) blocks.push(crc32(block));
    onProgress?.(end);
  }
  const hashes = {
    md5: md5.digest("hex"),
    sha1: sha1.digest("hex"),
    sha256: sha256.digest("hex"),
    sha256_prefix: prefix.digest("hex"),
    sha512: sha512.digest("hex"),
  };
  return { hashes, blocks };
}

function* blocksOf(source: ByteSource) {
  for (let start = 0; start < source.size;) {
    const block = source.read(start, Math.min(BLOCK_BYTES, source.size - start));
    if (block.length === 0) throw new Error(`Content ends at ${start} of ${source.size} bytes`);
    start += block.length;
    yield { block, end: start };
  }
}
