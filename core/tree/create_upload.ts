import { randomBytes } from "node:crypto";
import type { OnConflict } from "../../schemas/resources.ts";
import { type Caller, ownerOf, requirePermission } from "../caller.ts";
import { parentOf, refuseUncreatable } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { PartPlace, ResumableUpload } from "../uploads.ts";
import type { Tree } from "./changes.ts";
import { refuseOversized } from "./upload_size.ts";
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
  /** Sanitized; undefined for a part of another upload, which becomes no file of its own. */
  readonly path: string | undefined;
  /** The size of the whole file in bytes; undefined if a later request states it. */
  readonly size: number | undefined;
  /** The SHA-256 that the content must have, in lower-case hex. */
  readonly sha256: string | undefined;
  readonly onConflict: OnConflict;
  /** As the client sent it. */
  readonly metadata: string;
  /** See `ResumableUpload.concat`. */
  readonly concat: string;
  /** How many unfinished uploads of its kind the tree may have. @default 1000 */
  readonly maxUnfinished?: number;
  /** Which part of another upload it is. @default none */
  readonly place?: PartPlace;
  /** The whole uploads that it is joined from. @default none */
  readonly parts?: readonly ResumableUpload[];
}

/**
 * Creates an upload that can be resumed. Whatever can be refused without the content is refused here.
 *
 * @throws {AppError} `ErrUploadsTooLarge` when the file is too large, `ErrNotPermitted` when the caller may
 *   not replace files, `ErrResourcesAlreadyExists` when the path is taken, `ErrResourcesQuotaExceeded` when
 *   the tree would exceed its quota, `ErrResourcesInvalidRequest` when it has too many unfinished uploads,
 *   `ErrResourcesRefused` when the policy refuses it, `ErrInternal` when the disk has no room for the file.
 */
export async function createUpload(
  { tree, store, parts, locks, expiryMs }: UploadService,
  { path: given, size: stated, parts: joined = [], ...request }: CreateUploadRequest,
): Promise<ResumableUpload> {
  const { caller, sha256, onConflict, metadata, concat, place, maxUnfinished = MAX_UNFINISHED } =
    request;
  const id = randomBytes(ID_BYTES).toString("hex");
  const path = given ?? id;
  const size = stated ?? 0;
  refuseUncreatable(path);
  if (onConflict === "replace") requirePermission(caller, "resources.edit");
  refuseOversized(tree, path, size);
  if (given !== undefined) {
    tree.policy?.refuseUpload({ userId: ownerOf(caller), path, size: stated });
  }
  const userId = ownerOf(caller);
  const found = given === undefined
    ? undefined
    : await findConflict(tree, { userId, path, onConflict });
  // The first part stays where it is.
  await tree.blobs.requireSpace(size - (joined[0]?.size ?? 0));
  const now = Date.now();
  const upload = {
    id,
    userId,
    createdBy: caller.userId,
    path,
    size,
    deferred: stated === undefined,
    concat,
    sha256,
    onConflict,
    metadata,
    createdAt: now,
    expiresAt: now + expiryMs,
  };
  const quota = quotaOf(tree, caller);
  const replacedBytes = joined.reduce(
    (bytes, part) => bytes + part.size,
    onConflict === "error" ? 0 : found?.size ?? 0,
  );
  const bounds = { maxUnfinished, quota, replacedBytes };
  // Until the upload has a part, a start must not take it for one that has lost it.
  using _lock = await locks.acquire(upload.id, () => {});
  const outcome = await store.add(upload, bounds);
  if (outcome === "overQuota") throw tooManyBytes("upload", quota ?? 0);
  if (outcome === "tooMany") {
    throw invalidUpload(
      `the tree has ${maxUnfinished} unfinished uploads; end some, or wait until they expire`,
    );
  }
  try {
    await parts.create(upload.id, place);
  } catch (error) {
    await store.remove(upload.id);
    throw error;
  }
  return { ...upload, received: 0, completedAt: null };
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
