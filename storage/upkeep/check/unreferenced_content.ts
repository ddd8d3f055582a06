import type { RecordAudit } from "../../tables/record_audit.ts";
import type { StoredFile } from "../../content/directory/blob_inventory.ts";
import type { StoredContents } from "./stored_contents.ts";

const INTERVAL_MS = 1000;
/** The server removes content within a second, or is seen to be removing some (C 5.4). */
const MAX_IDLE_INTERVALS = 5;
/** The most hashes of one query. */
const MAX_BATCH_HASHES = 1000;

export interface UnreferencedOptions {
  readonly audit: RecordAudit;
  readonly stored: StoredContents;
  readonly isServed: () => Promise<boolean>;
  /** Milliseconds since the Unix epoch. Content that a server has stored since then does not count. */
  readonly startedAt: number;
}

/**
 * Returns those of the hashes that have content but no record. With a server, content is without a
 * record for a moment before the commit of an upload and after that of a deletion: only what stays so
 * counts.
 */
export async function unreferencedContent(
  hashes: readonly string[],
  { audit, stored, isServed, startedAt }: UnreferencedOptions,
): Promise<string[]> {
  let found = await stillThere(hashes, () => true);
  if (found.length === 0 || !await isServed()) return found;
  found = await stillThere(found, ({ storedAt = Infinity }) => storedAt < startedAt);
  for (let idle = 0; idle < MAX_IDLE_INTERVALS && found.length > 0;) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    const left = await stillThere(found, () => true);
    idle = left.length < found.length ? 0 : idle + 1;
    found = left;
  }
  return found;

  async function stillThere(
    candidates: readonly string[],
    counts: (file: StoredFile) => boolean,
  ): Promise<string[]> {
    const left: string[] = [];
    for (let start = 0; start < candidates.length; start += MAX_BATCH_HASHES) {
      const batch = candidates.slice(start, start + MAX_BATCH_HASHES);
      const unreferenced = await audit.unreferenced(batch);
      for (const [hash, file] of await stored.findAll(unreferenced)) {
        if (counts(file)) left.push(hash);
      }
    }
    return left;
  }
}
