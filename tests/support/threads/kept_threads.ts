/**
 * The threads of servers, as tests/run.ts has `storage` import them: they are kept when a server ends, and do
 * the work of the next one. A thread takes 30 ms of CPU to start, and a server has two to four. A test that counts
 * threads, or has one fail, gets its own.
 */

import { pathToFileURL } from "node:url";
import type { ThreadPermissions } from "../../../storage/threads/permissions.ts";
import { type Remote, RemoteWorker as Thread } from "../../../storage/threads/rpc.ts";
import { WORKERS } from "../built_workers.ts";
import { KEPT_THREAD } from "../program.ts";
import type { KeptTask, KeptThread } from "./kept_thread.ts";

export { exposeToParent, type Remote } from "../../../storage/threads/rpc.ts";

/** The runtime counts threads that a test starts as its own, so these start before all tests. */
const COUNT = 6;

const TASKS = new Map<string, KeptTask>([
  [String(WORKERS.writer), "writer"],
  [String(WORKERS.reader), "reader"],
  [String(WORKERS.content), "content"],
]);

/** Tests put another one in its place to count threads. */
const { Worker: RuntimeWorker } = globalThis;
const ALL = { read: "inherit", write: "inherit", sys: "inherit" } as const;
const waiting = Array.from(
  { length: COUNT },
  () => new Thread<KeptThread>(pathToFileURL(KEPT_THREAD), ALL),
);

/** A {@link Thread}, which may be one that is kept. */
export class RemoteWorker<T extends object> implements Disposable {
  readonly remote: Remote<T>;
  readonly #task: KeptTask | undefined;
  readonly #kept: Thread<KeptThread> | undefined;
  readonly #thread: { readonly remote: object; readonly alive: boolean } & Disposable;
  /** How many calls have no reply yet. */
  #open = 0;
  /** Whether the last call was one that closes everything. */
  #isClosed = false;
  #isEnded = false;

  constructor(module: URL, permissions: ThreadPermissions) {
    this.#task = globalThis.Worker === RuntimeWorker ? TASKS.get(module.href) : undefined;
    this.#kept = this.#task && waiting.pop();
    this.#thread = this.#kept ?? new Thread<T>(module, permissions);
    // If it fails, so do the calls that follow.
    if (this.#task !== undefined) this.#kept?.remote.become(this.#task).catch(() => {});
    this.remote = new Proxy({} as Remote<T>, {
      get: (_, method) => (...args: readonly unknown[]) => this.#call(String(method), args),
    });
  }

  get alive(): boolean {
    return !this.#isEnded && this.#thread.alive;
  }

  /** Keeps the thread, if nothing is open in it. */
  [Symbol.dispose](): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const isIdle = this.#open === 0 && (this.#isClosed || this.#task === "content");
    if (this.#kept !== undefined && isIdle && this.#kept.alive) waiting.push(this.#kept);
    else this.#thread[Symbol.dispose]();
  }

  async #call(method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#isEnded) throw new Error("The worker was terminated");
    this.#open++;
    this.#isClosed = false;
    try {
      const result: unknown = await Reflect.get(this.#thread.remote, method)(...args);
      this.#isClosed = method === "close";
      return result;
    } finally {
      this.#open--;
    }
  }
}
