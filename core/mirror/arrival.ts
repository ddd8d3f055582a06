import type { ByteRange } from "../blob_store.ts";
import { type Chunk, ContentReader } from "../content.ts";
import { isWithin } from "../event_loop.ts";
import { MIB } from "../../schemas/units.ts";
import type { MirroredFile } from "./mirror.ts";
import type { Spool, SpoolReader } from "./ports.ts";
import type { MirrorStore } from "./store.ts";

/** The last part of a file, which nobody gets before all of it is known to be good. */
const HELD_BYTES = MIB;
/** The most bytes that a reader reads at once. */
const READ_BYTES = 256 * 1024;

export interface ArrivalOptions {
  readonly subject: MirroredFile;
  readonly store: MirrorStore;
  /** How long a reader that waits for the verdict gets nothing, in milliseconds. */
  readonly keepAliveMs: number;
}

/**
 * What has come in of a file, for those who read it meanwhile (C 28): all but its last part, which is held until the
 * whole is verified, scanned and accepted.
 * See docs/design/mirror.md.
 */
export class Arrival {
  readonly #options: ArrivalOptions;
  #spool: Spool | undefined;
  /** Readers that are about to open the spool. */
  readonly #opening = new Set<Promise<unknown>>();
  #bytes = 0;
  #isVerified = false;
  #isReleased = false;
  #failure: unknown;
  #changed = Promise.withResolvers<void>();
  /** Notes that readers get bytes that are not verified. */
  #noting: Promise<void> | undefined;
  #passedOnAt: number | undefined;

  constructor(options: ArrivalOptions) {
    this.#options = options;
  }

  /** How many bytes have come in. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What the entry of the file has as `passedOnAt` if no other fetch has passed on bytes that were never verified. */
  get passedOnAt(): number | undefined {
    return this.#passedOnAt;
  }

  /** Lets readers follow what is appended. */
  begin(spool: Spool): void {
    this.#spool = spool;
  }

  async append(spool: Spool, chunk: Chunk): Promise<void> {
    await spool.append(chunk);
    this.#bytes += chunk.length;
    this.#notify();
  }

  /** Says that what has come in is the file. */
  async verified(): Promise<void> {
    const { store, subject: { revision, file } } = this.#options;
    this.#isVerified = true;
    // A reader throws what it rejects with.
    await Promise.allSettled([this.#noting]);
    if (this.#passedOnAt !== undefined) await store.forgetPassedOn(revision.revision, file.path);
  }

  /** Lets readers have the last part. */
  release(): void {
    this.#isReleased = true;
    this.#notify();
  }

  /** Breaks readers off. */
  fail(error: unknown): void {
    this.#failure = error;
    this.#notify();
  }

  /** Ends what {@link begin} began: nobody opens the spool any more. Those who have do read on. */
  async close(): Promise<void> {
    this.#spool = undefined;
    await Promise.allSettled(this.#opening);
  }

  /** Resolves when a byte can be read, or the fetch has ended. */
  async hasBytesAt(start: number): Promise<void> {
    const isWaiting = () =>
      this.#failure === undefined && !this.#isReleased && this.#readable() <= start;
    while (isWaiting()) await this.#changed.promise;
  }

  /** What has arrived of a part of the file, and what is to come. Undefined once it has ended. */
  async read({ start, end }: ByteRange): Promise<ContentReader | undefined> {
    if (this.#spool === undefined) return undefined;
    // Before anybody has a byte, as whatever ends this server may leave it unverified.
    if (!this.#isVerified) await (this.#noting ??= this.#note());
    const spool = this.#spool;
    if (spool === undefined) return undefined;
    const opening = spool.read();
    this.#opening.add(opening);
    const reader = await opening.finally(() => this.#opening.delete(opening));
    let at = start;
    return new ContentReader(
      async () => {
        if (at >= end) return undefined;
        const chunk = await this.#next(reader, { start: at, end });
        at += chunk.length;
        return chunk;
      },
      () => reader[Symbol.dispose](),
    );
  }

  async #note(): Promise<void> {
    const { store, subject: { revision, file } } = this.#options;
    const now = Date.now();
    try {
      const isFirst = await store.notePassedOn(revision.revision, file.path, now);
      if (isFirst) this.#passedOnAt = now;
    } catch (error) {
      // The next reader tries again.
      this.#noting = undefined;
      throw error;
    }
  }

  /** Up to where readers may read. */
  #readable(): number {
    const { size } = this.#options.subject.file;
    return this.#isReleased ? size : Math.min(this.#bytes, size - HELD_BYTES);
  }

  async #next(reader: SpoolReader, { start, end }: ByteRange): Promise<Chunk> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const readable = Math.min(end, this.#readable());
      if (readable > start) {
        return await reader.bytes(start, Math.min(readable, start + READ_BYTES));
      }
      const isChanged = await isWithin(this.#changed.promise, this.#options.keepAliveMs);
      // One byte of what is held, never the last one.
      if (!isChanged && this.#bytes > start && end - start > 1) {
        return await reader.bytes(start, start + 1);
      }
    }
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
