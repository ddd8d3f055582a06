import { callsOn, type PooledWorker, WorkerPool, type WorkerPoolOptions } from "../threads/pool.ts";
import type { Remote } from "../threads/rpc.ts";
import { WORKERS } from "../threads/workers.ts";
import type { ReportMaker } from "../tables/scan_reports.ts";
import type { SarifMaker } from "../tables/sarif_maker.ts";
import type { Reader } from "./reader.ts";

/** What a thread that reads the database does. */
type ReaderTasks = Reader & ReportMaker & SarifMaker;

/** A thread that reads the database. It starts when it is needed, and ends when it was not for a minute. */
export class ReaderThread implements AsyncDisposable, Disposable {
  /** Calls that need no others after them. */
  readonly calls: Remote<ReaderTasks> = callsOn(() => this.acquire());
  readonly #pool: WorkerPool<ReaderTasks>;
  /** Settles when the thread that started last has. */
  #opened: Promise<void> = Promise.resolve();
  /** Held for a large change. */
  #held: PooledWorker<ReaderTasks> | undefined;

  /** @param path The database. */
  constructor(path: string, options: Pick<WorkerPoolOptions<ReaderTasks>, "maxUnusedMs"> = {}) {
    this.#pool = new WorkerPool(WORKERS.reader, 1, { read: [path] }, {
      ...options,
      prepare: (reader) => this.#opened = reader.open(path),
      // A thread that ends does not close its connections.
      finish: (reader) => reader.close(),
    });
  }

  /**
   * Acquires the thread until the result is disposed of. What is open in it must be closed by then.
   *
   * @throws {Error} when it has failed during a large change, as another one would see part of that.
   */
  acquire(): PooledWorker<ReaderTasks> {
    const worker = this.#pool.acquire();
    if (this.#held !== undefined && this.#held.remote !== worker.remote) {
      worker[Symbol.dispose]();
      throw new Error("The thread that reads during a large change has failed");
    }
    return worker;
  }

  /** Starts the thread, unless it runs. Resolves when it has started. */
  async started(): Promise<void> {
    using _worker = this.acquire();
    await this.#opened;
  }

  /** Starts the thread for a large change, until {@link unpin}. Resolves when earlier reads have ended. */
  async hold(): Promise<void> {
    this.#held ??= this.acquire();
    // Nothing is pinned: the call only waits its turn.
    await this.#held.remote.unpin();
  }

  /** {@link Reader.pin} */
  async pin(userIds: readonly number[]): Promise<void> {
    await this.#held?.remote.pin(userIds);
  }

  /** {@link Reader.unpin} */
  unpin(): void {
    using held = this.#held;
    this.#held = undefined;
    held?.remote.unpin().catch(() => {
      // A thread that has failed keeps no snapshot.
    });
  }

  /** Closes what is open, and ends the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }
}
