import type { DueObject, ObjectTable } from "../object_table.ts";
import type { Bucket } from "./bucket.ts";
import { isRefused, isTransient } from "./failures.ts";

/** How often leaving objects are looked for. */
const INTERVAL_MS = 10_000;
/** How soon after a removal, which has yet to be committed. */
const SOON_MS = 250;
/**
 * When an object is deleted for the second time: what a server that is gone has sent before may arrive
 * after the first time.
 */
const SECOND_MS = 60 * 60_000;
/** How long a store is not asked for unfinished uploads that does not tell them. */
const REFUSAL_MS = 60 * 60_000;
const MAX_OBJECTS = 100;
const MAX_AT_ONCE = 4;

export interface RemovalParts {
  readonly bucket: Bucket;
  readonly objects: ObjectTable;
  /** Called with what keeps objects from being deleted. They are tried again. */
  readonly onFailure: (error: unknown) => void;
  /** Called with what the store does not allow, without which the rest goes on. */
  readonly onLack: (error: Error) => void;
  /** @default an hour */
  readonly secondMs?: number | undefined;
}

/**
 * Deletes the objects that are leaving, twice, and ends unfinished uploads of them.
 * See docs/design/content_in_objects.md.
 */
export class Removals implements AsyncDisposable {
  readonly #parts: RemovalParts;
  /** How many readers each object has here. */
  readonly #readers = new Map<string, number>();
  /** Objects of failed uploads, until the database knows. */
  readonly #failed = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #next = Infinity;
  #nextExpiry = 0;
  /** Before, unfinished uploads are left to a rule of the bucket. */
  #nextListing = 0;
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

  /** Gives up an object that is not to be published. If the database fails, that is tried again later. */
  readonly giveUp = async (key: string): Promise<void> => {
    this.#failed.add(key);
    try {
      await this.#giveUpFailed();
    } catch (error) {
      this.#parts.onFailure(error);
    }
    this.soon();
  };

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

  /** Runs after a time at the latest. */
  #schedule(ms: number): void {
    const next = performance.now() + ms;
    if (this.#closed || next >= this.#next) return;
    clearTimeout(this.#timer);
    this.#next = next;
    this.#timer = setTimeout(async () => {
      this.#next = Infinity;
      await this.run();
      this.#schedule(INTERVAL_MS);
    }, ms);
  }

  async #run(): Promise<void> {
    try {
      await this.#giveUpFailed();
      await this.#expire();
      await this.#deleteDue();
    } catch (error) {
      this.#parts.onFailure(error);
    }
  }

  async #giveUpFailed(): Promise<void> {
    const keys = [...this.#failed];
    if (keys.length === 0) return;
    await this.#parts.objects.giveUp(keys);
    for (const key of keys) this.#failed.delete(key);
  }

  async #expire(): Promise<void> {
    const now = performance.now();
    if (now < this.#nextExpiry) return;
    await this.#parts.objects.expire();
    this.#nextExpiry = now + INTERVAL_MS;
  }

  async #deleteDue(): Promise<void> {
    const { objects, onFailure } = this.#parts;
    for (let goesOn = true; goesOn;) {
      const due = await objects.due(Date.now(), MAX_OBJECTS);
      const free = due.filter(({ key }) => !this.#readers.has(key));
      const failures: unknown[] = [];
      for (let at = 0; at < free.length; at += MAX_AT_ONCE) {
        if (this.#closed) return;
        failures.push(...await this.#deleteAll(free.slice(at, at + MAX_AT_ONCE)));
      }
      if (failures.length > 0) onFailure(failures[0]);
      // Those that were not deleted are due again later, after all others.
      goesOn = due.length === MAX_OBJECTS && failures.length < free.length;
    }
  }

  /**
   * Deletes objects. One that the store does not delete keeps no other from being deleted.
   *
   * @returns why some were not deleted.
   * @throws {S3Failure} when the store is away.
   */
  async #deleteAll(batch: readonly DueObject[]): Promise<unknown[]> {
    const { objects, secondMs = SECOND_MS } = this.#parts;
    const results = await Promise.allSettled(batch.map((object) => this.#delete(object)));
    const deleted = batch.filter((_, index) => results[index]?.status === "fulfilled");
    if (deleted.length > 0) await objects.deleted(deleted, Date.now() + secondMs);
    const failures = results.filter((it) => it.status === "rejected").map(({ reason }) => reason);
    if (failures.length === batch.length && failures.every(isTransient)) throw failures[0];
    return failures;
  }

  async #delete({ key }: DueObject): Promise<void> {
    await this.#abortUploads(key);
    await this.#parts.bucket.delete(key);
  }

  async #abortUploads(key: string): Promise<void> {
    if (performance.now() < this.#nextListing) return;
    try {
      await this.#parts.bucket.abortUploads(key);
    } catch (error) {
      if (!isRefused(error)) throw error;
      if (performance.now() < this.#nextListing) return;
      this.#nextListing = performance.now() + REFUSAL_MS;
      const message =
        "Unfinished uploads are not ended, only by a rule of the bucket if it has one";
      this.#parts.onLack(new Error(`${message}: ${error.message}`, { cause: error }));
    }
  }
}
