import type { StagedBlob } from "../blob_store.ts";
import type { Chunk } from "../content.ts";
import type { ResourceRecord } from "../ports.ts";
import type { S3Metadata } from "../../schemas/s3_metadata.ts";
import type { ChangeSet } from "../tree/change_set.ts";
import { put } from "../tree/put.ts";
import { conditionOf, type StoreRequest } from "./condition.ts";
import type { S3Service } from "./service.ts";

/** A request to store an object (C 30). */
export interface PutObjectRequest extends StoreRequest {
  readonly content: AsyncIterable<Chunk>;
  readonly declaredSize: number;
  readonly metadata: S3Metadata;
  /** Throws unless the content is what the client has sent. */
  readonly verify: (received: Pick<StagedBlob, "hash" | "sha256" | "crc32">) => void;
}

/**
 * Stores an object with its metadata, in one change.
 *
 * @throws {AppError} as {@link put} does.
 */
export async function putObject(
  s3: S3Service,
  { metadata, ...request }: PutObjectRequest,
): Promise<{ readonly changes: ChangeSet; readonly record: ResourceRecord }> {
  const { found, facts, requireCondition } = await conditionOf(s3, request);
  const hasMetadata = Object.values(metadata).some((all) => Object.keys(all).length > 0);
  const { changes, files: [record] } = await put(s3.tree, {
    ...request,
    found,
    requireCondition,
    // Without a row, there is nothing to keep or to replace.
    ...((hasMetadata || facts !== undefined) && { facts: { etag: undefined, metadata } }),
  });
  if (record === undefined) throw new Error("The object has no record");
  return { changes, record };
}
