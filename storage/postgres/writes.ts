import type { Entries } from "../../core/event_channel.ts";
import type { WriteOptions } from "../../core/ports.ts";
import type { TemporaryFiles } from "../disk/temporary_files.ts";
import { ChangeRecords } from "../tables/change_records.ts";
import { type Appended, appendEvents } from "./event_log.ts";
import {
  commit,
  isAtWork,
  isOutcomeUnknown,
  markRun,
  type TransactionId,
  transactionId,
} from "./commits.ts";
import type { Database, HeldSession } from "./database.ts";
import { asUnavailable, isDisconnected, isEngineFailure, isTransient } from "./failures.ts";
import { LOCKS } from "./locks.ts";
import type { Session } from "./session.ts";
import { lockKeys, lockTree, type Trees, TreeTurns } from "./tree_turns.ts";
import { PostgresTransaction } from "./write_transaction.ts";

/** How often work runs that fails because of others at the same time. */
const MAX_ATTEMPTS = 12;
/** How long to wait before the next attempt, at most; twice as long each time. */
const FIRST_WAIT_MS = 5;
const MAX_WAIT_MS = 1000;

/** Runs work in write transactions, several at a time. See docs/design/postgres.md. */
export class Writes {
  readonly #database: Database;
  readonly #files: TemporaryFiles;
  readonly #turns = new TreeTurns();
  readonly #running = new Set<Promise<unknown>>();
  readonly #transactions = new Set<Running>();
  #commits = 0;
  /** Called after a commit with the events that it has appended. */
  onAppended: (appended: readonly Appended[]) => void = () => {};

  /** @param files Where the records of large changes are kept. */
  constructor(database: Database, files: TemporaryFiles) {
    this.#database = database;
    this.#files = files;
  }

  /** How many transactions have been committed. */
  get commits(): number {
    return this.#commits;
  }

  /**
   * Runs `work` in a transaction, again if it fails only because of others at the same time.
   *
   * @throws {AppError} `ErrUnavailable` when the engine is away.
   * @throws {Error} with the code `OUTCOME_UNKNOWN` when it may have been carried out or not.
   */
  run<T>(
    work: (transaction: PostgresTransaction) => Promise<T>,
    options: WriteOptions<T> = {},
  ): Promise<T> {
    const running = this.#run(work, options);
    const ended = running.catch(() => {});
    this.#running.add(ended);
    ended.then(() => this.#running.delete(ended));
    return running;
  }

  /** Resolves when `onCommit` was called for all work whose changes a read before may have seen. */
  async published(): Promise<void> {
    const committing = [...this.#transactions].filter(({ isCommitting }) => isCommitting);
    await Promise.all(committing.map(({ published }) => published));
  }

  /** Waits until nothing is running. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #run<T>(
    work: (transaction: PostgresTransaction) => Promise<T>,
    options: WriteOptions<T>,
  ): Promise<T> {
    for (let attempt = 1;; attempt++) {
      const running = new Running(this.#database, this.#turns);
      const kept = new ChangeRecords(this.#files);
      this.#transactions.add(running);
      try {
        const result = await running.run(work, kept, options);
        this.#commits++;
        this.onAppended(running.appended);
        return result;
      } catch (error) {
        kept.drop();
        // The first failure has caused the later ones, but says nothing about the outcome of a commit.
        const cause = isOutcomeUnknown(error) ? error : running.failure ?? error;
        const again = isTransient(cause) ||
          attempt === 1 && running.neverBegan && isDisconnected(cause);
        if (!again || attempt === MAX_ATTEMPTS) throw asUnavailable(cause);
      } finally {
        this.#transactions.delete(running);
        await running[Symbol.asyncDispose]();
      }
      const wait = Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS);
      await new Promise((resolve) => setTimeout(resolve, wait * Math.random()));
    }
  }
}

/** A connection with a transaction, and when the engine has begun it. */
interface Begun {
  readonly session: Session;
  readonly started: Promise<void>;
}

/** A transaction that is running. It takes a connection when it needs one. */
class Running implements AsyncDisposable {
  readonly #database: Database;
  readonly #turns: TreeTurns;
  readonly #published = Promise.withResolvers<void>();
  /** What others have committed before, and may not have published yet. */
  readonly #earlier: Promise<unknown>[] = [];
  readonly #locks = new Map<string, Promise<void>>();
  #began: Promise<Begun> | undefined;
  #held: HeldSession | undefined;
  #id: TransactionId | undefined;
  #committed = false;
  #leave = () => {};
  /** Whether its commit has begun. */
  isCommitting = false;
  /** The events that it has appended. */
  appended: readonly Appended[] = [];
  /** Whether no statement but the first ones of the transaction have been run. */
  neverBegan = true;

  constructor(database: Database, turns: TreeTurns) {
    this.#database = database;
    this.#turns = turns;
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
    const transaction = new PostgresTransaction(
      (trees, statements) => this.#in(trees, statements),
      kept,
    );
    const result = await work(transaction);
    await Promise.all(transaction.actions.map((action) => action()));
    if (this.failure !== undefined) throw this.failure;
    const entries = events?.(result) ?? [];
    if (entries.length > 0) await this.#append(entries);
    else if (this.#held !== undefined) await this.#commit(this.#held.session);
    onCommit?.(result);
    return result;
  }

  /** Appends events, and commits. They come last, as others who append for the same owner wait. */
  async #append(entries: Entries): Promise<void> {
    using _stored = "owners" in entries ? entries : undefined;
    const session = await this.#in([], (session) => Promise.resolve(session));
    if ("owners" in entries) {
      this.appended = await appendEvents(session, entries);
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
    await commit(this.#database, session, this.#id);
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
    this.#published.resolve();
    this.#leave();
  }

  async #in<T>(trees: Trees, work: (session: Session) => Promise<T>): Promise<T> {
    const keys = lockKeys(trees);
    const { session, started } = await (this.#began ??= this.#begin(keys[0]));
    // Their replies need not be awaited: the engine runs statements in the order in which they are sent.
    const locked = this.#lock(session, keys);
    const [result] = await Promise.all([work(session), locked, started]);
    this.neverBegan = false;
    return result;
  }

  /** Sends the first statements of the transaction. */
  async #begin(tree: string | undefined): Promise<Begun> {
    if (tree !== undefined) this.#leave = await this.#turns.enter(tree);
    const held = this.#held = await this.#database.connect("writes");
    const { session } = held;
    session.isAtWork = () => isAtWork(this.#database, this.#id);
    const started = this.#start(session);
    // Whoever sends more awaits it.
    started.catch(() => {});
    return { session, started };
  }

  async #start(session: Session): Promise<void> {
    const begun = session.begin();
    [, this.#id] = await Promise.all([begun, transactionId(session)]);
    if (this.#id.run === undefined) await this.#database.use("reads", markRun);
  }

  /** Takes the locks that are not taken yet. */
  async #lock(session: Session, keys: readonly string[]): Promise<void> {
    if (this.#locks.has(LOCKS.allTrees)) return await this.#locks.get(LOCKS.allTrees);
    await Promise.all(keys.map((key) => {
      const known = this.#locks.get(key);
      if (known !== undefined) return known;
      const locked = lockTree(session, key).then(() => {
        this.#earlier.push(this.#turns.granted(key, this.#published.promise));
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
