import type { ThreadPermissions } from "./permissions.ts";
import { type Remote, RemoteWorker } from "./rpc.ts";

/** A worker acquired from a {@link WorkerPool} for one or more calls. Dispose of it to release it. */
export interface PooledWorker<T> extends Disposable {
  readonly remote: Remote<T>;
}

/** Unused workers end after this time: each takes about 10 MB of memory, and 30 ms to start. */
const MAX_UNUSED_MS = 60_000;

/** Options of {@link WorkerPool}. */
export interface WorkerPoolOptions<T> {
  /** An unused worker ends after this time, in milliseconds. @default 60000 */
  readonly maxUnusedMs?: number;
  /** Called when a worker starts. If it fails, so must the calls that follow. @default nothing */
  readonly prepare?: (remote: Remote<T>) => Promise<void>;
  /** Releases what a worker holds, before it ends in order. @default nothing */
  readonly finish?: (remote: Remote<T>) => Promise<void>;
}

/** Calls each of which acquires a worker for itself alone. */
export function callsOn<T extends object>(acquire: () => PooledWorker<T>): Remote<T> {
  return new Proxy({} as Remote<T>, {
    get: (_, method) => async (...args: readonly unknown[]) => {
      using worker = acquire();
      return await Reflect.get(worker.remote, method)(...args);
    },
  });
}

interface Entry<T extends object> {
  readonly worker: RemoteWorker<T>;
  users: number;
  /** Ends the worker unless it is used before. */
  end: ReturnType<typeof setTimeout> | undefined;
}

/**
 * A pool of workers that run the same module. Starts them as needed, and ends those that are not used
 * any more. A worker may be acquired several times at once, so that one that waits for a slow client
 * does not block other work.
 * See docs/design/threads.md.
 */
export class WorkerPool<T extends object> implements Disposable, AsyncDisposable {
  readonly #module: URL;
  readonly #size: number;
  readonly #permissions: ThreadPermissions;
  readonly #maxUnusedMs: number;
  readonly #prepare: (remote: Remote<T>) => Promise<void>;
  readonly #finish: (remote: Remote<T>) => Promise<void>;
  #workers: Entry<T>[] = [];
  /** The worker of {@link acquireShared}, while a caller has it. */
  #shared: { readonly entry: Entry<T>; users: number } | undefined;

  /** @param size Maximum number of workers. */
  constructor(
    module: URL,
    size: number,
    permissions: ThreadPermissions,
    { maxUnusedMs = MAX_UNUSED_MS, prepare = async () => {}, finish = async () => {} }:
      WorkerPoolOptions<T> = {},
  ) {
    this.#module = module;
    this.#size = size;
    this.#permissions = permissions;
    this.#maxUnusedMs = maxUnusedMs;
    this.#prepare = prepare;
    this.#finish = finish;
  }

  /** Acquires the least busy worker, and starts one if all are busy and the pool is not full. */
  acquire(): PooledWorker<T> {
    const entry = this.#leastBusy();
    return this.#lend(entry, () => {});
  }

  /** Acquires the same worker for all callers, as long as one of them has it. */
  acquireShared(): PooledWorker<T> {
    if (this.#shared === undefined || !this.#shared.entry.worker.alive) {
      this.#shared = { entry: this.#leastBusy(), users: 0 };
    }
    const shared = this.#shared;
    shared.users++;
    return this.#lend(shared.entry, () => {
      shared.users--;
      if (shared.users === 0 && this.#shared === shared) this.#shared = undefined;
    });
  }

  /** Terminates all workers, busy or not. */
  [Symbol.dispose](): void {
    for (const { worker, end } of this.#workers.splice(0)) {
      clearTimeout(end);
      worker[Symbol.dispose]();
    }
  }

  /** Ends all workers in order. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((entry) => this.#end(entry)));
  }

  #leastBusy(): Entry<T> {
    this.#workers = this.#workers.filter(({ worker }) => worker.alive);
    const [leastBusy] = this.#workers.toSorted((a, b) => a.users - b.users);
    return leastBusy === undefined || (leastBusy.users > 0 && this.#workers.length < this.#size)
      ? this.#start()
      : leastBusy;
  }

  #lend(entry: Entry<T>, onRelease: () => void): PooledWorker<T> {
    entry.users++;
    clearTimeout(entry.end);
    return {
      remote: entry.worker.remote,
      [Symbol.dispose]: () => {
        onRelease();
        entry.users--;
        if (entry.users === 0) this.#endLater(entry);
      },
    };
  }

  async #end({ worker, end }: Entry<T>): Promise<void> {
    using _worker = worker;
    clearTimeout(end);
    if (worker.alive) await this.#finish(worker.remote);
  }

  #endLater(entry: Entry<T>): void {
    // One that the pool has given up is dead already.
    if (!this.#workers.includes(entry)) return;
    entry.end = setTimeout(() => {
      this.#workers = this.#workers.filter((other) => other !== entry);
      // If it fails in doing so, it has ended, too.
      this.#end(entry).catch(() => {});
    }, this.#maxUnusedMs);
    Deno.unrefTimer(Number(entry.end));
  }

  #start(): Entry<T> {
    const worker = new RemoteWorker<T>(this.#module, this.#permissions);
    const entry = { worker, users: 0, end: undefined };
    this.#workers.push(entry);
    this.#prepare(worker.remote).catch(() => {});
    return entry;
  }
}
