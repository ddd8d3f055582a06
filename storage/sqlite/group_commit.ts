import { FairQueue } from "../../core/fair_queue.ts";
import type { WriteOptions, WriteTransaction } from "../../core/ports.ts";

/** Control of the transactions that {@link GroupCommit} runs. */
export interface TransactionControl {
  /** @param isStep Whether it is a step of a large change. */
  begin(isStep: boolean): Promise<void>;
  /** Sets the savepoint that {@link TransactionControl.rollbackWork} returns to. */
  savepoint(): Promise<void>;
  /** Rolls back to the savepoint. Returns false if the whole transaction has been rolled back. */
  rollbackWork(): Promise<boolean>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Registers an action to run before the commit of a group. */
export type BeforeCommit = WriteTransaction["beforeCommit"];

/** Work that waits to run, or for the commit of its group. */
interface Entry {
  readonly alone: boolean;
  readonly isStep: boolean;
  readonly isOneCall: boolean;
  run(beforeCommit: BeforeCommit): Promise<void>;
  succeed(): void;
  fail(error: unknown): void;
}

interface RunningEntry {
  readonly entry: Entry;
  /** Resolves with whether the work succeeded. Rejects if it has lost the transaction. */
  readonly succeeds: Promise<boolean>;
}

/** At most this many pieces of work share a commit. */
const MAX_GROUP_SIZE = 32;
const MAX_GROUP_MS = 10;
/** Stands for the user of work that no user asked for. */
const NO_USER = -1;

/** Options of {@link GroupCommit.run}. */
export interface RunOptions<T> extends Omit<WriteOptions<T>, "onCommit"> {
  /** Called after the commit, before any further work starts. */
  readonly onCommit?: ((result: T) => void) | undefined;
  /** Whether the work is a step of a large change, and alone. @default false */
  readonly isStep?: boolean;
  /**
   * Whether the work is one call that begins at once, and is undone by the database if it fails. What comes
   * next does not wait for it. @default false
   */
  readonly isOneCall?: boolean;
}

export interface GroupCommitOptions {
  /** How long a group accepts further work, in milliseconds. @default 10 */
  readonly maxGroupMs?: number;
}

/**
 * Runs pieces of work one at a time, and commits those that queue up meanwhile together: many small
 * writes share one disk sync. Users take turns, and the work of one runs in the order of the calls.
 * Calls that need nothing in between travel with their commit. Work that throws is rolled back alone. If
 * the commit fails, the whole group fails.
 */
export class GroupCommit {
  readonly #control: TransactionControl;
  readonly #maxGroupMs: number;
  readonly #queue = new FairQueue<Entry>();
  #draining: Promise<void> | undefined;
  #closed = false;
  /** Resolves when the commit that is being made has ended, and what it calls was called. */
  #committing: PromiseWithResolvers<void> | undefined;
  #commits = 0;
  #works = 0;

  constructor(control: TransactionControl, { maxGroupMs = MAX_GROUP_MS }: GroupCommitOptions = {}) {
    this.#control = control;
    this.#maxGroupMs = maxGroupMs;
  }

  /**
   * Runs `work` after all that its user has queued before it. Resolves once its result is durable.
   *
   * @throws {Error} after {@link close}.
   */
  run<T>(
    work: (beforeCommit: BeforeCommit) => Promise<T>,
    options: RunOptions<T> = {},
  ): Promise<T> {
    const { onCommit, userId = NO_USER, alone = false, isStep = false, isOneCall = false } =
      options;
    if (this.#closed) return Promise.reject(new Error("The database is closing"));
    return new Promise<T>((resolve, reject) => {
      let succeed = () => {};
      this.#queue.add(userId, {
        alone,
        isStep,
        isOneCall,
        async run(beforeCommit) {
          const result = await work(beforeCommit);
          succeed = () => {
            onCommit?.(result);
            resolve(result);
          };
        },
        succeed: () => succeed(),
        fail: reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  /** How many transactions have been committed, and how many pieces of work in them. */
  get committed(): { readonly commits: number; readonly works: number } {
    return { commits: this.#commits, works: this.#works };
  }

  /** Refuses further work. Resolves when none is running or queued. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  /** Resolves when `onCommit` was called for all work whose changes a read before may have seen. */
  async published(): Promise<void> {
    await this.#committing?.promise;
  }

  async #drain(): Promise<void> {
    // Work may call `run` at once, before the caller has this promise: that must not begin another.
    await Promise.resolve();
    for (let first = this.#queue.next(); first !== undefined; first = this.#queue.next()) {
      await this.#commitGroup(first);
      this.#committing?.resolve();
      this.#committing = undefined;
    }
    this.#draining = undefined;
  }

  async #commitGroup(first: Entry): Promise<void> {
    const running: RunningEntry[] = [];
    const actions: (() => Promise<void>)[] = [];
    const started = performance.now();
    try {
      // The database executes calls in order, so no call need wait for the one before it.
      const begun = awaitedLater(this.#control.begin(first.isStep));
      for (let entry: Entry | undefined = first; entry !== undefined;) {
        const succeeds = awaitedLater(this.#runEntry(entry, actions));
        running.push({ entry, succeeds });
        // Without an await in between, calls travel in one message.
        if (!entry.isOneCall) await succeeds;
        entry = this.#shiftJoining(entry, { size: running.length, started });
      }
      if (!running.every(({ entry }) => entry.isOneCall)) {
        await begun;
        await Promise.all(actions.map((action) => action()));
      }
      this.#committing = Promise.withResolvers();
      await Promise.all([begun, this.#control.commit()]);
    } catch (error) {
      const failures = [error];
      await this.#control.rollback().catch((another) => failures.push(another));
      const reason = failures.length === 1 ? error : new AggregateError(failures);
      for (const entry of await succeeded(running)) entry.fail(reason);
      return;
    }
    const done = await succeeded(running);
    this.#commits++;
    this.#works += done.length;
    for (const entry of done) entry.succeed();
  }

  /** Takes the next work from the queue if it may join a group whose last work is `last`. */
  #shiftJoining(
    last: Entry,
    { size, started }: { readonly size: number; readonly started: number },
  ): Entry | undefined {
    const next = this.#queue.peek();
    const joins = next !== undefined && !last.alone && !next.alone && size < MAX_GROUP_SIZE &&
      performance.now() - started < this.#maxGroupMs;
    return joins ? this.#queue.next() : undefined;
  }

  /** Runs one piece of work and returns whether it succeeded. Throws if the transaction is lost. */
  async #runEntry(entry: Entry, actions: (() => Promise<void>)[]): Promise<boolean> {
    const own: (() => Promise<void>)[] = [];
    try {
      const saved = entry.isOneCall ? undefined : awaitedLater(this.#control.savepoint());
      await entry.run((action) => own.push(action));
      await saved;
    } catch (error) {
      entry.fail(error);
      // If a call has lost the transaction, the commit fails.
      if (entry.isOneCall || await this.#control.rollbackWork()) return false;
      throw error;
    }
    actions.push(...own);
    return true;
  }
}

/** The work that has succeeded, in order. */
async function succeeded(running: readonly RunningEntry[]): Promise<Entry[]> {
  const outcomes = await Promise.allSettled(running.map(({ succeeds }) => succeeds));
  return running.flatMap(({ entry }, index) => {
    const outcome = outcomes[index];
    return outcome?.status === "fulfilled" && outcome.value ? entry : [];
  });
}

/** Marks a promise as handled, as it is awaited only later. */
function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
