import { ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { S3Metadata } from "../../schemas/s3_metadata.ts";
import type { ResourceRecord } from "../ports.ts";
import { storing } from "../tree/placement.ts";
import { Staging, type StoredFiles } from "../tree/staging.ts";
import { conditionOf, type StoreRequest } from "./condition.ts";
import type { S3Service } from "./service.ts";

/** A request to copy an object within its tree (C 30). */
export interface CopyObjectRequest extends StoreRequest {
  /** A file of the tree. */
  readonly source: ResourceRecord;
  /** What the copy has. */
  readonly metadata: S3Metadata;
}

/**
 * Copies an object to another path of its tree, or gives it other metadata, in one change. The content is shared.
 * The gate is asked, as the copy could be read under a name that waits for no scan.
 *
 * @throws {AppError} `ErrResourcesQuarantined`, `ErrResourcesNotFound` when the source was just changed, and as
 *   storing a file does.
 */
export async function copyObject(
  s3: S3Service,
  request: CopyObjectRequest,
): Promise<StoredFiles> {
  const { tree } = s3;
  const { caller, source, path, metadata } = request;
  await tree.gate?.admit(source);
  const { requireCondition } = await conditionOf(s3, request);
  const decide = storing({ caller, path, requireCondition });
  const { hash, size, crc32 } = source;
  await using staging = new Staging(tree, {
    caller,
    mayReplace: true,
    decide: (_file, found) => decide(found),
    async alongside(transaction) {
      const scope = { userId: ownerOf(caller), everyone: false };
      const found = (await transaction.findByPath(scope, [source.path])).get(source.path);
      if (found?.hash === hash) {
        return { changes: [], files: [{ path, blob: { hash, size, crc32 } }] };
      }
      throw new AppError(
        "ErrResourcesNotFound",
        `Cannot copy ${quoted(source.path)}: it was just changed`,
      );
    },
    facts: () => ({ etag: undefined, metadata }),
  });
  return await staging.store([], { besides: [path] });
}
