/**
 * Calls to an object that lives in another thread, so that what blocks (SQLite, its syncs, hashing,
 * deflating) does not hold up this one.
 *
 * A `Uint8Array` that is an argument or a result is moved, not copied: its sender loses it.
 */

import { AppError } from "../../core/errors.ts";

/** The methods of `T` as they look from another thread. */
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

/** What is left of an error on its way between threads: a clone would lose its class and code. */
interface Failure {
  readonly kind: AppError["kind"] | undefined;
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly stack: string | undefined;
}

/** The part of a worker's global scope that is used here. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<Call>) => void): void;
  postMessage(message: Reply, transfer: Transferable[]): void;
}

/** Answers calls with the methods of `target`. To be called once, in the worker's module. */
export function exposeToParent(target: object): void {
  // The library of types in use is that of the main thread.
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
  /** The object in the worker. Its calls reject once the worker has died or is disposed. */
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
      // Otherwise the failure would end the whole process.
      event.preventDefault();
      this.#end(new Error(`A worker failed: ${event.message}`));
    });
    this.remote = new Proxy({} as Remote<T>, {
      get: (_, method) => (...args: unknown[]) => this.#call(String(method), args),
    });
  }

  /** Whether calls can still be made. */
  get alive(): boolean {
    return this.#ended === undefined;
  }

  [Symbol.dispose](): void {
    this.#end(new Error("The worker has been ended"));
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
