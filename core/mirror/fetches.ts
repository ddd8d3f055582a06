import { Semaphore } from "../semaphore.ts";
import { Throttle } from "../throttle.ts";
import { Fetch, tooMany } from "./fetch.ts";
import { type MirroredFile, type MirrorParts, pathOf } from "./mirror.ts";
import type { ScanEarly, Spools } from "./ports.ts";
import type { MirrorSpace } from "./space.ts";

/** How many files come in at once, and how many of those one user has asked for. */
const MAX_FETCHES = 16;
const MAX_OF_USER = 8;
/** How many files of one user wait for that. */
const MAX_WAITING = 64;
/** Clients ask again within seconds for what they wait for. */
const UNASKED_MS = 60_000;
/** Shorter than the time limits of clients, which are 10 s. */
const KEEP_ALIVE_MS = 4000;
const RETRY_MS = 250;

/** The reason when the server stops. */
const STOPPING = new DOMException("The server is stopping", "AbortError");

export interface FetchesOptions {
  readonly spools: Spools;
  readonly space: MirrorSpace;
  /** @default files are scanned when they have come in */
  readonly scanEarly?: ScanEarly | undefined;
  /** The most bytes that come in within a second. @default unlimited */
  readonly maxRate?: number | undefined;
  /** How long a reader that waits for the verdict gets nothing, in milliseconds. @default 4000 */
  readonly keepAliveMs?: number | undefined;
  /** The pause after the first cut, in milliseconds. @default 250 */
  readonly retryMs?: number | undefined;
  /** How long a file waits before it is forgotten if nobody asks for it, in milliseconds. @default 60 s */
  readonly unaskedMs?: number | undefined;
}

/** A file that comes in. */
export interface ComingIn extends MirroredFile {
  /** The user who has asked for it first. */
  readonly userId: number;
  /** How many bytes have come in. */
  readonly bytes: number;
}

/** The files that come in: each once, for any number of users (C 28). */
export class Fetches implements AsyncDisposable {
  readonly #parts: MirrorParts;
  readonly #options: FetchesOptions;
  readonly #throttle: Throttle;
  readonly #permits = new Semaphore(MAX_FETCHES, MAX_OF_USER);
  readonly #running = new Map<string, Fetch>();
  readonly #abort = new AbortController();

  constructor(parts: MirrorParts, options: FetchesOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#throttle = new Throttle(options.maxRate);
  }

  /** How many files come in now. */
  get running(): number {
    return this.#running.size;
  }

  /** The files that come in now, those first that were asked for first. */
  coming(): ComingIn[] {
    return [...this.#running.values()].map(({ subject, userId, arrival: { bytes } }) => ({
      ...subject,
      ...{ userId, bytes },
    }));
  }

  /**
   * The fetch of a file, which begins unless it is on its way.
   *
   * @throws {RetryLater} when too many files wait that the user has asked for.
   */
  of(subject: MirroredFile, userId: number): Fetch {
    const fetch = this.#running.get(pathOf(subject)) ?? this.#start(subject, userId);
    fetch.ask();
    return fetch;
  }

  #start(subject: MirroredFile, userId: number): Fetch {
    if (this.#permits.waitingOf(userId) >= MAX_WAITING) {
      throw tooMany("Too many files of another hub are asked for at once");
    }
    const path = pathOf(subject);
    const { spools, space, scanEarly } = this.#options;
    const { keepAliveMs = KEEP_ALIVE_MS, retryMs = RETRY_MS } = this.#options;
    const fetch = new Fetch(subject, {
      ...{ parts: this.#parts, spools, space, scanEarly, keepAliveMs, retryMs, userId },
      unaskedMs: this.#options.unaskedMs ?? UNASKED_MS,
      permits: this.#permits,
      throttle: this.#throttle,
      signal: this.#abort.signal,
    });
    this.#running.set(path, fetch);
    fetch.ended.catch(() => {}).finally(() => this.#running.delete(path));
    return fetch;
  }

  /** Ends what comes in. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort(STOPPING);
    await Promise.allSettled([...this.#running.values()].map(({ ended }) => ended));
  }
}
