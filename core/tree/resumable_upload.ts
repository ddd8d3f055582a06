import { type Caller, ownerOf, requirePermission } from "../caller.ts";
import type { Chunk } from "../content.ts";
import { AppError, type ErrorKind } from "../errors.ts";
import type {
  ChecksumAlgorithm,
  OpenPart,
  PartStore,
  ResumableUpload,
  UploadStore,
} from "../uploads.ts";
import type { StagedBlob } from "../blob_store.ts";
import type { Tree } from "./changes.ts";
import { KeptProgress } from "./kept_progress.ts";
import { Staging, type StoredFiles } from "./staging.ts";
import { invalidUpload } from "./placement.ts";
import { withSize } from "./deferred_size.ts";
import { contentWithinQuota } from "./quota.ts";
import { decideBy } from "./upload.ts";
import type { UploadLocks } from "./upload_locks.ts";
import { maxUploadSize } from "./upload_size.ts";

/** What the operations on resumable uploads work with. */
export interface UploadService {
  readonly tree: Tree;
  readonly store: UploadStore;
  readonly parts: PartStore;
  readonly locks: UploadLocks;
  /** An upload expires this long after it last received something, in milliseconds. */
  readonly expiryMs: number;
}

/** A request to append content to an upload. */
export interface AppendRequest {
  readonly caller: Caller;
  readonly id: string;
  /** Where the content begins, in bytes. */
  readonly offset: number;
  /** The size of the whole file, if the client states it now. */
  readonly size?: number | undefined;
  /** Yields all that was received, even if it fails then. */
  readonly content: AsyncIterable<Chunk>;
  /** The size of the content in bytes, if the client has stated it. */
  readonly declaredSize: number | undefined;
  /** Ends the content early. */
  readonly cut: () => void;
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly hex: string } | undefined;
  /**
   * The SHA-256 of the whole file, in lower-case hex, which the file must have if this content completes it.
   *
   * @default what the creation of the upload states
   */
  readonly sha256?: string | undefined;
}

/** An upload, and what its completion stored if the request completed it. */
export interface UploadProgress {
  readonly upload: ResumableUpload;
  readonly stored?: StoredFiles | undefined;
}

/**
 * Appends content to an upload, and completes it with its last byte. What was received stays, even if the
 * transfer breaks off; content with a checksum stays as a whole or not at all. A file that does not have the
 * SHA-256 that is stated of it is dropped.
 * See docs/design/resumable_uploads.md.
 *
 * @throws {AppError} `ErrUploadsNotFound`, `ErrUploadsConflict` when the offset is not the size of what has
 *   been received, `ErrUploadsChecksumMismatch`, `ErrUploadsLocked`, what `content` throws, and what storing
 *   the file throws.
 */
export async function appendToUpload(
  service: UploadService,
  { caller, id, offset, size, content, declaredSize = 0, cut, checksum, sha256 }: AppendRequest,
): Promise<UploadProgress> {
  using _lock = await lock(service, { caller, id }, cut);
  const found = await find(service, caller, id);
  if (found.concat.startsWith("final")) {
    throw new AppError("ErrNotPermitted", "The upload is joined from others, and takes no content");
  }
  if (offset !== found.received) {
    throw new AppError(
      "ErrUploadsConflict",
      `Upload-Offset is ${offset}, but the upload has ${found.received} bytes`,
    );
  }
  const upload = await withSize(service, { caller, upload: found, size });
  const limited = upload.deferred ? { ...upload, size: maxUploadSize(service.tree) } : upload;
  refuseExcess(limited, declaredSize);
  if (sha256 !== undefined && sha256 !== (upload.sha256 ?? sha256)) {
    throw invalidUpload("Upload-Metadata states another SHA-256 than that of the creation");
  }
  if (upload.completedAt !== null) return { upload };
  const part = await service.parts.open(id, upload.received);
  try {
    await part.begin(checksum?.algorithm);
    // Before it has a size, an upload counts against the quota by what has come.
    const affordable = upload.deferred
      ? contentWithinQuota(service.tree, { caller, besides: 0 }, content)
      : content;
    const received = await receive(service, limited, { part, content: affordable, checksum });
    return await completeIfWhole(service, {
      caller,
      part,
      upload: {
        ...upload,
        received,
        size: upload.deferred ? received : upload.size,
        sha256: sha256 ?? upload.sha256,
      },
    });
  } finally {
    await part.close();
  }
}

/**
 * Finds an upload. One that has received all content, but could not be stored then, is stored now.
 *
 * @throws {AppError} as {@link appendToUpload} does.
 */
export async function findUpload(
  service: UploadService,
  { caller, id }: { readonly caller: Caller; readonly id: string },
): Promise<UploadProgress> {
  using _lock = await lock(service, { caller, id });
  const upload = await find(service, caller, id);
  if (!isDue(upload) || upload.completedAt !== null) return { upload };
  const part = await service.parts.open(id, upload.received);
  try {
    return await completeIfWhole(service, { caller, part, upload });
  } finally {
    await part.close();
  }
}

/**
 * Ends an upload, and removes what it has received. A file that it has stored stays.
 *
 * @throws {AppError} `ErrUploadsNotFound`, `ErrUploadsLocked`.
 */
