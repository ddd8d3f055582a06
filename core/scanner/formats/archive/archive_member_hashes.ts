import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { MIB } from "../../../../schemas/units.ts";
import { MemberRecords } from "../../contract/member_records.ts";
import type { Content } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { listedName } from "./entry_path.ts";

/** Checksum and hash of the readable bytes of a member. */
export interface MemberDigest {
  /** CRC-32 of all bytes. */
  readonly crc32: number;
  /** SHA-256 of the first `hashed` bytes. */
  readonly sha256: string;
  readonly hashed: number;
}

/** A member and its digest, for its hash record. */
export interface HashedMember {
  readonly name: string;
  /** Size in bytes, or undefined if it is unknown. */
  readonly size: number | undefined;
  /** Whether the readable bytes are the whole member. */
  readonly whole: boolean;
  readonly digest: MemberDigest;
  /** Number of bytes that could be read. */
  readonly readable: number;
}

const CHUNK_BYTES = MIB;

/**
 * Computes the CRC-32 and SHA-256 of a member in at most one pass. A member larger than
 * `maxHashedBytes` has only its first MiB hashed; the CRC-32, which is cheap, always covers all bytes.
 */
export function digestMember(source: ByteSource, maxHashedBytes: number): MemberDigest {
  const hash = createHash("sha256");
  const hashed = source.size <= maxHashedBytes
    ? source.size
    : Math.min(CHUNK_BYTES, maxHashedBytes);
  const known = hashed < source.size ? source.crc32?.(0, source.size) : undefined;
  let checksum = 0;
  for (
    let position = 0;
    position < (known !== undefined ? hashed : source.size);
    position += CHUNK_BYTES
  ) {
    const chunk = source.read(position, CHUNK_BYTES);
    if (known === undefined) checksum = crc32(chunk, checksum);
    if (position < hashed) hash.update(chunk.subarray(0, hashed - position));
  }
  return { crc32: known ?? checksum, sha256: hash.digest("hex"), hashed };
}

/**
 * The hash records of the direct members of one archive, for the metadata of that archive (SR 2.5,
 * SR 2.7). Its scanner fills it. The engine's `FileMemberHashes` then merges the records of all nested
 * archives into those of the file.
 */
export class ArchiveMemberHashes {
  readonly #records = new MemberRecords();
  readonly #occurrences = new Map<string, number>();
  readonly #parents: readonly string[];
  readonly #scanner: string;

  /** @param scanner Id of the scanner that reads the archive. */
  constructor(content: Content, scanner: string) {
    this.#parents = content.depth > 0 ? [listedName(content.name)] : [];
    this.#scanner = scanner;
  }

  /** Counts a member, and adds its record unless the limit is reached. */
  add(member: HashedMember): void {
    this.#records.addToTotal(1);
    if (this.#records.isFull) return;
    const segments = [...this.#parents, listedName(member.name)];
    const path = segments.join(":");
    const occurrence = (this.#occurrences.get(path) ?? 0) + 1;
    this.#occurrences.set(path, occurrence);
    this.#records.add(path, {
      ...integrity(member),
      scanner_name: this.#scanner,
      logical_path: path,
      path_segments: segments,
      occurrence,
    });
  }

  /** The records and the number of members, as metadata of the archive. */
  facts(): Readonly<Record<string, unknown>> {
    return this.#records.metadata;
  }
}

function integrity({ size, whole, digest, readable }: HashedMember): Record<string, unknown> {
  const complete = whole && digest.hashed === readable;
  return {
    ...(size !== undefined && { file_size: size }),
    bytes_hashed: digest.hashed,
    hash_complete: complete,
    hash_status: complete ? "complete" : "prefix",
    ...(complete ? { file_hashes: { sha256: digest.sha256 } } : { sha256_prefix: digest.sha256 }),
  };
}
