import { randomBytes } from "node:crypto";
import type { OnConflict } from "../../schemas/resources.ts";
import { formatBytes } from "../../schemas/units.ts";
import { type Caller, ownerOf, requirePermission } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { nameOf, parentOf, refuseUncreatable } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { ResumableUpload } from "../uploads.ts";
import type { Tree } from "./changes.ts";
import { chainOf, missingDirectories } from "./directories.ts";
import { quotaOf, tooManyBytes } from "./quota.ts";
import type { UploadService } from "./resumable_upload.ts";
import { alreadyExists, invalidUpload } from "./placement.ts";

/** The most unfinished uploads of a tree: each one takes a file, and a request looks at all of them. */
const MAX_UNFINISHED = 1000;
/** The length of an id in bytes: 128 random bits. */
const ID_BYTES = 16;

/** A request for an upload that can be resumed (C 21). */
export interface CreateUploadRequest {
  readonly caller: Caller;
  /** Sanitized. */
  readonly path: string;
  /** The size of the whole file in bytes. */
  readonly size: number;
  /** The SHA-256 that the content must have, in lower-case hex. */
  readonly sha256: string | undefined;
  readonly onConflict: OnConflict;
  /** As the client sent it. */
  readonly metadata: string;
}

/**
 * Creates an upload that can be resumed. Whatever can be refused without the content is refused here.
 *
 * @throws {AppError} `ErrUploadsTooLarge` when the file is too large, `ErrNotPermitted` when the caller may
 *   not replace files, `ErrResourcesAlreadyExists` when the path is taken, `ErrResourcesQuotaExceeded` when
 *   the tree would exceed its quota, `ErrResourcesInvalidRequest` when it has too many unfinished uploads,
 *   `ErrInternal` when the disk has no room for the file.
 */
export async function createUpload(
  { tree, store, parts, locks, expiryMs }: UploadService,
  { caller, path, size, sha256, onConflict, metadata }: CreateUploadRequest,
): Promise<ResumableUpload> {
  refuseUncreatable(path);
  if (onConflict === "replace") requirePermission(caller, "resources.edit");
  refuseOversized(tree, path, size);
  const userId = ownerOf(caller);
  const found = await findConflict(tree, { userId, path, onConflict });
  tree.blobs.requireSpace(size);
  const now = Date.now();
  const upload = {
    id: randomBytes(ID_BYTES).toString("hex"),
    userId,
    createdBy: caller.userId,
    path,
    size,
    sha256,
    onConflict,
    metadata,
    createdAt: now,
    expiresAt: now + expiryMs,
  };
  const quota = quotaOf(tree, caller);
  const replacedBytes = onConflict === "error" ? 0 : found?.size ?? 0;
  const bounds = { maxUnfinished: MAX_UNFINISHED, quota, replacedBytes };
  // Until the upload has a part, a start must not take it for one that has lost it.
  using _lock = await locks.acquire(upload.id, () => {});
  const outcome = await store.add(upload, bounds);
  if (outcome === "overQuota") throw tooManyBytes("upload", quota ?? 0);
  if (outcome === "tooMany") {
    throw invalidUpload(
      `the tree has ${MAX_UNFINISHED} unfinished uploads; end some, or wait until they expire`,
    );
  }
  try {
    await parts.create(upload.id);
  } catch (error) {
    await store.remove(upload.id);
    throw error;
  }
  return { ...upload, received: 0, completedAt: null };
}

/** The largest file that an upload may have, in bytes. */
export function maxUploadSize({ limits }: Pick<Tree, "limits">): number {
  return Math.min(limits.maxUploadFileSize, limits.maxUploadTotalSize);
}

function refuseOversized(tree: Tree, path: string, size: number): void {
  const max = maxUploadSize(tree);
  if (size <= max) return;
  throw new AppError(
    "ErrUploadsTooLarge",
    `Cannot upload: ${quoted(nameOf(path))} is larger than ${
      formatBytes(max)
    } (STRONGROOM_MAX_UPLOAD_FILE_SIZE)`,
  );
}

/** The record at the path, if the upload may replace it or have the same content. */
async function findConflict(
  tree: Tree,
  { userId, path, onConflict }: { userId: number; path: string; onConflict: OnConflict },
): Promise<ResourceRecord | undefined> {
  const found = await tree.records.findByPath({ userId, everyone: false }, chainOf(path));
  missingDirectories({ userId, path: parentOf(path), now: 0 }, found);
  const record = found.get(path);
  if (record?.isDir) throw alreadyExists(path, "it is a directory");
  if (record !== undefined && onConflict === "error") throw alreadyExists(path, "it exists");
  return record;
}
