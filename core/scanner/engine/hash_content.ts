import { createHash } from "node:crypto";
import type { ByteSource } from "../contract/source.ts";
import { MIB } from "../../../schemas/units.ts";

const BLOCK = MIB;

/** The digests of whole content, in lower-case hexadecimal. */
export interface ContentHashes {
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
}

/**
 * The digests of content, in one pass over it.
 *
 * @param onProgress Is told after each MiB how many bytes have been read.
 * @throws whatever reading throws, and an Error where the content ends before its size.
 */
export function hashContent(
  source: ByteSource,
  onProgress?: (bytesDone: number) => void,
): ContentHashes {
  const [md5, sha1, sha256, sha512] = [
    createHash("md5"),
    createHash("sha1"),
    createHash("sha256"),
    createHash("sha512"),
  ];
  for (const { block, end } of blocksOf(source)) {
    for (const hash of [md5, sha1, sha256, sha512]) hash.update(block);
    onProgress?.(end);
  }
  return {
    md5: md5.digest("hex"),
    sha1: sha1.digest("hex"),
    sha256: sha256.digest("hex"),
    sha512: sha512.digest("hex"),
  };
}

function* blocksOf(source: ByteSource) {
  for (let start = 0; start < source.size;) {
    const block = source.read(start, Math.min(BLOCK, source.size - start));
    if (block.length === 0) throw new Error(`Content ends at ${start} of ${source.size} bytes`);
    start += block.length;
    yield { block, end: start };
  }
}
