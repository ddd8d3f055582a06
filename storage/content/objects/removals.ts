import type { DueObject, ObjectTable } from "../object_table.ts";
import type { Bucket } from "./bucket.ts";
import { isRefused, isTransient, S3Failure } from "./failures.ts";

/** How often leaving objects are looked for. */
const INTERVAL_MS = 10_000;
/** How soon after a removal, which has yet to be committed. */
const SOON_MS = 250;
/**
 * When an object is deleted for the second time: what a server that is gone has sent before may arrive
 * after the first time.
 */
const SECOND_MS = 60 * 60_000;
/** How long a store is not asked again for what it does not do. */
const REFUSAL_MS = 60 * 60_000;
/** How many objects are taken at a time: as many as one request may name, or fewer. */
const MAX_OBJECTS = 1000;
const MAX_SINGLE_OBJECTS = 100;
const MAX_AT_ONCE = 8;

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
  /** Before, each object is deleted by a request of its own. */
  #nextMany = 0;
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
      const limit = this.#mayNameMany ? MAX_OBJECTS : MAX_SINGLE_OBJECTS;
      const due = await objects.due(Date.now(), limit);
      const free = due.filter(({ key }) => !this.#readers.has(key));
      const { failures, rest } = await this.#deleteWhole(free);
      for (let at = 0; at < rest.length; at += MAX_AT_ONCE) {
        if (this.#closed) return;
        failures.push(...await this.#deleteEach(rest.slice(at, at + MAX_AT_ONCE)));
      }
      if (failures.length > 0) onFailure(failures[0]);
      // Those that were not deleted are due again later, after all others.
      goesOn = due.length === limit && failures.length < free.length;
    }
  }

  get #mayNameMany(): boolean {
    return performance.now() >= this.#nextMany;
  }

  /**
   * Deletes those objects by one request that are known to be whole. Returns why some were not deleted, and
   * those that it leaves to {@link #deleteEach}.
   */
  async #deleteWhole(
    due: readonly DueObject[],
  ): Promise<{ failures: unknown[]; rest: readonly DueObject[] }> {
    const { bucket, onLack } = this.#parts;
    const whole = due.filter(({ isWhole }) => isWhole);
    if (whole.length < 2 || !this.#mayNameMany) return { failures: [], rest: due };
    try {
      const failed = await bucket.deleteAll(whole.map(({ key }) => key));
      await this.#note(whole.filter(({ key }) => !failed.has(key)));
      return { failures: [...failed.values()], rest: due.filter(({ isWhole }) => !isWhole) };
    } catch (error) {
      if (!(error instanceof S3Failure) || isTransient(error)) throw error;
      this.#nextMany = performance.now() + REFUSAL_MS;
      const message = "Each object is deleted by a request of its own";
      onLack(new Error(`${message}: ${error.message}`, { cause: error }));
      return { failures: [], rest: due };
    }
  }

  /**
   * Deletes objects. One that the store does not delete keeps no other from being deleted.
   *
   * @returns why some were not deleted.
   * @throws {S3Failure} when the store is away.
   */
  async #deleteEach(batch: readonly DueObject[]): Promise<unknown[]> {
    const results = await Promise.allSettled(batch.map((object) => this.#delete(object)));
    await this.#note(batch.filter((_, index) => results[index]?.status === "fulfilled"));
    const failures = results.filter((it) => it.status === "rejected").map(({ reason }) => reason);
    if (failures.length === batch.length && failures.every(isTransient)) throw failures[0];
    return failures;
  }

  async #note(deleted: readonly DueObject[]): Promise<void> {
    const { objects, secondMs = SECOND_MS } = this.#parts;
    if (deleted.length > 0) await objects.deleted(deleted, Date.now() + secondMs);
  }

  async #delete({ key, isWhole }: DueObject): Promise<void> {
    if (!isWhole) await this.#abortUploads(key);
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
