import type { ObjectTable } from "../ports/object_table.ts";
import type { Bucket } from "./bucket.ts";

/** How often leaving objects are looked for. */
const INTERVAL_MS = 10_000;
/** How soon after a removal, which has yet to be committed. */
const SOON_MS = 250;
/**
 * When an object is deleted for the second time: what a server that is gone has sent before may arrive
 * after the first time.
 */
const SECOND_MS = 60 * 60_000;
const MAX_OBJECTS = 100;
const MAX_AT_ONCE = 4;

export interface RemovalParts {
  readonly bucket: Bucket;
  readonly objects: ObjectTable;
  /** Called with what keeps objects from being deleted. They are tried again. */
  readonly onFailure: (error: unknown) => void;
  /** @default an hour */
  readonly secondMs?: number | undefined;
}

/** Deletes the objects that are leaving, twice, and ends unfinished uploads of them. */
export class Removals implements AsyncDisposable {
  readonly #parts: RemovalParts;
  /** How many readers each object has here. */
  readonly #readers = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: RemovalParts) {
    this.#parts = parts;
    this.#schedule(INTERVAL_MS);
  }

  /** Deletes what will be leaving in a moment. */
  soon(): void {
    this.#schedule(SOON_MS);
  }

  /** Keeps an object until the result is called: its reader may have to open it again. */
  hold(key: string): () => void {
    this.#readers.set(key, 1 + (this.#readers.get(key) ?? 0));
    return () => {
      const readers = this.#readers.get(key) ?? 0;
      if (readers > 1) this.#readers.set(key, readers - 1);
      else this.#readers.delete(key);
    };
  }

  /** Deletes what is leaving now. */
  run(): Promise<void> {
    return this.#running = this.#running.then(() => this.#run());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(ms: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      await this.run();
      this.#schedule(INTERVAL_MS);
    }, ms);
  }

  async #run(): Promise<void> {
    const { objects, onFailure, secondMs = SECOND_MS } = this.#parts;
    try {
      for (;;) {
        const due = await objects.due(Date.now(), MAX_OBJECTS);
        const free = due.filter((key) => !this.#readers.has(key));
        if (free.length === 0) return;
        for (let at = 0; at < free.length; at += MAX_AT_ONCE) {
          const keys = free.slice(at, at + MAX_AT_ONCE);
          await Promise.all(keys.map((key) => this.#delete(key)));
          await objects.deleted(keys, Date.now() + secondMs);
        }
        if (this.#closed || due.length < MAX_OBJECTS || free.length < due.length) return;
      }
    } catch (error) {
      onFailure(error);
    }
  }

  async #delete(key: string): Promise<void> {
    await this.#parts.bucket.abortUploads(key);
    await this.#parts.bucket.delete(key);
  }
}
