import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ByteSource } from "../contract/source.ts";
import { MIB } from "../../../schemas/units.ts";
import { BLOCK_BYTES } from "./block_checksums.ts";

const PREFIX_BYTES = MIB;

/**
 * Content that is not larger has all digests. That of weights has those that something needs: the others
 * take more time than all else that a scan does.
 */
const MAX_ALL_DIGESTS_BYTES = 16 * MIB;

/** The digests of content, in lower-case hexadecimal (SR 2.6). */
export interface ContentHashes {
  readonly md5?: string;
  readonly sha1?: string;
  readonly sha256: string;
  /** SHA-256 of the first MiB. */
  readonly sha256_prefix: string;
  readonly sha512?: string;
}

/** What one pass over content yields. */
export interface HashedContent {
  readonly hashes: ContentHashes;
  /** CRC-32 of each whole block, if asked for. */
  readonly blocks: readonly number[];
}

/** What {@link hashContent} does besides. */
export interface HashContentOptions {
  /** Whether large content needs MD5, too. @default false */
  readonly needsMd5?: boolean | undefined;
  /** Whether to compute the checksums of blocks. @default false */
  readonly needsBlocks?: boolean;
  /** Called after each block with the number of bytes read so far. */
  readonly onProgress?: ((bytesDone: number) => void) | undefined;
}

/**
 * Computes the digests of content, and the checksums of its blocks, in one pass. Large content has SHA-256,
 * and MD5 on request.
 *
 * @throws whatever `source` throws, and an Error if the content is shorter than its size.
 */
export function hashContent(
  source: ByteSource,
  { needsMd5 = false, needsBlocks = false, onProgress }: HashContentOptions = {},
): HashedContent {
  const blocks: number[] = [];
  const isLarge = source.size > MAX_ALL_DIGESTS_BYTES;
  const prefix = createHash("sha256");
  const sha256 = createHash("sha256");
  const md5 = isLarge && !needsMd5 ? undefined : createHash("md5");
  const sha1 = isLarge ? undefined : createHash("sha1");
  const sha512 = isLarge ? undefined : createHash("sha512");
  for (const { bytes, start } of readsOf(source)) {
    for (const hash of [md5, sha1, sha256, sha512]) hash?.update(bytes);
    if (start < PREFIX_BYTES) prefix.update(bytes.subarray(0, PREFIX_BYTES - start));
    const isBlock = needsBlocks && bytes.length === BLOCK_BYTES &&
      start === blocks.length * BLOCK_BYTES;
    if (isBlock) blocks.push(crc32(bytes));
    onProgress?.(start + bytes.length);
  }
  const hashes = {
    ...(md5 !== undefined && { md5: md5.digest("hex") }),
    ...(sha1 !== undefined && { sha1: sha1.digest("hex") }),
    sha256: sha256.digest("hex"),
    sha256_prefix: prefix.digest("hex"),
    ...(sha512 !== undefined && { sha512: sha512.digest("hex") }),
  };
  return { hashes, blocks };
}

/** The content in blocks, which caches of the processor hold until they are hashed. Each is valid until the next. */
function* readsOf(source: ByteSource) {
  const buffer = new Uint8Array(Math.min(BLOCK_BYTES, source.size));
  for (let start = 0; start < source.size;) {
    const length = Math.min(BLOCK_BYTES, source.size - start);
    const bytes = source.readInto === undefined
      ? source.read(start, length)
      : buffer.subarray(0, source.readInto(start, buffer.subarray(0, length)));
    if (bytes.length === 0) throw new Error(`Content ends at ${start} of ${source.size} bytes`);
    yield { bytes, start };
    start += bytes.length;
  }
}
