import type { WriteOptions, WriteTransaction } from "../../core/ports.ts";

/** What {@link GroupCommit} drives. */
export interface Engine {
  begin(): Promise<void>;
  /** Marks the place to which {@link Engine.rollbackWork} goes back. */
  savepoint(): Promise<void>;
  /** Undoes all since the last savepoint; false where the whole transaction is undone already. */
  rollbackWork(): Promise<boolean>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Takes what is to be done before the commit of a group. */
export type BeforeCommit = WriteTransaction["beforeCommit"];

/** Work that waits for its turn, or for the commit of its group. */
interface Entry {
  readonly alone: boolean;
  run(beforeCommit: BeforeCommit): Promise<void>;
  succeed(): void;
  fail(error: unknown): void;
}

/** How much work may share a commit. */
const MAX_GROUP = 32;
const MAX_GROUP_MS = 10;

export interface GroupCommitOptions {
  /** How long a group takes in further work, in milliseconds. @default 10 */
  readonly maxGroupMs?: number;
}

/**
 * Runs work one after the other, first come, first served, and commits what has gathered meanwhile
 * together: one sync of the disk for many small writes. A work that throws is undone by
 * itself; where the commit fails all of its group fails.
 */
export class GroupCommit {
  readonly #engine: Engine;
  readonly #maxGroupMs: number;
  readonly #waiting: Entry[] = [];
  #running: Promise<void> | undefined;

  constructor(engine: Engine, { maxGroupMs = MAX_GROUP_MS }: GroupCommitOptions = {}) {
    this.#engine = engine;
    this.#maxGroupMs = maxGroupMs;
  }

  /** Runs `work` in its turn; settles when its outcome is durable. */
  run<T>(
    work: (beforeCommit: BeforeCommit) => Promise<T>,
    { committed, alone = false }: WriteOptions<T> = {},
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let succeed = () => {};
      this.#waiting.push({
        alone,
        async run(beforeCommit) {
          const result = await work(beforeCommit);
          succeed = () => {
            committed?.(result);
            resolve(result);
          };
        },
        succeed: () => succeed(),
        fail: reject,
      });
      this.#running ??= this.#drain();
    });
  }

  /** Settles when nothing is running or waiting. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #drain(): Promise<void> {
    for (let first = this.#waiting.shift(); first !== undefined; first = this.#waiting.shift()) {
      await this.#commitGroup(first);
    }
    this.#running = undefined;
  }

  async #commitGroup(first: Entry): Promise<void> {
    const done: Entry[] = [];
    const actions: (() => Promise<void>)[] = [];
    const started = performance.now();
    try {
      // Calls are carried out in order, so that the work need not wait for the transaction to begin.
      const begun = inBackground(this.#engine.begin());
      for (let entry: Entry | undefined = first; entry !== undefined;) {
        if (await this.#runEntry(entry, actions)) done.push(entry);
        const [next] = this.#waiting;
        const joins: boolean = next !== undefined && !entry.alone && !next.alone &&
          done.length < MAX_GROUP && performance.now() - started < this.#maxGroupMs;
        entry = joins ? this.#waiting.shift() : undefined;
      }
      await begun;
      await Promise.all(actions.map((action) => action()));
      await this.#engine.commit();
    } catch (error) {
      const failures = [error];
      await this.#engine.rollback().catch((another) => failures.push(another));
      const reason = failures.length === 1 ? error : new AggregateError(failures);
      for (const entry of done) entry.fail(reason);
      return;
    }
    for (const entry of done) entry.succeed();
  }

  /** Whether the work was done; throws where the whole transaction is lost with it. */
  async #runEntry(entry: Entry, actions: (() => Promise<void>)[]): Promise<boolean> {
    const own: (() => Promise<void>)[] = [];
    try {
      const marked = inBackground(this.#engine.savepoint());
      await entry.run((action) => own.push(action));
      await marked;
    } catch (error) {
      entry.fail(error);
      if (await this.#engine.rollbackWork()) return false;
      throw error;
    }
    actions.push(...own);
    return true;
  }
}

/** A promise that is awaited only later: until then its failure is nobody's. */
function inBackground<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
