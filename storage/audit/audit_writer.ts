import { type AuditEntry, auditLine, type AuditLog } from "../../core/audit.ts";
import { MIB } from "../../schemas/units.ts";

/** How often lines that wait are written again, and those that were written are synced, in milliseconds. */
const INTERVAL_MS = 1000;
/** Lines of at most this size together wait while they cannot be written. */
const MAX_WAITING_BYTES = MIB;

/** Where the lines of the audit log go. */
export interface AuditSink {
  /** Appends whole lines. @throws {Error} when they may not all have been written. */
  append(lines: Uint8Array): void;
  /** Makes durable what was appended. Called each second, so that a log that was renamed is left. */
  sync(): Promise<void>;
  close(): void;
}

export interface AuditWriterOptions {
  readonly sink: AuditSink;
  /** Called when lines cannot be written, and again when more would wait than can. */
  readonly onFailure: (message: string, error: Error) => void;
  /** Where lines that still wait go when the log is closed. */
  readonly writeElsewhere: (lines: string) => void;
  /** @default 1048576 */
  readonly maxWaitingBytes?: number;
}

/**
 * Writes the audit log. A line is written before {@link write} returns. If that fails, it waits in memory
 * until it can be written, and changes are refused once more would wait than `maxWaitingBytes`. Refusals
 * are recorded even then: those for which there is no space are counted in a line of their own.
 */
export class AuditWriter implements AuditLog, AsyncDisposable {
  readonly #options: AuditWriterOptions;
  readonly #maxWaitingBytes: number;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #encoder = new TextEncoder();
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** How many entries had no space to wait. */
  #lost = 0;
  #isFailing = false;
  #syncing: Promise<void> = Promise.resolve();

  constructor(options: AuditWriterOptions) {
    this.#options = options;
    this.#maxWaitingBytes = options.maxWaitingBytes ?? MAX_WAITING_BYTES;
    this.#timer = setInterval(() => this.#keepUp(), INTERVAL_MS);
    Deno.unrefTimer(this.#timer);
  }

  get isBlocked(): boolean {
    return this.#waitingBytes > this.#maxWaitingBytes;
  }

  write(...entries: readonly AuditEntry[]): void {
    const time = new Date();
    if (this.isBlocked) {
      this.#lost += entries.length;
    } else {
      const lines = entries.map((entry) => `${auditLine(entry, time)}\n`).join("");
      const bytes = this.#encoder.encode(lines);
      this.#waiting.push(bytes);
      this.#waitingBytes += bytes.length;
    }
    this.#flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#flush();
    await this.#syncing;
    await this.#sync();
    this.#options.sink.close();
    if (this.#waiting.length === 0) return;
    const lost = this.#lost > 0 ? auditLine(this.#lostEntry(), new Date()) : "";
    this.#options.writeElsewhere(
      this.#waiting.map((bytes) => new TextDecoder().decode(bytes)).join("") + lost,
    );
  }

  #keepUp(): void {
    if (this.#waiting.length > 0) this.#flush();
    this.#syncing = this.#syncing.then(() => this.#sync());
  }

  #flush(): void {
    try {
      for (let bytes = this.#waiting[0]; bytes !== undefined; bytes = this.#waiting[0]) {
        this.#options.sink.append(bytes);
        this.#waiting.shift();
        this.#waitingBytes -= bytes.length;
      }
      this.#isFailing = false;
      if (this.#lost === 0) return;
      const entry = this.#lostEntry();
      this.#lost = 0;
      this.write(entry);
    } catch (error) {
      this.#fail("Cannot write to the audit log; its lines wait in memory", error);
    }
  }

  async #sync(): Promise<void> {
    try {
      await this.#options.sink.sync();
    } catch (error) {
      this.#fail("Cannot sync the audit log", error);
    }
  }

  #fail(message: string, error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#options.onFailure(message, error instanceof Error ? error : new Error(String(error)));
  }

  #lostEntry(): AuditEntry {
    return { action: "audit.lost", outcome: "ErrInternal", details: { entries: this.#lost } };
  }
}
