import { type Caller, ownerOf, requirePermission } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { S3Metadata } from "../../schemas/s3_metadata.ts";
import type { ResourceRecord } from "../ports.ts";
import { alreadyExists } from "../tree/placement.ts";
import { Staging, type StoredFiles } from "../tree/staging.ts";
import type { S3Service } from "./service.ts";

/** A request to copy an object within its tree (C 30). */
export interface CopyObjectRequest {
  readonly caller: Caller;
  /** A file of the tree. */
  readonly source: ResourceRecord;
  /** Sanitized. */
  readonly path: string;
  /** What the copy has. */
  readonly metadata: S3Metadata;
  /** Throws if the request does not apply to the file at the path, or to there being none. */
  readonly requireCondition: (found: ResourceRecord | undefined) => void;
}

/**
 * Copies an object to another path of its tree, or gives it other metadata, in one change. The content is shared.
 * The gate is asked, as the copy could be read under a name that waits for no scan.
 *
 * @throws {AppError} `ErrResourcesQuarantined`, `ErrResourcesNotFound` when the source was just changed, and as
 *   storing a file does.
 */
export async function copyObject(
  { tree }: S3Service,
  { caller, source, path, metadata, requireCondition }: CopyObjectRequest,
): Promise<StoredFiles> {
  await tree.gate?.admit(source);
  const { hash, size, crc32 } = source;
  await using staging = new Staging(tree, {
    caller,
    mayReplace: true,
    decide(_file, found) {
      if (found?.isDir) throw alreadyExists(path, "it is a directory");
      requireCondition(found);
      if (found === undefined) return "add";
      requirePermission(caller, "resources.edit");
      return "replace";
    },
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
    async afterwards(transaction, files) {
      for (const file of files) await transaction.keepFacts(file, { etag: undefined, metadata });
    },
  });
  return await staging.store([], { besides: [path] });
}
