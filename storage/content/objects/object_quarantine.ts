import type { ContentAmount, ContentRemoval } from "../../../core/content_changes.ts";
import type { Quarantine } from "../../../core/upkeep/ports.ts";
import type { ObjectTable } from "../object_table.ts";

const KEPT_MS = 7 * 24 * 60 * 60_000;
const BATCH_HASHES = 500;

/** Keeps content that no record had in a table: its objects stay where they are (C 22). */
export class ObjectQuarantine implements Quarantine {
  readonly #objects: ObjectTable;
  readonly #onExpiry: () => void;

  /** @param onExpiry Called when objects are leaving. */
  constructor(objects: ObjectTable, onExpiry: () => void) {
    this.#objects = objects;
    this.#onExpiry = onExpiry;
  }

  async take(hashes: readonly string[], { contents }: ContentRemoval): Promise<ContentAmount> {
    return await contents.quarantine(hashes);
  }

  giveBack(hashes: readonly string[]): Promise<ContentAmount> {
    return this.#objects.giveBack(hashes);
  }

  async *hashes(): AsyncGenerator<readonly string[]> {
    for (let after = "";;) {
      const hashes = await this.#objects.quarantined(after, BATCH_HASHES);
      const last = hashes.at(-1);
      if (last === undefined) return;
      yield hashes;
      after = last;
    }
  }

  async removeExpired(now: number): Promise<ContentAmount> {
    const removed = await this.#objects.removeQuarantined(now - KEPT_MS);
    if (removed.count > 0) this.#onExpiry();
    return removed;
  }
}
