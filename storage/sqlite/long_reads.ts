import type {
  CollectionRoots,
  FileCollection,
  ItemsJson,
  ListQuery,
  ResourceRecord,
} from "../../core/ports.ts";
import { entriesJson } from "../../core/entries.ts";
import { Semaphore } from "../../core/semaphore.ts";
import type { ShareQuery, Shares } from "../../core/shares.ts";
import type { LargeChanges } from "./large_changes.ts";
import type { ListBatch, ListForm } from "./list_batch.ts";
import type { ReaderThread } from "./reader_thread.ts";
import type { PointReader } from "./point_reader.ts";
import type { PastReads, PastTree } from "../tables/history_store.ts";
import type { CurrentResults } from "../tables/verdict_statements.ts";

/** A listing whose reader takes longer than this for a batch continues with another snapshot. */
const LIST_IDLE_MS = 1000;

export interface LongReadsParts {
  readonly longReader: ReaderThread;
  /** Reads a few records on the serving thread. */
  readonly points: PointReader;
  readonly largeChanges: LargeChanges;
  /** The scan results that count. */
  readonly results: CurrentResults;
  /** How long a listing keeps its snapshot while its reader takes a batch. @default 1000 */
  readonly listIdleMs: number | undefined;
}

/** Reads that take several calls to a reader. They see no part of a large change. */
export class LongReads {
  readonly #parts: LongReadsParts;
  /** Admits one count at a time. */
  readonly #counting = new Semaphore(1);

  constructor(parts: LongReadsParts) {
    this.#parts = parts;
  }

  /** {@link ResourceStore.list} */
  async *list(query: ListQuery): AsyncGenerator<readonly ResourceRecord[]> {
    for await (const { records } of this.#batches(query, "records")) yield records;
  }

  /** Reads of the past. They wait for a large change of the same tree, whose version they might read. */
  readonly past: PastReads = {
    settled: (userId) => this.#settled({ userId }),
    findByPath: async (tree, paths) => {
      await this.#settled(tree);
      return this.#parts.points.findPastByPath(tree, paths) ??
        await this.#parts.longReader.calls.findPastByPath(tree, paths);
    },
    findLocated: async (tree, path) => {
      await this.#settled(tree);
      return this.#parts.points.findPastLocated(tree, path);
    },
    findById: async (tree, ids) => {
      await this.#settled(tree);
      return this.#parts.points.findPastById(tree, ids) ??
        await this.#parts.longReader.calls.findPastById(tree, ids);
    },
    list: (tree, query) => this.#pastRecords(tree, query),
    listJson: (tree, query) => this.#pastJson(tree, query),
    collectFiles: (tree, roots) => this.collectFiles(roots, tree),
  };

  async *#pastRecords(
    tree: PastTree,
    query: ListQuery,
  ): AsyncGenerator<readonly ResourceRecord[]> {
    await this.#settled(tree);
    const few = this.#parts.points.shortPastList(tree, query);
    if (few !== undefined) return yield few;
    for await (const { records } of this.#batches(query, "records", tree)) yield records;
  }

  async *#pastJson(tree: PastTree, query: ListQuery): AsyncGenerator<ItemsJson> {
    await this.#settled(tree);
    const few = this.#parts.points.shortPastList(tree, query);
    if (few === undefined) yield* this.listJson(query, tree);
    else if (few.length > 0) yield entriesJson(few);
  }

  #settled({ userId }: Pick<PastTree, "userId">): Promise<void> {
    return this.#parts.largeChanges.settled([{ userId, everyone: false }]);
  }

  /** {@link ResourceStore.listJson} */
  async *listJson(query: ListQuery, past?: PastTree): AsyncGenerator<ItemsJson> {
    for await (const { text } of this.#batches(query, "text", past)) if (text.count > 0) yield text;
  }

  async *#batches(
    query: ListQuery,
    form: ListForm,
    past?: PastTree,
  ): AsyncGenerator<ListBatch> {
    using worker = this.#parts.longReader.acquire();
    const reader = worker.remote;
    const { cursor, first } = await reader.openList(query, form, past);
    let batch = first;
    try {
      for (;;) {
        if (batch === undefined) await this.#parts.largeChanges.settled([query.scope]);
        if (batch?.done) return yield batch;
        const next = reader.nextBatch(cursor);
        // The next batch is read while this one is used. The caller may want no more of it.
        next.catch(() => {});
        if (batch !== undefined) {
          yield* this.#lent(batch, () => reader.releaseList(cursor));
        }
        batch = await next;
      }
    } finally {
      if (!batch?.done) await reader.closeList(cursor);
    }
  }

  /** Yields a batch. Calls `release` if its reader takes long, as a snapshot keeps the log from shrinking. */
  *#lent(batch: ListBatch, release: () => void): Generator<ListBatch> {
    const idle = setTimeout(release, this.#parts.listIdleMs ?? LIST_IDLE_MS);
    try {
      yield batch;
    } finally {
      clearTimeout(idle);
    }
  }

  /** {@link RecordShares.shares} */
  async shares(query: ShareQuery, signal: AbortSignal): Promise<Shares> {
    using _turn = await this.#counting.acquire(signal, query.scope.userId);
    using worker = this.#parts.longReader.acquire();
    const reader = worker.remote;
    await reader.openShares(query);
    try {
      for (;;) {
        await this.#parts.largeChanges.settled([query.scope]);
        const shares = await reader.nextShares();
        if (shares !== undefined) return shares;
        signal.throwIfAborted();
      }
    } finally {
      await reader.closeShares();
    }
  }

  /** {@link ResourceStore.collectFiles} */
  async collectFiles(roots: CollectionRoots, past?: PastTree): Promise<FileCollection> {
    const owners = [...roots.byPath, ...roots.byId].map(({ userId }) => userId);
    await this.#parts.largeChanges.settled(
      [...new Set(owners)].map((userId) => ({ userId, everyone: false })),
    );
    const { longReader, results } = this.#parts;
    using acquired = new DisposableStack();
    const { remote: reader } = acquired.use(longReader.acquire());
    const { id, sharedPath } = await reader.openCollection(roots, past);
    const held = acquired.move();
    const pages = async function* (onlyUnchecked: boolean) {
      let after = "";
      for (;;) {
        const page = await reader.collectionPage(id, after, onlyUnchecked);
        const last = page.at(-1);
        if (last === undefined) return;
        yield page;
        after = last.path;
      }
    };
    return {
      sharedPath,
      pages: () => pages(false),
      uncheckedPages: () => pages(true),
      refused: (accepted, limit) => reader.refusedInCollection(id, { accepted, limit, results }),
      setPackedSizes: (sizes) => reader.setPackedSizes(id, sizes),
      async [Symbol.asyncDispose]() {
        using _held = held;
        await reader.closeCollection(id);
      },
    };
  }
}
