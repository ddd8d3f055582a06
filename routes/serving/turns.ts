import { setImmediate } from "node:timers";
import type { Context, MiddlewareHandler } from "hono";
import { RetryLater } from "../../core/errors.ts";
import { Semaphore } from "../../core/semaphore.ts";
import { callerOf } from "./auth.ts";
import type { AppEnvironment } from "../request/environment.ts";

/** What a request holds until its reply has been read. */
export type Load =
  /** A thread or a connection to the database, for a moment. */
  | "request"
  /** The buffers of an upload, a download or a ZIP. */
  | "transfer"
  /** Little, but for as long as a scan or a report takes. */
  | "job"
  /** Little, but for as long as the client likes. */
  | "stream";

/** How many requests are served at once, and how many of one user: a quarter. */
const LIMITS: Readonly<Record<Load, { readonly max: number; readonly name: string }>> = {
  request: { max: 64, name: "requests" },
  transfer: { max: 128, name: "uploads and downloads" },
  job: { max: 1000, name: "scans and reports" },
  stream: { max: 2000, name: "streams of events" },
};
/** How long a request waits for its turn, in milliseconds. */
const MAX_WAIT_MS = 10_000;
/** How many requests of a user wait. They are unread, and hold a connection only. */
const MAX_WAITING_OF_USER = 1000;

/** How many short requests of a user begin in one turn of the event loop: those of others begin in the same one. */
const MAX_BEGUN_PER_LOOP = 4;

/** The short requests of a user that have begun in the present turn of the event loop. */
interface Begun {
  count: number;
  readonly nextLoop: Promise<void>;
}

/** Bounds what all users, and each of them, have served at once. See docs/design/turns.md. */
export class Turns {
  readonly #waitMs: number;
  readonly #begun = new Map<number, Begun>();
  readonly #semaphores: Readonly<Record<Load, Semaphore>>;

  /** @param waitMs How long a request waits for its turn. @default 10000 */
  constructor(waitMs = MAX_WAIT_MS) {
    this.#waitMs = waitMs;
    const semaphoreOf = ({ max }: { readonly max: number }) => new Semaphore(max, max / 4);
    this.#semaphores = {
      request: semaphoreOf(LIMITS.request),
      transfer: semaphoreOf(LIMITS.transfer),
      job: semaphoreOf(LIMITS.job),
      stream: semaphoreOf(LIMITS.stream),
    };
  }

  /**
   * Waits until a request may be served. A stream does not wait, as others may never end. Dispose of the
   * result when the reply has been read.
   *
   * @throws {RetryLater} when that takes too long.
   * @throws the signal's reason when it aborts.
   */
  async take(load: Load, userId: number, signal: AbortSignal): Promise<Disposable> {
    const permit = this.#semaphores[load].tryAcquire(userId) ??
      await this.#wait(load, userId, signal);
    if (load === "request") await this.#begin(userId);
    return permit;
  }

  async #wait(load: Load, userId: number, signal: AbortSignal): Promise<Disposable> {
    const semaphore = this.#semaphores[load];
    const waits = load !== "stream" && semaphore.waitingOf(userId) < MAX_WAITING_OF_USER;
    if (!waits) throw this.#refusal(load, userId);
    const late = AbortSignal.timeout(this.#waitMs);
    try {
      return await semaphore.acquire(AbortSignal.any([signal, late]), userId);
    } catch (error) {
      if (signal.aborted) throw error;
      throw this.#refusal(load, userId);
    }
  }

  /** Waits for a turn of the event loop in which few requests of the user have begun. */
  async #begin(userId: number): Promise<void> {
    for (let begun; (begun = this.#begun.get(userId)) !== undefined;) {
      if (begun.count < MAX_BEGUN_PER_LOOP) return void begun.count++;
      await begun.nextLoop;
    }
    const { promise: nextLoop, resolve } = Promise.withResolvers<void>();
    this.#begun.set(userId, { count: 1, nextLoop });
    setImmediate(() => {
      this.#begun.delete(userId);
      resolve();
    });
  }

  #refusal(load: Load, userId: number): RetryLater {
    const { max, name } = LIMITS[load];
    const retryAfterS = Math.ceil(this.#waitMs / 1000);
    return this.#semaphores[load].heldBy(userId) >= max / 4
      ? new RetryLater("ErrTooManyRequests", `More than ${max / 4} ${name} at once`, retryAfterS)
      : new RetryLater("ErrUnavailable", `The server has too many ${name} at once`, retryAfterS);
  }
}

/** Middleware that serves a request when it is its turn, and ends the turn after the reply. */
export function takeTurn(turns: Turns, load: Load): MiddlewareHandler<AppEnvironment> {
  return async function takeTurn(c, next) {
    // The signal is read at once: one that is read after the client has gone never aborts (Deno 2.9.6).
    await whenDelivered(c, await turns.take(load, callerOf(c).userId, c.req.raw.signal), next);
  };
}

/** Serves a request, and disposes of what it holds when its reply has been read. */
export async function whenDelivered(
  c: Context<AppEnvironment>,
  held: Disposable,
  serve: () => Promise<void>,
): Promise<void> {
  let delivery: Promise<unknown> | undefined;
  try {
    await serve();
    delivery = c.get("delivery");
  } finally {
    if (delivery === undefined) held[Symbol.dispose]();
    else delivery.then(() => held[Symbol.dispose]());
  }
}
