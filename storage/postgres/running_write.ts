import type { Entries } from "../../core/event_channel.ts";
import type { WriteOptions } from "../../core/ports.ts";
import type { DavHint } from "../tables/dav_changes.ts";
import type { ChangeRecords } from "../tables/change_records.ts";
import { commit, isAtWork, type TransactionId, transactionId } from "./commits.ts";
import type { Database, HeldSession } from "./database.ts";
import { type Appended, appendEvents, type AppendStaged, stageEvents } from "./event_log.ts";
import { isEngineFailure } from "./failures.ts";
import {
  areWithin,
  beginLargeChange,
  bringUp,
  forgetLargeChange,
  isLarge,
  noteLargeChange,
  outermostRoots,
  requireFree,
  type Root,
  Strayed,
  TooLarge,
} from "./large_changes.ts";
import { LOCKS, treeLock } from "./locks.ts";
import type { Session } from "./session.ts";
import { lockKeys, lockTree, type Trees, type TreeTurns } from "./tree_turns.ts";
import { PostgresTransaction, type Restored, type TransactionRunner } from "./write_transaction.ts";

/** A connection with a transaction, and when the engine has begun it. */
interface Begun {
  readonly session: Session;
  readonly started: Promise<void>;
}

export interface RunningParts {
  readonly database: Database;
  readonly turns: TreeTurns;
  /** A change of more records than this is large, if it may be. */
  readonly maxRecords: number;
  /** What a large change changes. @default it is none */
  readonly large?: readonly Root[];
}

/** A transaction that is running. It takes a connection when it needs one. */
export class RunningWrite implements AsyncDisposable, TransactionRunner {
  readonly #parts: RunningParts;
  readonly #published = Promise.withResolvers<void>();
  /** What others have committed before, and may not have published yet. */
  readonly #earlier: Promise<unknown>[] = [];
  readonly #locks = new Map<string, Promise<DavHint>>();
  readonly #changed: Root[] = [];
  #began: Promise<Begun> | undefined;
  #held: HeldSession | undefined;
  #id: TransactionId | undefined;
  /** The number of the large change. */
  #change: string | undefined;
  #committed = false;
  #leave = () => {};
  /** Whether its commit has begun. */
  isCommitting = false;
  /** The events that it has appended. */
  appended: readonly Appended[] = [];
  /** Whether no statement but the first ones of the transaction have been run. */
  neverBegan = true;

  constructor(parts: RunningParts) {
    this.#parts = parts;
  }

