import type { ContentTable } from "../database/content_table.ts";
import type { ContentDigest } from "./upload.ts";

/**
 * Content that is on its way into files. The database has a row of each content before its file is
 * renamed into `blobs/`, in a transaction of its own, until its file is durably gone. So a start after a
 * crash finds every file without a record in the database.
 */
export class Announcements {
  readonly #contents: ContentTable;
  readonly #counts = new Map<string, number>();

  constructor(contents: ContentTable) {
    this.#contents = contents;
  }

  /** Keeps a row of the content from when this resolves until {@link end} is called. */
  async begin(digest: ContentDigest): Promise<void> {
    // A removal of the same content may come before the commit.
    this.#counts.set(digest.hash, 1 + (this.#counts.get(digest.hash) ?? 0));
    try {
      await this.#contents.announce({ ...digest, bytes: undefined });
    } catch (error) {
      this.end(digest.hash);
      throw error;
    }
  }

  /** Ends what {@link begin} began. A row that no record needs is left to a removal. */
  end(hash: string): void {
    const count = this.#counts.get(hash) ?? 0;
    if (count > 1) this.#counts.set(hash, count - 1);
    else this.#counts.delete(hash);
  }

  /** Whether the row of the content must stay. */
  has(hash: string): boolean {
    return this.#counts.has(hash);
  }
}
