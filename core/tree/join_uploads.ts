import type { Caller } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { ResumableUpload } from "../uploads.ts";
import { createUpload, type CreateUploadRequest } from "./create_upload.ts";
import { invalidUpload } from "./placement.ts";
import {
  discardUpload,
  find,
  lock,
  storeUpload,
  type UploadProgress,
  type UploadService,
} from "./resumable_upload.ts";

/** A request for a file that is joined from whole uploads (tus 1.0.0, concatenation). */
export interface JoinRequest extends Omit<CreateUploadRequest, "size" | "parts" | "path"> {
  /** Sanitized. */
  readonly path: string;
  /** The ids of the parts, in order. */
  readonly ids: readonly string[];
}

/**
 * Stores a file that is joined from whole uploads, which are gone then. If that is refused, they stay.
 *
 * @throws {AppError} `ErrUploadsNotFound` when a part does not exist, `ErrUploadsConflict` when it has not
 *   received everything, `ErrResourcesInvalidRequest` when it is no part or comes twice, `ErrUploadsLocked`,
 *   and as {@link createUpload} and storing a file do.
 */
export async function joinUploads(
  service: UploadService,
  { ids, ...request }: JoinRequest,
): Promise<UploadProgress> {
  const { caller } = request;
  if (new Set(ids).size < ids.length) throw invalidUpload("Upload-Concat has a part twice");
  await wholeParts(service, caller, ids);
  using locks = new DisposableStack();
  // In the same order for all requests: two that wait for each other would both fail.
  for (const id of ids.toSorted()) locks.use(await lock(service, { caller, id }));
  const parts = await wholeParts(service, caller, ids);
  const size = parts.reduce((bytes, part) => bytes + part.size, 0);
  const upload = await createUpload(service, { ...request, size, parts });
  const now = Date.now();
  try {
    await using blob = await service.parts.join(parts);
    const stored = await storeUpload(service, { caller, upload, blob, now, parts });
    await service.parts.remove(upload.id);
    for (const { id } of parts) await discardUpload(service, id);
    return { upload: { ...upload, received: size, completedAt: now }, stored };
  } catch (error) {
    await discardUpload(service, upload.id);
    throw error;
  }
}

async function wholeParts(
  service: UploadService,
  caller: Caller,
  ids: readonly string[],
): Promise<ResumableUpload[]> {
  const parts: ResumableUpload[] = [];
  for (const id of ids) {
    const part = await find(service, caller, id);
    if (part.concat !== "partial") throw invalidUpload(`${quoted(id)} is not a partial upload`);
    if (part.deferred || part.received < part.size) {
      throw new AppError(
        "ErrUploadsConflict",
        `The part ${quoted(id)} has received ${part.received} bytes, and is not complete`,
      );
    }
    parts.push(part);
  }
  return parts;
}
