import { LOCKS, treeLock } from "./locks.ts";
import type { DavHint } from "../tables/dav_changes.ts";
import type { Session } from "./session.ts";

/** What a transaction writes to: the trees of some users, or all trees. */
export type Trees = readonly number[] | "all";

/**
 * The order of the write transactions of this server. The database lets writers of one tree run one after
 * the other; here they wait without a connection, and in the order of their calls.
 */
export class TreeTurns {
  /** Resolves when all work that has begun with this tree has ended. */
  readonly #queues = new Map<string, Promise<void>>();
  /** Resolves when what the last holder of the lock has committed is known to all. */
  readonly #published = new Map<string, Promise<void>>();

  /** Waits until earlier work of this server that began with these trees has ended. Call the result then. */
  async enter(key: string): Promise<() => void> {
    const previous = this.#queues.get(key);
    const ended = Promise.withResolvers<void>();
    this.#queues.set(key, ended.promise);
    await previous;
    return () => {
      if (this.#queues.get(key) === ended.promise) this.#queues.delete(key);
      ended.resolve();
    };
  }

  /**
   * Notes that a transaction has the lock of a tree until `published` resolves. Returns when what those
   * before have committed is known.
   */
  granted(key: string, published: Promise<void>): Promise<unknown> {
    const before = key === LOCKS.allTrees
      ? [...this.#published.values()]
      : [this.#published.get(key), this.#published.get(LOCKS.allTrees)];
    this.#published.set(key, published);
    published.then(() => {
      if (this.#published.get(key) === published) this.#published.delete(key);
    });
    return Promise.all(before);
  }
}

/** The keys of the locks of trees. */
export function lockKeys(trees: Trees): string[] {
  return trees === "all"
    ? [LOCKS.allTrees]
    : [...new Set(trees)].sort((a, b) => a - b).map(treeLock);
}

/**
 * Takes the lock of a tree, or of all trees, until the transaction ends. Returns what clients of WebDAV have left
 * there, as far as that is known.
 */
export async function lockTree(session: Session, key: string): Promise<DavHint> {
  if (key === LOCKS.allTrees) {
    await session.get("SELECT pg_advisory_xact_lock(:key::bigint)", { key });
    return { locks: true, properties: true };
  }
  const row = await session.get("SELECT lock_tree(:all::bigint, :key::bigint) AS found", {
    all: LOCKS.allTrees,
    key,
  });
  const found = Number(row?.found);
  return { locks: (found & 1) !== 0, properties: (found & 2) !== 0 };
}
