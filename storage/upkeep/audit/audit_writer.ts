import { type AuditEntry, auditLine, type AuditLog } from "../../../core/audit.ts";
import { MIB } from "../../../schemas/units.ts";

/** How often lines that wait are written again, and those that were written are synced, in milliseconds. */
const INTERVAL_MS = 1000;
/** Lines of at most this size together wait while they cannot be written. */
const MAX_WAITING_BYTES = MIB;
/** How long a reply waits for its line, in milliseconds, while the disk does not answer. */
const PATIENCE_MS = 1000;
const STALLED = new Error("The disk does not answer");

/** What became of lines. */
export interface Appended {
  /** How many bytes were written, of lines that are whole. */
  readonly bytes: number;
  /** Why no more were; undefined if all were. */
  readonly error?: unknown;
}

/** Where the lines of the audit log go. */
export interface AuditSink {
  /** Appends whole lines. Called again after it has ended. */
  append(lines: Uint8Array): Promise<Appended>;
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

/** Lines that are written at once. */
interface Batch {
  readonly lines: Uint8Array[];
  /** Resolves when they have been written, or have to wait. */
  readonly settled: PromiseWithResolvers<void>;
}

/**
 * Writes the audit log, a batch of lines at a time, without a thread of JavaScript that waits for the disk.
 * What cannot be written waits in memory, and changes are refused once more would wait than
 * `maxWaitingBytes`. Refusals are recorded even then: those for which there is no space are counted in a line
 * of their own.
 * See docs/design/audit_log.md.
 */
export class AuditWriter implements AuditLog, AsyncDisposable {
  readonly #options: AuditWriterOptions;
  readonly #maxWaitingBytes: number;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #encoder = new TextEncoder();
  #waiting = emptyBatch();
  #waitingBytes = 0;
  /** How many entries had no space to wait. */
  #lost = 0;
  #isFailing = false;
  #isWriting = false;
  #isClosed = false;
  #writing: Promise<void> = Promise.resolve();
  #syncing: Promise<void> | undefined;

  constructor(options: AuditWriterOptions) {
    this.#options = options;
    this.#maxWaitingBytes = options.maxWaitingBytes ?? MAX_WAITING_BYTES;
    this.#timer = setInterval(() => {
      this.#flush();
      this.#sync();
    }, INTERVAL_MS);
    Deno.unrefTimer(this.#timer);
  }

  get isBlocked(): boolean {
    return this.#waitingBytes > this.#maxWaitingBytes;
  }

  write(...entries: readonly AuditEntry[]): Promise<void> {
    const time = new Date();
    if (this.isBlocked) {
      this.#lost += entries.length;
      return Promise.resolve();
    }
    const lines = entries.map((entry) => `${auditLine(entry, time)}\n`).join("");
    if (this.#isClosed) {
      // A request that a stop has cut off may still record what it did.
      this.#options.writeElsewhere(lines);
      return Promise.resolve();
    }
    const bytes = this.#encoder.encode(lines);
    const { settled } = this.#waiting;
    this.#waiting.lines.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#flush();
    return this.#isFailing ? Promise.resolve() : settled.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    this.#flush();
    await this.#writing;
    await this.#syncing;
    await this.#sync();
    this.#isClosed = true;
    await this.#writing;
    this.#options.sink.close();
    const { lines } = this.#waiting;
    if (lines.length === 0) return;
    const lost = this.#lost > 0 ? auditLine(this.#lostEntry(), new Date()) : "";
    this.#options.writeElsewhere(
      lines.map((bytes) => new TextDecoder().decode(bytes)).join("") + lost,
    );
  }

  /** Begins to write what waits, unless lines are being written: that goes on with it. */
  #flush(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#writing = this.#writeBatches();
  }

  async #writeBatches(): Promise<void> {
    try {
      while (
        this.#waiting.lines.length > 0 && await this.#writeWaiting()
      ) { /* and what came meanwhile */ }
    } finally {
      this.#isWriting = false;
    }
  }

  /** Writes what waits. Returns whether all of it was written. */
  async #writeWaiting(): Promise<boolean> {
    const batch = this.#waiting;
    this.#waiting = emptyBatch();
    const lines = joined(batch.lines);
    const late = setTimeout(() => this.#letGo(batch, STALLED), PATIENCE_MS);
    const { bytes, error } = await this.#options.sink.append(lines);
    clearTimeout(late);
    this.#waitingBytes -= bytes;
    if (bytes < lines.length) {
      this.#waiting.lines.unshift(lines.subarray(bytes));
      this.#letGo(batch, error);
      return false;
    }
    this.#isFailing = false;
    this.#recordLost();
    batch.settled.resolve();
    return true;
  }

  /** Adds the line that counts the entries for which there was no space. */
  #recordLost(): void {
    if (this.#lost === 0 || this.isBlocked) return;
    const entry = this.#lostEntry();
    this.#lost = 0;
    void this.write(entry);
  }

  /** Has nobody wait for lines that cannot be written now. */
  #letGo(batch: Batch, reason: unknown): void {
    this.#fail("Cannot write to the audit log; its lines wait in memory", reason);
    batch.settled.resolve();
    this.#waiting.settled.resolve();
  }

  /** Begins a sync, unless one is going on. */
  #sync(): Promise<void> {
    this.#syncing ??= this.#options.sink.sync()
      .catch((error) => this.#fail("Cannot sync the audit log", error))
      .finally(() => this.#syncing = undefined);
    return this.#syncing;
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

function emptyBatch(): Batch {
  return { lines: [], settled: Promise.withResolvers<void>() };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const piece of pieces) {
    bytes.set(piece, length);
    length += piece.length;
  }
  return bytes;
}
