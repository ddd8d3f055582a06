import type { S3Metadata } from "../../schemas/s3_metadata.ts";
import type { Chunk } from "../content.ts";
import type { ResourceRecord } from "../ports.ts";
import type { ChangeSet } from "../tree/change_set.ts";
import { put } from "../tree/put.ts";
import { type Checksum, keptChecksum, type Received } from "./checksum.ts";
import { conditionOf, type StoreRequest } from "./condition.ts";
import type { S3Service } from "./service.ts";

/** A request to store an object (C 30). */
export interface PutObjectRequest extends StoreRequest {
  readonly content: AsyncIterable<Chunk>;
  readonly declaredSize: number;
  readonly metadata: S3Metadata;
  /**
   * Throws unless the content is what the client has sent. Returns the checksum that the object is to have.
   * Undefined for the one that each file has.
   */
  readonly verify: (received: Received) => Checksum | undefined;
}

/**
 * Stores an object with its metadata, in one change.
 *
 * @throws {AppError} as {@link put} does.
 */
export async function putObject(
  s3: S3Service,
  { metadata, verify, ...request }: PutObjectRequest,
): Promise<{ readonly changes: ChangeSet; readonly record: ResourceRecord }> {
  const { found, facts, requireCondition } = await conditionOf(s3, request);
  let kept = metadata;
  const { changes, files: [record] } = await put(s3.tree, {
    ...request,
    found,
    requireCondition,
    verify(received) {
      const checksum = keptChecksum(verify(received));
      if (checksum !== undefined) kept = { ...metadata, checksum };
    },
    facts() {
      const isEmpty = Object.values(kept).every((all) => Object.keys(all).length === 0);
      // Without a row, there is nothing to keep or to replace.
      return isEmpty && facts === undefined ? undefined : { etag: undefined, metadata: kept };
    },
  });
  if (record === undefined) throw new Error("The object has no record");
  return { changes, record };
}
