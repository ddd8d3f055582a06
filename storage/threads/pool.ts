import { type Remote, RemoteWorker } from "./rpc.ts";

/** A worker taken from a {@link WorkerPool} for a piece of work that may take several calls. */
export interface PooledWorker<T> extends Disposable {
  readonly remote: Remote<T>;
}

/**
 * Workers of one kind, started as they are needed. A worker may serve several pieces of work at
 * once, so that one that waits for a slow client keeps no other from being done.
 */
export class WorkerPool<T extends object> implements Disposable {
  readonly #module: URL;
  readonly #size: number;
  #workers: { readonly worker: RemoteWorker<T>; jobs: number }[] = [];

  /** @param size How many workers there may be. */
  constructor(module: URL, size: number) {
    this.#module = module;
    this.#size = size;
  }

  /** The least busy worker, until it is disposed of. */
  acquire(): PooledWorker<T> {
    this.#workers = this.#workers.filter(({ worker }) => worker.alive);
    const [idlest] = this.#workers.toSorted((a, b) => a.jobs - b.jobs);
    const entry = idlest === undefined || (idlest.jobs > 0 && this.#workers.length < this.#size)
      ? this.#start()
      : idlest;
    entry.jobs++;
    return {
      remote: entry.worker.remote,
      [Symbol.dispose]: () => {
        entry.jobs--;
      },
    };
  }

  /** Ends all workers, whatever they are at. */
  [Symbol.dispose](): void {
    for (const { worker } of this.#workers.splice(0)) worker[Symbol.dispose]();
  }

  #start() {
    const entry = { worker: new RemoteWorker<T>(this.#module), jobs: 0 };
    this.#workers.push(entry);
    return entry;
  }
}
