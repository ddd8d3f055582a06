import type { MemberFileIntegrity } from "../report_types.ts";
import type { ByteSource } from "../source.ts";
import { hashPrefix } from "./hash_content.ts";

const KEPT = 1000;

/** A member whose bytes are hashed. */
export interface HashedMember {
  /** The names that lead to it, from the outermost container inwards. */
  readonly segments: readonly string[];
  readonly source: ByteSource;
  /** The scanner that found it. */
  readonly scanner: string;
}

/** Records the hashes of members (SR 2.7): of 1000 of them, and of so many bytes altogether. */
export class MemberHashes {
  readonly #memberBytes: number;
  #bytesLeft: number;
  #total = 0;
  readonly #occurrences = new Map<string, number>();
  readonly #records = new Map<string, MemberFileIntegrity>();

  /**
   * @param memberBytes Bytes of a member that are hashed at most.
   * @param bytes Bytes of all members: members of a hostile archive may lie over each other.
   */
  constructor(memberBytes: number, bytes: number) {
    this.#memberBytes = memberBytes;
    this.#bytesLeft = bytes;
  }

  /** Hashes a member. One that cannot be read is left out, and counted as left out. */
  add(member: HashedMember): void {
    this.#total++;
    const { size } = member.source;
    const length = Math.min(size, this.#memberBytes, this.#bytesLeft);
    if (this.#records.size >= KEPT || (length === 0 && size > 0)) return;
    this.#bytesLeft -= length;
    const hashes = hashesOf(member.source, length);
    if (hashes === undefined) return;
    const path = member.segments.join(":");
    const occurrence = (this.#occurrences.get(path) ?? 0) + 1;
    this.#occurrences.set(path, occurrence);
    this.#records.set(JSON.stringify([...member.segments, occurrence]), {
      ...hashes,
      file_size: size,
      bytes_hashed: length,
      scanner_name: member.scanner,
      path_segments: [...member.segments],
      ...(occurrence > 1 && { logical_path: path, occurrence }),
    });
  }

  /** What the metadata of the file says about its members; nothing where there are none. */
  get facts(): Readonly<Record<string, unknown>> {
    if (this.#total === 0) return {};
    const omitted = this.#total - this.#records.size;
    return {
      member_file_hashes: Object.fromEntries(this.#records),
      member_file_hashes_total: this.#total,
      member_file_hashes_truncated: omitted > 0,
      member_file_hashes_omitted: omitted,
    };
  }
}

function hashesOf(source: ByteSource, length: number): MemberFileIntegrity | undefined {
  try {
    const sha256 = hashPrefix(source, length);
    return length === source.size
      ? { file_hashes: { sha256 }, hash_complete: true, hash_status: "complete" }
      : { sha256_prefix: sha256, hash_complete: false, hash_status: "prefix" };
  } catch {
    return undefined;
  }
}
