import type { Caller } from "../caller.ts";
import type { ResumableUpload, UploadStore } from "../uploads.ts";
import type { Tree } from "./changes.ts";
import { invalidUpload } from "./placement.ts";
import { quotaOf, tooManyBytes } from "./quota.ts";
import { refuseOversized } from "./upload_size.ts";

/**
 * The upload with the size that its client states, if it had none.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it has another size, or has received more,
 *   `ErrUploadsTooLarge`, `ErrResourcesQuotaExceeded`, `ErrInternal` when the disk has no room for it.
 */
export async function withSize(
  { tree, store }: { readonly tree: Tree; readonly store: Pick<UploadStore, "fix"> },
  { caller, upload, size }: { caller: Caller; upload: ResumableUpload; size: number | undefined },
): Promise<ResumableUpload> {
  if (size === undefined || (size === upload.size && !upload.deferred)) return upload;
  if (!upload.deferred || size < upload.received) {
    throw invalidUpload(`Upload-Length is ${size}, but the upload has ${upload.size} bytes`);
  }
  refuseOversized(tree, upload.path, size);
  await tree.blobs.requireSpace(size - upload.received);
  const quota = quotaOf(tree, caller);
  if (!await store.fix(upload, size, quota)) throw tooManyBytes("upload", quota ?? 0);
  return { ...upload, size, deferred: false };
}
