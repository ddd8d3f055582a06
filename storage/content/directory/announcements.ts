import type { ContentTable } from "../content_table.ts";
import type { StagedBlobFile } from "../staged_blob_file.ts";

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

  /** Keeps rows of the contents, from when this resolves until each of them is disposed of. */
  async begin(blobs: readonly StagedBlobFile[]): Promise<void> {
    if (blobs.length === 0) return;
    // A removal of the same content may come before the commit.
    for (const blob of blobs) blob.announced ??= this.#count(blob.hash);
    await this.#contents.announce(blobs.map(({ digest }) => ({ ...digest, bytes: undefined })));
  }

  /** Whether the row of the content must stay. */
  has(hash: string): boolean {
    return this.#counts.has(hash);
  }

  /** Counts an announcement. Once it is disposed of, a row that no record needs is left to a removal. */
  #count(hash: string): Disposable {
    this.#counts.set(hash, 1 + (this.#counts.get(hash) ?? 0));
    return {
      [Symbol.dispose]: () => {
        const count = this.#counts.get(hash) ?? 0;
        if (count > 1) this.#counts.set(hash, count - 1);
        else this.#counts.delete(hash);
      },
    };
  }
}
