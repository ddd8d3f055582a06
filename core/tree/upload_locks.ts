import { AppError } from "../errors.ts";

/** How long a request waits until the one before it has ended, in milliseconds. */
const MAX_WAIT_MS = 10_000;

interface Holder {
  readonly cut: () => void;
  readonly ended: Promise<void>;
}

/**
 * Lets one request at a time work on an upload that can be resumed. A later one cuts the transfer of an
 * earlier one off: its client has lost that connection, which the server may not know yet.
 */
export class UploadLocks {
  readonly #waitMs: number;
  readonly #holders = new Map<string, Holder>();

  /** @param waitMs How long a request waits for an earlier one. @default 10000 */
  constructor(waitMs = MAX_WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /** Whether a request works on the upload. */
  has(id: string): boolean {
    return this.#holders.has(id);
  }

  /**
   * Waits until no other request works on the upload. Dispose of the result at the end.
   *
   * @param cut Called when a later request needs the upload.
   * @throws {AppError} `ErrUploadsLocked` when that takes too long.
   */
  async acquire(id: string, cut: () => void): Promise<Disposable> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => late.reject(locked()), this.#waitMs);
    late.promise.catch(() => {});
    try {
      for (let holder; (holder = this.#holders.get(id)) !== undefined;) {
        holder.cut();
        await Promise.race([holder.ended, late.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#holders.set(id, { cut, ended });
    return {
      [Symbol.dispose]: () => {
        this.#holders.delete(id);
        resolve();
      },
    };
  }
}

function locked(): AppError {
  return new AppError("ErrUploadsLocked", "Another request is working on the upload; try again");
}
