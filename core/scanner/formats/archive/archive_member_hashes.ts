import { MemberRecords } from "../../contract/member_records.ts";
import type { Content } from "../../contract/scanner.ts";
import { listedName } from "./entry_path.ts";
import type { MemberDigest } from "./read_through.ts";

/** What is known of the bytes of a member, for its record. */
export interface HashedMember {
  readonly name: string;
  /** How many bytes it has, as far as is known. */
  readonly size: number | undefined;
  /** Whether the bytes that were hashed stand for the whole member, where none were left out. */
  readonly whole: boolean;
  readonly digest: MemberDigest;
  /** How many bytes could be read. */
  readonly readable: number;
}

/** Collects the hashes of members for the metadata of their archive (SR 2.5, 2.7). */
export class ArchiveMemberHashes {
  readonly #records = new MemberRecords();
  readonly #occurrences = new Map<string, number>();
  readonly #parents: readonly string[];
  readonly #scanner: string;

  /** @param scanner the name of the scanner that reads the archive. */
  constructor(content: Content, scanner: string) {
    this.#parents = content.depth > 0 ? [listedName(content.name)] : [];
    this.#scanner = scanner;
  }

  /** Adds the record of one more member. */
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

  /** The records and how many there are, as metadata of the file has them. */
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
