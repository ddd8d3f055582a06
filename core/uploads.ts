/** What core needs from storage for uploads that can be resumed (C 21). */

import type { OnConflict } from "../schemas/resources.ts";
import type { StagedBlob } from "./blob_store.ts";
import type { Chunk } from "./content.ts";
import { AppError } from "./errors.ts";

/** An upload of one file in any number of requests. Times are milliseconds since the Unix epoch. */
export interface ResumableUpload {
  /** 128 random bits in lower-case hex. */
  readonly id: string;
  /** Whose tree the file is for. */
  readonly userId: number;
  /** Who made the upload. */
  readonly createdBy: number;
  readonly path: string;
  /** The size of the whole file in bytes. */
  readonly size: number;
  /** Whether that is not known yet: `size` is that of what has been received. */
  readonly deferred: boolean;
  /**
   * What the client sent as `Upload-Concat`: `partial`, or `final` with the addresses of the parts; or "". It is
   * `s3` for a part of an upload of the S3 door.
   */
  readonly concat: string;
  /** How many bytes have been received and synced. */
  readonly received: number;
  /** The SHA-256 that the content must have, in lower-case hex. */
  readonly sha256: string | undefined;
  readonly onConflict: OnConflict;
  /** As the client sent it. */
  readonly metadata: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When the file became part of the tree, or null. */
  readonly completedAt: number | null;
}

export type NewUpload = Omit<ResumableUpload, "received" | "completedAt">;

/** What an upload must keep to. */
export interface UploadBounds {
  /** How many unfinished uploads a tree may have; parts of the S3 door do not count with the others. */
  readonly maxUnfinished: number;
  /** The most bytes of the tree, those of unfinished uploads included. @default unlimited */
  readonly quota: number | undefined;
  /** What counts already and will be gone, in bytes: the file that is replaced, or the parts of a whole. */
  readonly replacedBytes: number;
}

/** Keeps resumable uploads. An upload counts against the quota from when it is added. */
export interface UploadStore {
  /** Adds an upload within bounds, and says whether it did, or which bound it exceeds. */
  add(upload: NewUpload, bounds: UploadBounds): Promise<"added" | "tooMany" | "overQuota">;
  /** The upload of a tree with the id, unless it has expired. */
  find(userId: number, id: string, now: number): Promise<ResumableUpload | undefined>;
  /** Keeps the size of an upload that had none, within the quota. Returns whether it did. */
  fix(upload: ResumableUpload, size: number, quota: number | undefined): Promise<boolean>;
  /**
   * Keeps how much has been received.
   *
   * @param turn {@link OpenPart.turn}
   * @throws {AppError} `ErrUploadsLocked` when another request has taken the upload, or ended it.
   */
  advance(
    id: string,
    progress: { readonly received: number; readonly expiresAt: number; readonly turn: number },
  ): Promise<void>;
  /** Removes an upload, unless a request of another turn has taken it. @default any turn */
  remove(id: string, turn?: number): Promise<void>;
  /** Removes uploads at once, whichever request has taken them. */
  removeAll(ids: readonly string[]): Promise<void>;
  /** The ids of some uploads that have expired. */
  expired(now: number): Promise<string[]>;
  /** The ids of unfinished uploads after an id, in order. */
  unfinishedAfter(id: string, limit: number): Promise<string[]>;
  /** Returns those of the ids whose uploads are unfinished. */
  unfinished(ids: readonly string[]): Promise<string[]>;
}

/** The checksums that clients may state of a request's body (tus 1.0.0). */
export const CHECKSUM_ALGORITHMS = ["sha1", "sha256", "md5"] as const;
export type ChecksumAlgorithm = typeof CHECKSUM_ALGORITHMS[number];

/** A part of an upload in parts. */
export interface PartPlace {
  /** The id of the upload. */
  readonly whole: string;
  /** From 1 on. */
  readonly number: number;
  /** In bytes. */
  readonly size: number;
}

/** The content of a part. */
export interface PartContent {
  readonly id: string;
  /** Where it begins in what is kept under that id, in bytes. @default 0 */
  readonly position?: number;
  /** In bytes. */
  readonly size: number;
}

/** Keeps what unfinished uploads have received. */
export interface PartStore {
  /** Creates an empty part, durably. With a place, it is received by one request, and may be kept with others. */
  create(id: string, place?: PartPlace): Promise<void>;
  /**
   * Opens a part, cut to what is known to be durable, `size` bytes. Close it.
   *
   * @throws {AppError} `ErrUploadsLocked` when a request at another server has changed the upload.
   */
  open(id: string, size: number): Promise<OpenPart>;
  /**
   * Returns the content of whole parts, in order, to be published. They stay until they are removed.
   *
   * @throws {AppError} `ErrUploadsLocked` as {@link open} does.
   */
  join(parts: readonly PartContent[]): Promise<StagedBlob>;
  /** Removes a part if there is one. It must not be open. */
  remove(id: string): Promise<void>;
  /** The ids of all parts; undefined if each is kept with the row of its upload. */
  ids(): Promise<string[] | undefined>;
}

/** What is known of the content of a part. */
export interface PartDigests extends Pick<StagedBlob, "hash" | "crc32"> {
  /** Undefined if nobody wants it. */
  readonly sha256: string | undefined;
}

/** A part that content is appended to, and hashed on the way. */
export interface OpenPart {
  /**
   * The number of the request among those that have opened the part, at all servers: only the last one may
   * change it. 0 if no other server can.
   */
  readonly turn: number;
  /** {@link PartContent.position} */
  readonly position: number;
  /** Begins a request. Its bytes can be reverted. */
  begin(checksum: ChecksumAlgorithm | undefined): Promise<void>;
  /** Begins the only request of a part, to be ended by {@link end}, which has the SHA-256 if that is wanted. */
  beginWhole(wantsSha256: boolean): Promise<void>;
  /** Appends a chunk, whose memory is given away. */
  append(chunk: Chunk): Promise<void>;
  /** Makes durable what has been appended, and returns the size of the part. */
  sync(): Promise<number>;
  /** The checksum of what the request has appended. */
  checksum(): Promise<Chunk>;
  /** Drops what the request has appended. */
  revert(): Promise<void>;
  /** Ends the part, and returns its content, to be published. The part stays until it is removed. */
  finish(): Promise<StagedBlob>;
  /** Makes durable what {@link beginWhole} began, and returns its digests. */
  end(): Promise<PartDigests>;
  /** Call it at the end. If the part is resumed soon, it need not be read again. */
  close(): Promise<void>;
}

/** Another request, maybe at another server, has taken an upload over, or ended it. */
export function uploadEnded(): AppError {
  return new AppError("ErrUploadsLocked", "Another request has taken the upload over");
}
