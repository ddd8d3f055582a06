import type { Chunk } from "../../core/content.ts";
import { SPARE_MEMORY } from "../../core/spare_memory.ts";

/**
 * Chunks that are being written and hashed while the next ones come in. With half as many, the thread that
 * computes the MD5 runs out of work whenever another one waits for a processor.
 */
const MAX_PENDING = 8;

/** The pending chunks of all uploads, and the number of uploads that have any. */
let pendingOfAll = 0;
let pendingUploads = 0;

/**
 * The chunks of an upload that are being written and hashed. All uploads together have {@link MAX_PENDING},
 * of which each has its share, and each may have one in any case, so that memory grows little with their
 * number.
 */
export class PendingWrites {
  readonly #pending: Promise<void>[] = [];
  #failure: unknown;

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Begins to work on a chunk once few enough are pending. `work` returns the chunk, whose memory is reused.
   *
   * @throws the error of earlier work.
   */
  async add(work: () => Promise<Chunk>): Promise<void> {
    while (this.#hasShare()) await this.#pending[0];
    if (this.#failure !== undefined) throw this.#failure;
    pendingOfAll++;
    if (this.#pending.length === 0) pendingUploads++;
    const done = work()
      .then((chunk) => SPARE_MEMORY.keep(chunk))
      .catch((error) => {
        this.#failure ??= error;
      })
      .finally(() => {
        pendingOfAll--;
        this.#pending.splice(this.#pending.indexOf(done), 1);
        if (this.#pending.length === 0) pendingUploads--;
      });
    this.#pending.push(done);
  }

  /** Whether the upload has as many pending chunks as it may have. */
  #hasShare(): boolean {
    const { length } = this.#pending;
    return length > 0 && (pendingOfAll >= MAX_PENDING || length * pendingUploads >= MAX_PENDING);
  }

  /** Waits for all work, also for work that fails. */
  async ended(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /**
   * Waits for all work.
   *
   * @throws the error of work that has failed.
   */
  async settle(): Promise<void> {
    await this.ended();
    if (this.#failure !== undefined) throw this.#failure;
  }
}
