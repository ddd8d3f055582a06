import { KIB } from "../schemas/units.ts";

/** How long a peer may take for {@link MIN_BYTES}, in milliseconds, not counting waits for this server. */
const WINDOW_MS = 60_000;
/** What a peer must take or send in that time: about 1 KiB a second. */
const MIN_BYTES = 60 * KIB;
/** How often a window is looked at, as one timer for each wait would take longer than a transfer. */
const CHECKS = 8;

export interface WatchOptions {
  /** @default 60000 */
  readonly windowMs?: number | undefined;
  /** Called once when the peer is too slow, with the reason. */
  readonly onSlow: (reason: string) => void;
}

/** Watches a transfer whose other end may stall, or be so slow that it only holds resources. */
export class TransferWatch {
  readonly #windowMs: number;
  readonly #onSlow: WatchOptions["onSlow"];
  #timer: ReturnType<typeof setInterval> | undefined;
  /** When the present wait for the peer began. */
  #since: number | undefined;
  /** How long the peer has been waited for in this window. */
  #waited = 0;
  #bytes = 0;

  constructor({ windowMs = WINDOW_MS, onSlow }: WatchOptions) {
    this.#windowMs = windowMs;
    this.#onSlow = onSlow;
  }

  /** It is up to the peer to take or send something. */
  wait(): void {
    this.#since = performance.now();
    this.#timer ??= setInterval(() => this.#check(), this.#windowMs / CHECKS);
  }

  /** The peer has taken or sent bytes. */
  moved(bytes: number): void {
    this.#waited = this.#total();
    this.#since = undefined;
    this.#bytes += bytes;
    if (this.#bytes >= MIN_BYTES) this.#waited = this.#bytes = 0;
  }

  /** Ends the watch. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#since = undefined;
  }

  #check(): void {
    if (this.#since === undefined || this.#total() < this.#windowMs) return;
    this.end();
    const seconds = this.#windowMs / 1000;
    this.#onSlow(
      this.#bytes === 0 ? `no data for ${seconds} s` : `${this.#bytes} bytes in ${seconds} s`,
    );
  }

  #total(): number {
    return this.#since === undefined
      ? this.#waited
      : this.#waited + performance.now() - this.#since;
  }
}
