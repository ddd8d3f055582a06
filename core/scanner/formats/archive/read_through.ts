import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ByteSource } from "../../contract/source.ts";
import { MIB } from "../../../../schemas/units.ts";

/** What one pass over the bytes of a member tells. */
export interface MemberDigest {
  readonly crc32: number;
  /** SHA-256 of the first `hashed` bytes. */
  readonly sha256: string;
  readonly hashed: number;
}

const CHUNK = MIB;

/**
 * Reads a member from end to end. The checksum is over all of it, as it costs next to nothing; the
 * hash over all of up to `mostHashed` bytes, else over the first MiB only.
 */
export function digestMember(source: ByteSource, mostHashed: number): MemberDigest {
  const hash = createHash("sha256");
  const hashed = source.size <= mostHashed ? source.size : Math.min(CHUNK, mostHashed);
  let checksum = 0;
  for (let position = 0; position < source.size; position += CHUNK) {
    const chunk = source.read(position, CHUNK);
    checksum = crc32(chunk, checksum);
    if (position < hashed) hash.update(chunk.subarray(0, hashed - position));
  }
  return { crc32: checksum, sha256: hash.digest("hex"), hashed };
}
