import type { StagedBlob } from "../../core/blob_store.ts";
import type { ContentRow } from "../../core/content_changes.ts";
import { isTurnOver, takeTurn } from "../../core/event_loop.ts";
import { MIB } from "../../schemas/units.ts";
import { StagedSmallBlob } from "./staged_small_blob.ts";

/** Rows are passed to the database in batches of about this size. */
const MAX_BATCH_BYTES = 4 * MIB;
const MAX_BATCH_ROWS = 500;

/** Staged content, and what the database is to keep of it. */
export interface BlobRow {
  readonly blob: StagedBlob;
  readonly row: ContentRow;
}

/**
 * What the database is to keep of staged content, in bounded batches.
 *
 * @param rowOfLarge The row of content that is not small.
 */
export async function* rowBatches(
  staged: readonly StagedBlob[],
  rowOfLarge: (blob: StagedBlob) => ContentRow | Promise<ContentRow>,
): AsyncGenerator<readonly BlobRow[]> {
  let batch: BlobRow[] = [];
  let bytes = 0;
  for (const blob of staged) {
    if (isTurnOver()) await takeTurn();
    const row = blob instanceof StagedSmallBlob
      ? { ...blob.digest, bytes: await blob.read() }
      : await rowOfLarge(blob);
    batch.push({ blob, row });
    bytes += row.bytes?.length ?? 0;
    if (bytes < MAX_BATCH_BYTES && batch.length < MAX_BATCH_ROWS) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
