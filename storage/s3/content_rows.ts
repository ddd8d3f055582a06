import type { StagedBlob } from "../../core/blob_store.ts";
import type { ContentRow } from "../../core/content_changes.ts";
import { MIB } from "../../schemas/units.ts";
import { StagedSmallBlob } from "../blobs/staged_small_blob.ts";
import { StagedObject } from "./staged_object.ts";

/** Content rows are passed to the database in batches of this size. */
const MAX_BATCH_BYTES = 4 * MIB;

/** What is to be kept of staged content, in bounded batches. */
export async function* batches(
  staged: readonly StagedBlob[],
): AsyncGenerator<{ readonly blob: StagedBlob; readonly row: ContentRow }[]> {
  let batch: { blob: StagedBlob; row: ContentRow }[] = [];
  let bytes = 0;
  for (const blob of staged) {
    const row = await rowOf(blob);
    batch.push({ blob, row });
    bytes += row.bytes?.length ?? 0;
    if (bytes < MAX_BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

async function rowOf(blob: StagedBlob): Promise<ContentRow> {
  if (blob instanceof StagedSmallBlob) return { ...blob.digest, bytes: await blob.read() };
  if (!(blob instanceof StagedObject)) throw new TypeError("Not a blob of this store");
  return { ...blob.digest, bytes: undefined, object: blob.key, isNew: true };
}
