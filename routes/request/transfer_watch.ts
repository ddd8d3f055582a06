import { afterTurn } from "../../core/event_loop.ts";
import { KIB, MIB } from "../../schemas/units.ts";

/** How long a peer may take for {@link MIN_BYTES}, in milliseconds, not counting waits for this server. */
const WINDOW_MS = 60_000;
/** What a peer must take or send in that time: about 1 KiB a second. */
const MIN_BYTES = 60 * KIB;
/**
 * What a peer may take before the next write is possible: the system lets a program write when a third of
 * its buffer is free, and that buffer has up to 4 MiB.
 */
const MAX_UNSEEN_BYTES = 1.5 * MIB;
/** What a peer is expected to take of that in a window: about 10 KiB a second. */
const UNSEEN_BYTES_PER_WINDOW = 10 * MIN_BYTES;
/** How often a window is looked at, as one timer for each wait would take longer than a transfer. */
const CHECKS = 8;

export interface WatchOptions {
  /** @default 60000 */
  readonly windowMs?: number | undefined;
  /**
   * Whether bytes count as moved once the system has buffered them, although the peer has yet to take
   * them. It gets time for that. @default false
   */
  readonly isBuffered?: boolean;
  /** Called once when the peer is too slow, with the reason. */
  readonly onSlow: (reason: string) => void;
}

/** Watches a transfer whose other end may stall, or be so slow that it only holds resources. */
export class TransferWatch {
  readonly #windowMs: number;
  readonly #isBuffered: boolean;
  readonly #onSlow: WatchOptions["onSlow"];
  /** Undefined while no wait has lasted: most bodies are there at once, and a timer takes longer. */
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Whether the timer starts after this turn of the event loop, if the wait still lasts. */
  #isStarting = false;
  /** When the present wait for the peer began. */
  #since: number | undefined;
  /** How long the peer has been waited for in this window. */
  #waited = 0;
  #bytes = 0;
  #allBytes = 0;
  #hasEnded = false;

  constructor({ windowMs = WINDOW_MS, isBuffered = false, onSlow }: WatchOptions) {
    this.#windowMs = windowMs;
    this.#isBuffered = isBuffered;
    this.#onSlow = onSlow;
  }

  /** It is up to the peer to take or send something. */
  wait(): void {
    if (this.#hasEnded) return;
    this.#since = performance.now();
    if (this.#timer !== undefined || this.#isStarting) return;
    this.#isStarting = true;
    afterTurn(() => this.#start());
  }

  /** The peer has taken or sent bytes. */
  moved(bytes: number): void {
    this.#waited = this.#total();
    this.#since = undefined;
    this.#bytes += bytes;
    this.#allBytes += bytes;
    if (this.#bytes >= MIN_BYTES) this.#waited = this.#bytes = 0;
  }

  /** Ends the watch for good. */
  end(): void {
    clearInterval(this.#timer);
    this.#hasEnded = true;
  }

  #start(): void {
    this.#isStarting = false;
    if (this.#hasEnded || this.#since === undefined) return;
    this.#timer = setInterval(() => this.#check(), this.#windowMs / CHECKS);
  }

  #check(): void {
    if (this.#since === undefined || this.#total() < this.#allowedMs) return;
    this.end();
    const seconds = Math.round(this.#allowedMs) / 1000;
    this.#onSlow(
      this.#bytes === 0 ? `no data for ${seconds} s` : `${this.#bytes} bytes in ${seconds} s`,
    );
  }

  get #allowedMs(): number {
    if (!this.#isBuffered) return this.#windowMs;
    const unseen = Math.min(this.#allBytes / 3, MAX_UNSEEN_BYTES);
    return this.#windowMs * (1 + unseen / UNSEEN_BYTES_PER_WINDOW);
  }

  #total(): number {
    return this.#since === undefined
      ? this.#waited
      : this.#waited + performance.now() - this.#since;
  }
}
