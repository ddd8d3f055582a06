import type { ThreadPermissions } from "./permissions.ts";
import { type Remote, RemoteWorker } from "./rpc.ts";

/** A worker acquired from a {@link WorkerPool} for one or more calls. Dispose of it to release it. */
export interface PooledWorker<T> extends Disposable {
  readonly remote: Remote<T>;
}

/**
 * A pool of workers that run the same module. Starts them as needed. A worker may be acquired several
 * times at once, so that one that waits for a slow client does not block other work.
 */
export class WorkerPool<T extends object> implements Disposable {
  readonly #module: URL;
  readonly #size: number;
  readonly #permissions: ThreadPermissions;
  #workers: { readonly worker: RemoteWorker<T>; users: number }[] = [];

  /** @param size Maximum number of workers. */
  constructor(module: URL, size: number, permissions: ThreadPermissions) {
    this.#module = module;
    this.#size = size;
    this.#permissions = permissions;
  }

  /** Acquires the least busy worker, and starts one if all are busy and the pool is not full. */
  acquire(): PooledWorker<T> {
    this.#workers = this.#workers.filter(({ worker }) => worker.alive);
    const [leastBusy] = this.#workers.toSorted((a, b) => a.users - b.users);
    const entry =
      leastBusy === undefined || (leastBusy.users > 0 && this.#workers.length < this.#size)
        ? this.#start()
        : leastBusy;
    entry.users++;
    return {
      remote: entry.worker.remote,
      [Symbol.dispose]: () => {
        entry.users--;
      },
    };
  }

  /** Terminates all workers, busy or not. */
  [Symbol.dispose](): void {
    for (const { worker } of this.#workers.splice(0)) worker[Symbol.dispose]();
  }

  #start() {
    const entry = { worker: new RemoteWorker<T>(this.#module, this.#permissions), users: 0 };
    this.#workers.push(entry);
    return entry;
  }
}
