import type { LogLevel } from "../core/log.ts";
import { sleepSync } from "../storage/threads/sleep_sync.ts";

/** How long a line may wait, in milliseconds. */
const MAX_WAIT_MS = 20;
/** The most characters of a batch that waits for that long. */
const MAX_BATCH = 65_536;
/** The most characters that wait for a reader of the log. Further lines are dropped. */
const MAX_WAITING = 1_048_576;
/** A reader that takes nothing for this long has stopped. */
const STOPPED_MS = 250;

/** Where the lines go. */
export type LineSink = Pick<typeof Deno.stderr, "write" | "writeSync">;

export interface LineWriterOptions {
  /** @default stderr */
  readonly sink?: LineSink;
  /** Called when lines can be written again, with how many were dropped. @default does nothing */
  readonly onDropped?: (lines: number) => void;
}

/**
 * Writes lines in batches: a system call for each takes as long as the rest of a small request. Warnings
 * and errors begin a batch at once. No thread of JavaScript waits for the reader of the log: while it does
 * not read, up to 1 MiB of lines wait, and those beyond are dropped and counted. When the process exits, or an
 * exception ends it, the lines that wait are written first, unless the reader has stopped.
 */
export class LineWriter {
  readonly #sink: LineSink;
  readonly #onDropped: (lines: number) => void;
  readonly #encoder = new TextEncoder();
  #lines: string[] = [];
  #waiting = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the sink has not taken of the batch that is being written, and since when it takes nothing. */
  #writing: { rest: Uint8Array; since: number; lines: number } | undefined;
  #dropped = 0;
  #reported = 0;

  constructor({ sink = Deno.stderr, onDropped = () => {} }: LineWriterOptions = {}) {
    this.#sink = sink;
    this.#onDropped = onDropped;
    for (const last of ["unload", "error", "unhandledrejection"]) {
      addEventListener(last, () => this.#writeNow());
    }
  }

  /** How many lines were dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  readonly write = (line: string, level: LogLevel): void => {
    if (this.#waiting + line.length > MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#lines.push(line);
    this.#waiting += line.length;
    const isUrgent = level === "warn" || level === "error";
    if (isUrgent || this.#waiting > MAX_BATCH) return this.#begin();
    this.#timer ??= setTimeout(() => this.#begin(), MAX_WAIT_MS);
  };

  /** Begins to write what waits, unless a batch is being written: that goes on with it. */
  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing === undefined && this.#lines.length > 0) void this.#writeBatches();
  }

  async #writeBatches(): Promise<void> {
    while (this.#lines.length > 0) {
      const batch = this.#writing = this.#takeBatch();
      try {
        while (batch.rest.length > 0) {
          batch.rest = batch.rest.subarray(await this.#sink.write(batch.rest));
          batch.since = performance.now();
        }
      } catch {
        // The disk is full or the reader is gone. There is nowhere left to report that but here, later.
        this.#dropped += batch.lines;
        break;
      } finally {
        this.#writing = undefined;
      }
      this.#report();
    }
  }

  #takeBatch(): { rest: Uint8Array; since: number; lines: number } {
    const lines = this.#lines;
    this.#lines = [];
    this.#waiting = 0;
    const rest = this.#encoder.encode(`${lines.join("\n")}\n`);
    return { rest, since: performance.now(), lines: lines.length };
  }

  #report(): void {
    const lines = this.#dropped - this.#reported;
    if (lines === 0) return;
    this.#reported = this.#dropped;
    this.#onDropped(lines);
  }

  /** Writes what waits by blocking calls: there is no later. */
  #writeNow(): void {
    if (this.#writing !== undefined) {
      if (performance.now() - this.#writing.since > STOPPED_MS) return;
      // Another thread is about to write that batch, which comes first.
      sleepSync(MAX_WAIT_MS);
    }
    if (this.#lines.length === 0) return;
    try {
      for (let { rest } = this.#takeBatch(); rest.length > 0;) {
        rest = rest.subarray(this.#sink.writeSync(rest));
      }
    } catch {
      // Nobody reads the log any more.
    }
  }
}
