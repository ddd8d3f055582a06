/**
 * Calls to an object in another thread, so that blocking work (SQLite, disk syncs, hashing,
 * compression) does not block the calling thread.
 *
 * A `Uint8Array` that is an argument or a result is transferred, not copied: its sender can no
 * longer use it.
 */

import { AppError } from "../../core/errors.ts";

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
  addEventListener(type: "message", listener: (event: MessageEvent<Call>) => void): void;
  postMessage(message: Reply, transfer: Transferable[]): void;
}

/** Serves calls by the methods of `target`. Call it once, in the module of the worker. */
export function exposeToParent(target: object): void {
  // The configured type library describes the main thread.
  const scope = globalThis as unknown as WorkerScope;
  scope.addEventListener("message", async ({ data: { id, method, args } }) => {
    try {
      const call = Reflect.get(target, method);
      if (typeof call !== "function") throw new TypeError(`No method "${method}"`);
      const result: unknown = await Reflect.apply(call, target, args);
      scope.postMessage({ id, result }, buffersOf([result]));
    } catch (error) {
      scope.postMessage({ id, failure: toFailure(error) }, []);
    }
  });
}

/** A worker whose module calls {@link exposeToParent}. */
export class RemoteWorker<T extends object> implements Disposable {
  /** The object in the worker. Its calls reject once the worker has failed or was disposed of. */
  readonly remote: Remote<T>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;
  #ended: Error | undefined;

  constructor(module: URL) {
    this.#worker = new Worker(module, { type: "module" });
    this.#worker.addEventListener("message", (event: MessageEvent<Reply>) => {
      this.#settle(event.data);
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
    const id = ++this.#calls;
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    this.#worker.postMessage({ id, method, args } satisfies Call, buffersOf(args));
    return pending.promise;
  }

  #settle({ id, result, failure }: Reply): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (failure === undefined) pending?.resolve(result);
    else pending?.reject(toError(failure));
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
