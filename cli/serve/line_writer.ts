import type { LogLevel } from "../../core/log.ts";

/** How long a line may wait, in milliseconds. */
const MAX_WAIT_MS = 20;
/** The most characters that wait. */
const MAX_WAITING = 65_536;

/**
 * Writes lines to stderr in batches: a system call for each takes as long as the rest of a small request.
 * Warnings and errors are written at once, with the lines before them. So are all lines when the process
 * exits or an exception ends it.
 */
export class LineWriter {
  readonly #print: (text: string) => void;
  #lines: string[] = [];
  #waiting = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param print Writes text and a line break. */
  constructor(print: (text: string) => void) {
    this.#print = print;
    for (const last of ["unload", "error", "unhandledrejection"]) {
      addEventListener(last, () => this.flush());
    }
  }

  readonly write = (line: string, level: LogLevel): void => {
    this.#lines.push(line);
    this.#waiting += line.length;
    const isUrgent = level === "warn" || level === "error";
    if (isUrgent || this.#waiting > MAX_WAITING) return this.flush();
    this.#timer ??= setTimeout(() => this.flush(), MAX_WAIT_MS);
  };

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    if (lines.length === 0) return;
    this.#lines = [];
    this.#waiting = 0;
    try {
      this.#print(lines.join("\n"));
    } catch {
      // The disk is full or the reader is gone. There is nowhere left to report that.
    }
  }
}
