import { asError, type Log } from "../log.ts";
import type { BlobStore } from "../blob_store.ts";
import type { RecordList, ResourceStore } from "../ports.ts";
import { batchesOf, release, share } from "../record_lists.ts";

/** How long after a change content is removed, in milliseconds: its reply has gone by then. */
const SWEEP_DELAY_MS = 100;
/** The most hashes per transaction, so that other writes can run in between. */
const MAX_BATCH_HASHES = 256;
/** The most hashes of stored records to collect before they are swept. */
const MAX_STORED_HASHES = 10_000;
/** A collection that is made anyway is not disturbed at the content of more records than this. */
const MAX_SHARED_RECORDS = 10_000;

/** What {@link removeUnreferenced} works with. */
export interface SweptStores {
  readonly records: Pick<ResourceStore, "write">;
  readonly blobs: BlobStore;
}

/** What {@link Sweeper} works with. */
export interface SweeperOptions extends SweptStores {
  readonly log: Log;
  /** Whether the database knows what was dropped, for a collection that is made anyway. @default false */
  readonly isShared?: boolean;
}

/**
 * Removes content that has lost its last reference, shortly after the reply (C 5.4). The time that a
 * request takes does not tell whether other users have the same content.
 * See docs/design/removing_content.md.
 */
export class Sweeper implements AsyncDisposable {
  readonly #options: SweeperOptions;
  #hashes = new Set<string>();
  /** Deleted records that are not in memory. */
  #stored: RecordList[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Removes the content of those hashes that no record has then. */
  add(hashes: readonly string[]): void {
    for (const hash of hashes) if (hash !== "") this.#hashes.add(hash);
    if (this.#hashes.size > 0) this.#schedule();
  }

  /** Removes the content of deleted records that no record has then. */
  addRecords(records: RecordList): void {
    if (!("owners" in records)) return this.add(records.map(({ hash }) => hash));
    if (this.#options.isShared && records.length > MAX_SHARED_RECORDS) return;
    this.#stored.push(share(records));
    this.#schedule();
  }

  /** Removes what has been added now. */
  finish(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const hashes = this.#hashes;
    this.#hashes = new Set();
    if (hashes.size > 0) this.#sweeping = this.#sweeping.then(() => this.#sweep(hashes));
    const stored = this.#stored;
    this.#stored = [];
    for (const records of stored) {
      this.#sweeping = this.#sweeping.then(() => this.#sweepStored(records));
    }
    return this.#sweeping;
  }

  [Symbol.asyncDispose] = () => this.finish();

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.finish(), SWEEP_DELAY_MS);
  }

  async #sweep(hashes: ReadonlySet<string>): Promise<void> {
    try {
      await removeUnreferenced(this.#options, [...hashes]);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Sweeps as many hashes at a time as memory may hold. */
  async #sweepStored(records: RecordList): Promise<void> {
    try {
      const hashes = new Set<string>();
      for await (const batch of batchesOf([records])) {
        for (const { hash } of batch) if (hash !== "") hashes.add(hash);
        if (hashes.size < MAX_STORED_HASHES) continue;
        await removeUnreferenced(this.#options, [...hashes]);
        hashes.clear();
      }
      await removeUnreferenced(this.#options, [...hashes]);
    } catch (error) {
      this.#failed(error);
    } finally {
      release(records);
    }
  }

  /** The next start removes the content. */
  #failed(error: unknown): void {
    this.#options.blobs.needsSweep = true;
    this.#options.log.error("Cannot remove unreferenced content", { error: asError(error) });
  }
}

/**
 * Removes the content of the hashes that no record has. Lookup and removal share a write transaction,
 * so that no upload of the same content can come between them (C 12).
 *
 * @param batchHashes How many of them a transaction looks at, at most.
 */
export async function removeUnreferenced(
  { records, blobs }: SweptStores,
  hashes: readonly string[],
  batchHashes = MAX_BATCH_HASHES,
): Promise<void> {
  const distinct = [...new Set(hashes)].filter((hash) => hash !== "");
  for (let start = 0; start < distinct.length; start += batchHashes) {
    const batch = distinct.slice(start, start + batchHashes);
    await records.write(async (transaction) => {
      await blobs.remove(await transaction.unreferenced(batch), transaction);
    }, { alone: true });
  }
}
