import { AppError } from "../../../core/errors.ts";
import { exposeToParent } from "../../../storage/threads/rpc.ts";

/** The object that the tests of storage/threads call in a worker. */
export class Target {
  #count = 0;

  add(a: number, b: number): number {
    return a + b;
  }

  echo<T>(value: T): T {
    return value;
  }

  nothing(): void {}

  count(): number {
    return ++this.#count;
  }

  refuse(): void {
    throw new AppError("ErrResourcesConflict", "refused there");
  }

  fail(): Promise<void> {
    return Promise.reject(Object.assign(new TypeError("failed"), { code: "ENOSPC" }));
  }

  never(): Promise<void> {
    return new Promise(() => {});
  }

  crash(): void {
    setTimeout(() => {
      throw new Error("crashed");
    }, 0);
  }
}

exposeToParent(new Target());
