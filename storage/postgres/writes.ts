import type { WriteOptions } from "../../core/ports.ts";
import { Semaphore } from "../../core/semaphore.ts";
import type { TemporaryFiles } from "../disk/temporary_files.ts";
import { ChangeRecords } from "../tables/change_records.ts";
import { isOutcomeUnknown, markRun, UnmarkedRun } from "./commits.ts";
import type { Database } from "./database.ts";
import type { Appended } from "./event_log.ts";
import { asUnavailable, isDisconnected, isTransient } from "./failures.ts";
import { LargeChangeWaits, MAX_DIRECT_RECORDS, Strayed, TooLarge } from "./large_changes.ts";
import { type RunningParts, RunningWrite } from "./running_write.ts";
import { TreeTurns } from "./tree_turns.ts";
import type { PostgresTransaction } from "./write_transaction.ts";

/** How often work runs that fails because of others at the same time. */
const MAX_ATTEMPTS = 12;
/** How long to wait before the next attempt, at most; twice as long each time. */
const FIRST_WAIT_MS = 5;
const MAX_WAIT_MS = 1000;

/** How many large changes there are at a time, at most. */
const MAX_LARGE_CHANGES = 2;
const NEVER = new AbortController().signal;

/** How work is carried out: in a transaction of few records, or as a large change. */
type Plan = Pick<RunningParts, "maxRecords" | "large">;

/** Runs work in write transactions, several at a time. See docs/design/postgres.md. */
export class Writes {
  readonly #database: Database;
  readonly #files: TemporaryFiles;
  readonly #turns = new TreeTurns();
  readonly #running = new Set<Promise<unknown>>();
  readonly #transactions = new Set<RunningWrite>();
  readonly #waits: LargeChangeWaits;
  readonly #maxRecords: number;
  /** Large changes leave connections to others. */
  readonly #large = new Semaphore(MAX_LARGE_CHANGES);
  /** Resolves when this run of the engine has an id; none while that has yet to be asked. */
  #marked: Promise<void> | undefined;
  #commits = 0;
  /** Called after a commit with the events that it has appended. */
  onAppended: (appended: readonly Appended[]) => void = () => {};

  /**
   * @param files Where the records of large changes are kept.
   * @param maxRecords A change of more records than this is large.
   */
  constructor(database: Database, files: TemporaryFiles, maxRecords = MAX_DIRECT_RECORDS) {
    this.#database = database;
    this.#files = files;
    this.#maxRecords = maxRecords;
    this.#waits = new LargeChangeWaits(database);
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
    const started = performance.now();
    const direct: Plan = { maxRecords: options.isLocal === true ? this.#maxRecords : Infinity };
    let plan = direct;
    for (let attempt = 1;;) {
      const running = new RunningWrite({ database: this.#database, turns: this.#turns, ...plan });
      let cause: unknown;
      try {
        await this.#mark();
        return await this.#attempt(running, plan, work, options);
      } catch (error) {
        // The first failure has caused the later ones, but says nothing about the outcome of a commit.
        cause = isOutcomeUnknown(error) ? error : running.failure ?? error;
      }
      if (cause instanceof TooLarge) plan = { large: running.changed, maxRecords: Infinity };
      else if (cause instanceof Strayed) plan = { maxRecords: Infinity };
      else if (cause instanceof UnmarkedRun) this.#marked = undefined;
      else if (await this.#waits.endedAfter(cause, started)) plan = direct;
      else {
        const again = isTransient(cause) ||
          attempt === 1 && running.neverBegan && isDisconnected(cause);
        if (!again || attempt === MAX_ATTEMPTS) throw asUnavailable(cause);
        const wait = Math.min(FIRST_WAIT_MS * 2 ** attempt++, MAX_WAIT_MS);
        await new Promise((resolve) => setTimeout(resolve, wait * Math.random()));
      }
    }
  }

  /**
   * Gives this run of the engine an id, if it has none. Before the first transaction, as work is carried out in its
   * order, and not within one: a pooler might have no second connection until it ends.
   */
  #mark(): Promise<void> {
    this.#marked ??= this.#database.use("writes", markRun).catch((error) => {
      this.#marked = undefined;
      throw error;
    });
    return this.#marked;
  }

  async #attempt<T>(
    running: RunningWrite,
    { large }: Plan,
    work: (transaction: PostgresTransaction) => Promise<T>,
    options: WriteOptions<T>,
  ): Promise<T> {
    using _turn = large && await this.#large.acquire(NEVER);
    const kept = new ChangeRecords(this.#files);
    this.#transactions.add(running);
    try {
      const result = await running.run(work, kept, options);
      this.#commits++;
      this.onAppended(running.appended);
      return result;
    } catch (error) {
      kept.drop();
      throw error;
    } finally {
      this.#transactions.delete(running);
      await running[Symbol.asyncDispose]();
    }
  }
}
