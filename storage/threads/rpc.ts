/**
 * Calls to an object in another thread, so that blocking work (SQLite, disk syncs, hashing,
 * compression) does not block the calling thread.
 *
 * A `Uint8Array` that is an argument or a result is transferred, not copied: its sender can no
 * longer use it.
 *
 * Calls that are made without an await between them travel in one message, and so do their results.
 * See docs/design/threads.md.
 */

import { AppError } from "../../core/errors.ts";
import { type ThreadPermissions, threadPermissions } from "./permissions.ts";

/** The methods of `T` as seen from another thread: all of them return promises. */
export type Remote<T> = {
  readonly [K in keyof T as T[K] extends (...args: never[]) => unknown ? K : never]: T[K] extends
    (...args: infer Args) => infer Result ? (...args: Args) => Promise<Awaited<Result>> : never;
};

interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: Failure;
}

/** An error on its way between threads. Structured cloning would lose its class and code. */
interface Failure {
  readonly kind: AppError["kind"] | undefined;
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly stack: string | undefined;
}

/** The members of a worker's global scope that this module uses. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<readonly Call[]>) => void): void;
  postMessage(message: readonly Reply[], transfer: Transferable[]): void;
}

/** Serves calls by the methods of `target`. Call it once, in the module of the worker. */
export function exposeToParent(target: object): void {
  // The configured type library describes the main thread.
  const scope = globalThis as unknown as WorkerScope;
  const replies = new Outbox<Reply>({
    valuesOf: ({ result }) => [result],
    post: (batch, buffers) => scope.postMessage(batch, buffers),
    refused: ({ id }, error) => scope.postMessage([{ id, failure: toFailure(error) }], []),
  });
  const serve = async ({ id, method, args }: Call) => {
    try {
      const call = Reflect.get(target, method);
      if (typeof call !== "function") throw new TypeError(`No method "${method}"`);
      const result: unknown = await Reflect.apply(call, target, args);
      replies.add({ id, result });
    } catch (error) {
      replies.add({ id, failure: toFailure(error) });
    }
  };
  scope.addEventListener("message", ({ data }) => {
    for (const call of data) serve(call);
  });
}

interface OutboxOptions<Message> {
  /** The values of a message whose memory is transferred. */
  readonly valuesOf: (message: Message) => readonly unknown[];
  readonly post: (batch: readonly Message[], buffers: Transferable[]) => void;
  /** Called for each message of a batch that cannot be cloned. */
  readonly refused: (message: Message, error: unknown) => void;
}

/** Collects messages until the running task and its microtasks end, and posts them as one. */
class Outbox<Message> {
  readonly #options: OutboxOptions<Message>;
  #batch: Message[] = [];

  constructor(options: OutboxOptions<Message>) {
    this.#options = options;
  }

  add(message: Message): void {
    if (this.#batch.push(message) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const { valuesOf, post, refused } = this.#options;
    const batch = this.#batch;
    this.#batch = [];
    try {
      post(batch, buffersOf(batch.flatMap(valuesOf)));
    } catch (error) {
      for (const message of batch) refused(message, error);
    }
  }
}

/** A worker whose module calls {@link exposeToParent}. */
export class RemoteWorker<T extends object> implements Disposable {
  /** The object in the worker. Its calls reject once the worker has failed or was disposed of. */
  readonly remote: Remote<T>;
  readonly #worker: Worker;
  readonly #calls = new Outbox<Call>({
    valuesOf: ({ args }) => args,
    post: (batch, buffers) => this.#worker.postMessage(batch, buffers),
    refused: ({ id }, error) => this.#settle(id, (pending) => pending.reject(error)),
  });
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #called = 0;
  #ended: Error | undefined;

  constructor(module: URL, permissions: ThreadPermissions) {
    this.#worker = new Worker(module, {
      type: "module",
      deno: { permissions: threadPermissions(permissions) },
    });
    this.#worker.addEventListener("message", (event: MessageEvent<readonly Reply[]>) => {
      for (const { id, result, failure } of event.data) {
        this.#settle(id, (pending) => {
          if (failure === undefined) pending.resolve(result);
          else pending.reject(toError(failure));
        });
      }
    });
    this.#worker.addEventListener("error", (event) => {
      // An unhandled error of a worker ends the whole process.
      event.preventDefault();
      this.#end(new Error(`Worker failed: ${event.message}`));
    });
    this.remote = new Proxy({} as Remote<T>, {
      get: (_, method) => (...args: unknown[]) => this.#call(String(method), args),
    });
  }

  /** Whether the worker still accepts calls. */
  get alive(): boolean {
    return this.#ended === undefined;
  }

  [Symbol.dispose](): void {
    this.#end(new Error("The worker was terminated"));
    this.#worker.terminate();
  }

  #call(method: string, args: unknown[]): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = ++this.#called;
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    this.#calls.add({ id, method, args });
    return pending.promise;
  }

  #settle(id: number, settle: (pending: PromiseWithResolvers<unknown>) => void): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending !== undefined) settle(pending);
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    for (const pending of this.#pending.values()) pending.reject(this.#ended);
    this.#pending.clear();
  }
}

function buffersOf(values: readonly unknown[]): Transferable[] {
  return values.flatMap((value) =>
    value instanceof Uint8Array && value.buffer instanceof ArrayBuffer ? [value.buffer] : []
  );
}

function toFailure(error: unknown): Failure {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  return {
    kind: error instanceof AppError ? error.kind : undefined,
    name,
    message,
    code,
    stack,
  };
}

function toError({ kind, name, message, code, stack }: Failure): Error {
  const error = kind === undefined ? new Error(message) : new AppError(kind, message);
  return Object.assign(error, { name, code, stack });
}
