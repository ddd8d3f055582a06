import type { BlobInventory, StoredFile } from "../blobs/blob_inventory.ts";
import { type Digest, Hasher } from "../blobs/hasher.ts";
import type { SmallContentAudit } from "../database/small_content_audit.ts";

/** All content of a data directory: that in files, and small content in the database. */
export class StoredContents {
  readonly #inventory: BlobInventory;
  readonly small: SmallContentAudit;

  constructor(inventory: BlobInventory, small: SmallContentAudit) {
    this.#inventory = inventory;
    this.small = small;
  }

  /** The hashes of all content whose hash begins with a prefix of two digits. */
  hashesBelow(prefix: string): Set<string> {
    return new Set([...this.#inventory.hashesBelow(prefix), ...this.small.hashesBelow(prefix)]);
  }

  /** The path of content that is in a file. */
  pathOf(hash: string): string {
    return this.#inventory.pathOf(hash);
  }

  find(hash: string): StoredFile | undefined {
    const size = this.small.sizeOf(hash);
    if (size === undefined) return this.#inventory.find(hash);
    const storedAt = this.small.storedAt(hash);
    return { size, storedAt, identity: `database ${storedAt}` };
  }

  /**
   * Reads content and hashes it; undefined if it is missing.
   *
   * @param onBytes Called with the number of bytes that were read since the last call.
   * @throws {Error} when it cannot be read.
   */
  async digest(hash: string, onBytes: (bytes: number) => void): Promise<Digest | undefined> {
    const bytes = this.small.bytesOf(hash);
    if (bytes === undefined) return await this.#inventory.digest(hash, onBytes);
    const hasher = new Hasher();
    hasher.update(bytes);
    onBytes(bytes.length);
    return hasher.digest();
  }
}
