import { DamagedContent } from "../../../core/errors.ts";
import type { BlobInventory, StoredFile } from "../../content/directory/blob_inventory.ts";
import { type ContentDigest, ContentHasher } from "../../content/hasher.ts";
import type { ContentUse, SmallContent, SmallContents } from "../../tables/record_audit.ts";

/** All content of a strongroom. Servers may add and remove some meanwhile. */
export interface StoredContents {
  /**
   * All content whose hash begins with a prefix of two digits, by hash: undefined for what has yet to be
   * looked up.
   */
  below(prefix: string): Promise<Map<string, StoredFile | undefined>>;
  /** Looks content up; undefined if it is missing. */
  find(hash: string): Promise<StoredFile | undefined>;
  /** Those of the contents that are stored, as far as that takes no time for each. */
  findAll(hashes: readonly string[]): Promise<Map<string, StoredFile>>;
  /** Returns those of the hashes of which the database has a row. */
  known(hashes: readonly string[]): Promise<string[]>;
  /**
   * Reads content and hashes it; undefined if it is missing.
   *
   * @param onBytes Called with the number of bytes that were read since the last call.
   * @throws {DamagedContent} when it cannot be read.
   */
  digest(hash: string, onBytes: (bytes: number) => void): Promise<ContentDigest | undefined>;
}

/** The content of a data directory: in files, and small content in the database. */
export class DirectoryContents implements StoredContents {
  readonly #inventory: BlobInventory;
  readonly small: SmallContents;

  constructor(inventory: BlobInventory, small: SmallContents) {
    this.#inventory = inventory;
    this.small = small;
  }

  async below(prefix: string): Promise<Map<string, StoredFile | undefined>> {
    const found = new Map<string, StoredFile | undefined>();
    for (const hash of this.#inventory.hashesBelow(prefix)) found.set(hash, undefined);
    for (const content of await this.small.below(prefix)) found.set(content.hash, inTable(content));
    return found;
  }

  /** The path of content that is in a file. */
  pathOf(hash: string): string {
    return this.#inventory.pathOf(hash);
  }

  async find(hash: string): Promise<StoredFile | undefined> {
    return (await this.findAll([hash])).get(hash);
  }

  async findAll(hashes: readonly string[]): Promise<Map<string, StoredFile>> {
    const found = new Map<string, StoredFile>();
    for (const content of await this.small.find(hashes)) found.set(content.hash, inTable(content));
    for (const hash of hashes) {
      const file = found.get(hash) ?? this.#inventory.find(hash);
      if (file !== undefined) found.set(hash, file);
    }
    return found;
  }

  async known(hashes: readonly string[]): Promise<string[]> {
    return await this.small.known(hashes);
  }

  async digest(hash: string, onBytes: (bytes: number) => void): Promise<ContentDigest | undefined> {
    const bytes = await this.small.bytesOf(hash);
    if (bytes !== undefined) return digestOf(bytes, onBytes);
    try {
      return await this.#inventory.digest(hash, onBytes);
    } catch (error) {
      throw unreadable(hash, error);
    }
  }
}

/** Small content in a table. */
export function inTable({ size, storedAt }: SmallContent): StoredFile {
  return { size, storedAt, identity: `database ${storedAt}` };
}

/** Hashes small content. */
export function digestOf(bytes: Uint8Array, onBytes: (bytes: number) => void): ContentDigest {
  const hasher = new ContentHasher();
  hasher.update(bytes);
  onBytes(bytes.length);
  return hasher.digest();
}

/** What was found instead of content; undefined if it has the right digests. */
export function differenceOf(
  found: ContentDigest | DamagedContent,
  { hash, sha256 }: ContentUse,
): string | undefined {
  if (found instanceof DamagedContent) return found.found;
  if (found.hash !== hash) return `MD5 ${found.hash}`;
  const foundSha256 = found.sha256.toHex();
  return sha256 === undefined || foundSha256 === sha256 ? undefined : `SHA-256 ${foundSha256}`;
}

/** The error for content that cannot be read. */
export function unreadable(hash: string, error: unknown): DamagedContent {
  const reason = error instanceof Error ? error.message : String(error);
  return new DamagedContent(hash, `MD5 ${hash}`, reason);
}