  /** The outermost of what the transaction has changed, and was about to change. */
  get changed(): readonly Root[] {
    return outermostRoots(this.#changed);
  }

  /** The first failure of a statement. */
  get failure(): unknown {
    return this.#held?.session.failure;
  }

  async run<T>(
    work: (transaction: PostgresTransaction) => Promise<T>,
    kept: ChangeRecords,
    { onCommit, events }: WriteOptions<T>,
  ): Promise<T> {
    const { large } = this.#parts;
    if (large !== undefined) await this.#hold(large);
    const transaction = new PostgresTransaction(this, kept);
    const result = await work(transaction);
    await Promise.all(transaction.actions.map((action) => action()));
    if (this.failure !== undefined) throw this.failure;
    const entries = events?.(result) ?? [];
    using _stored = "owners" in entries ? entries : undefined;
    const staged = await this.#endLarge(entries);
    if (entries.length > 0) await this.#append(entries, staged);
    else if (this.#held !== undefined) await this.#commit(this.#held.session);
    onCommit?.(result, transaction.described);
    return result;
  }

  /** Appends events, and commits. They come last, as others who append for the same owner wait. */
  async #append(entries: Entries, staged: AppendStaged | undefined): Promise<void> {
    const session = await this.#run([], (session) => Promise.resolve(session));
    if ("owners" in entries) {
      this.appended = await (staged?.() ?? appendEvents(session, entries));
      return await this.#commit(session);
    }
    // The commit is sent before their reply: it fails if they do.
    const owners = new Set(entries.map(({ owner }) => owner));
    const unknown = [...owners].map((owner) => ({ owner, first: 0, count: 0 }));
    const appended = appendEvents(session, entries).catch(() => unknown);
    await this.#commit(session);
    this.appended = await appended;
  }

  async #commit(session: Session): Promise<void> {
    this.isCommitting = true;
    await commit(this.#parts.database, session, this.#id);
    this.#committed = true;
    this.#held?.keep();
    await Promise.all(this.#earlier);
  }

  /** Resolves when the transaction has ended, and its changes are known to all. */
  get published(): Promise<void> {
    return this.#published.promise;
  }

  /** Ends the transaction, if it was not committed, and gives the connection back. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#began?.catch(() => {});
    if (this.#held !== undefined && !this.#committed) await rollback(this.#held);
    await this.#held?.[Symbol.asyncDispose]();
    if (this.#change !== undefined && !this.#committed) {
      await forgetLargeChange(this.#parts.database, this.#change);
    }
    this.#published.resolve();
    this.#leave();
  }

  async in<T>(trees: Trees, work: (session: Session) => Promise<T>): Promise<T> {
    // A large change has no lock of a tree, but reads what others may change, such as counts, under it.
    const isLarge = this.#change !== undefined;
    if (isLarge && trees.length > 0 && this.#changed.length > 0) await this.#bringUp(this.#change);
    return await this.#run(isLarge ? [] : lockKeys(trees), work);
  }

  async beside<T>(userId: number, work: (session: Session) => Promise<T>): Promise<T> {
    return await this.#run(this.#change === undefined ? lockKeys([userId]) : [], work);
  }

  async davHint(userId: number): Promise<DavHint> {
    await this.beside(userId, () => Promise.resolve());
    const locked = this.#locks.get(treeLock(userId)) ?? this.#locks.get(LOCKS.allTrees);
    return await locked ?? { locks: true, properties: true };
  }

  async change<T>(
    roots: readonly Root[],
    work: (session: Session) => Promise<T>,
    restored?: Restored,
  ): Promise<T> {
    const { large, maxRecords } = this.#parts;
    this.#changed.push(...roots);
    if (large !== undefined) {
      if (!areWithin(roots, large)) throw new Strayed("A large change changes more than was found");
      return await this.#run([], work);
    }
    return await this.#run(lockKeys(roots.map(({ userId }) => userId)), async (session) => {
      const free = requireFree(session, roots);
      free.catch(() => {});
      const { sources = roots, past } = restored ?? {};
      if (maxRecords < Infinity && await isLarge(session, sources, maxRecords, past)) {
        throw new TooLarge("A change of so many records lets others change what it does not");
      }
      const [result] = await Promise.all([work(session), free]);
      return result;
    });
  }

  /** Begins a large change. It holds what it changes before anything is read. */
  async #hold(roots: readonly Root[]): Promise<void> {
    const change = this.#change = await noteLargeChange(this.#parts.database, roots);
    await this.#run([], (session) => beginLargeChange(session, change));
  }

  /** Ends what takes long of a large change, and takes its locks. Returns what appends its events. */
  async #endLarge(entries: Entries): Promise<AppendStaged | undefined> {
    if (this.#change === undefined) return undefined;
    const staged = "owners" in entries
      ? await this.#run([], (session) => stageEvents(session, entries))
      : undefined;
    await this.#bringUp(this.#change);
    return staged;
  }

  /** Takes the locks that others need only for a moment, once a large change has done what takes long. */
  async #bringUp(change: string | undefined): Promise<void> {
    const { large = [] } = this.#parts;
    if (change === undefined) return;
    await this.#run([], (session) => session.script("SET CONSTRAINTS ALL IMMEDIATE"));
    await this.#run(
      lockKeys(large.map(({ userId }) => userId)),
      (session) => bringUp(session, change),
    );
  }

  async #run<T>(keys: readonly string[], work: (session: Session) => Promise<T>): Promise<T> {
    const { session, started } = await (this.#began ??= this.#begin(keys[0]));
    // Their replies need not be awaited: the engine runs statements in the order in which they are sent.
    const locked = this.#lock(session, keys);
    const [result] = await Promise.all([work(session), locked, started]);
    this.neverBegan = false;
    return result;
  }

  /** Sends the first statements of the transaction. */
  async #begin(tree: string | undefined): Promise<Begun> {
    if (tree !== undefined) this.#leave = await this.#parts.turns.enter(tree);
    const held = this.#held = await this.#parts.database.connect("writes");
    const { session } = held;
    session.isAtWork = () => isAtWork(this.#parts.database, this.#id);
    const started = this.#start(session);
    // Whoever sends more awaits it.
    started.catch(() => {});
    return { session, started };
  }

  async #start(session: Session): Promise<void> {
    const begun = session.begin();
    [, this.#id] = await Promise.all([begun, transactionId(session)]);
  }

  /** Takes the locks that are not taken yet. */
  async #lock(session: Session, keys: readonly string[]): Promise<void> {
    const all = this.#locks.get(LOCKS.allTrees);
    if (all !== undefined) return void await all;
    await Promise.all(keys.map((key) => {
      const known = this.#locks.get(key);
      if (known !== undefined) return known;
      const locked = lockTree(session, key).then((hint) => {
        this.#earlier.push(this.#parts.turns.granted(key, this.#published.promise));
        return hint;
      });
      this.#locks.set(key, locked);
      return locked;
    }));
  }
}

/** Rolls back. Keeps the connection if that succeeds. */
async function rollback(held: HeldSession): Promise<void> {
  try {
    await held.session.rollback();
    held.keep();
  } catch (error) {
    // Then the connection is closed, and the engine rolls back.
    if (!isEngineFailure(error)) throw error;
  }
}