export async function removeUpload(
  service: UploadService,
  { caller, id }: { readonly caller: Caller; readonly id: string },
): Promise<ResumableUpload> {
  using _lock = await lock(service, { caller, id });
  const upload = await find(service, caller, id);
  await discardUpload(service, id);
  return upload;
}

/** Removes an upload, and what it has received, unless another request than that of the turn has taken it. */
export async function discardUpload(
  { store, parts }: Pick<UploadService, "store" | "parts">,
  id: string,
  turn?: number,
): Promise<void> {
  // Without a row, a part is removed at the next start.
  await store.remove(id, turn);
  await parts.remove(id);
}

/** Whether an upload is to be stored. A part of another one is not. */
function isDue({ size, received, deferred, concat }: ResumableUpload): boolean {
  return received === size && !deferred && concat === "";
}

/** Takes the lock of an upload that the caller may use. Others must not cut its transfer off. */
export async function lock(
  service: UploadService,
  { caller, id }: { readonly caller: Caller; readonly id: string },
  cut: () => void = () => {},
): Promise<Disposable> {
  await find(service, caller, id);
  return await service.locks.acquire(id, cut);
}

/** @throws {AppError} `ErrUploadsNotFound` when the caller may not use the upload. */
export async function find(
  { store }: UploadService,
  caller: Caller,
  id: string,
): Promise<ResumableUpload> {
  const upload = await store.find(ownerOf(caller), id, Date.now());
  if (upload !== undefined) return upload;
  throw new AppError("ErrUploadsNotFound", "The upload does not exist, or has expired");
}

/** Receives the content of a request. Returns how many bytes the upload has received then. */
async function receive(
  service: UploadService,
  upload: ResumableUpload,
  { part, content, checksum }: Pick<AppendRequest, "content" | "checksum"> & { part: OpenPart },
): Promise<number> {
  const kept = new KeptProgress(service, upload, part);
  try {
    let total = 0;
    for await (const chunk of content) {
      const bytes = chunk.length;
      refuseExcess(upload, total += bytes);
      await part.append(chunk);
      // What is kept of an upload without a size would count twice against the quota.
      if (checksum === undefined && !upload.deferred) kept.appended(bytes);
    }
  } catch (error) {
    await kept.settled();
    // Content that is not what its client meant to send.
    if (checksum !== undefined || isExcess(error)) await part.revert();
    await kept.keep();
    throw error;
  }
  await kept.settled();
  if (checksum !== undefined && (await part.checksum()).toHex() !== checksum.hex) {
    await part.revert();
    throw new AppError(
      "ErrUploadsChecksumMismatch",
      `The content does not have the ${checksum.algorithm} that Upload-Checksum states`,
    );
  }
  return await kept.keep();
}

/** Refuses a request with more bytes than the upload has left. */
function refuseExcess({ size, received }: ResumableUpload, bytes: number): void {
  if (received + bytes <= size) return;
  throw new AppError(
    "ErrUploadsTooLarge",
    `The request has more bytes than the upload has left: ${size - received} of ${size}`,
  );
}

function isExcess(error: unknown): boolean {
  return error instanceof AppError && error.kind === "ErrUploadsTooLarge";
}

async function completeIfWhole(
  service: UploadService,
  { caller, part, upload }: { caller: Caller; part: OpenPart; upload: ResumableUpload },
): Promise<UploadProgress> {
  if (!isDue(upload)) return { upload };
  const now = Date.now();
  try {
    await using blob = await part.finish();
    const stored = await storeUpload(service, { caller, upload, blob, now });
    await service.parts.remove(upload.id);
    return { upload: { ...upload, completedAt: now }, stored };
  } catch (error) {
    if (isRefusal(error)) await discardUpload(service, upload.id, part.turn);
    throw error;
  }
}

/**
 * Stores the content of an upload. It is complete then, and so are the parts that it was joined from.
 *
 * @throws {AppError} as {@link appendToUpload} does.
 */
export async function storeUpload(
  { tree }: Pick<UploadService, "tree">,
  { caller, upload, blob, now, parts = [] }: {
    caller: Caller;
    upload: ResumableUpload;
    blob: StagedBlob;
    now: number;
    parts?: readonly ResumableUpload[];
  },
): Promise<StoredFiles> {
  const { id, path, sha256, onConflict } = upload;
  if (onConflict === "replace") requirePermission(caller, "resources.edit");
  if (sha256 !== undefined && sha256 !== blob.sha256) {
    throw new AppError(
      "ErrResourcesInvalidData",
      `Cannot upload: the content has the SHA-256 ${blob.sha256}, and the metadata states ${sha256}`,
    );
  }
  await using staging = new Staging(tree, {
    caller,
    decide: (file, found) => decideBy(onConflict, file, found),
    mayReplace: onConflict !== "error",
    async alongside(transaction) {
      await transaction.completeUploads([id, ...parts.map((part) => part.id)], now);
    },
  });
  return await staging.store([{ path, blob }]);
}

/** Those that another attempt meets as well. */
const REFUSALS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "ErrResourcesAlreadyExists",
  "ErrResourcesInvalidData",
  "ErrResourcesInvalidRequest",
  "ErrResourcesQuotaExceeded",
]);

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && REFUSALS.has(error.kind);
}
