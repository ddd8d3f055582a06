import type { SmallContent } from "./content_changes.ts";
import type { ObjectFacts } from "./object_facts.ts";
import type { NewContent, NewRecord, ResourceRecord, WriteOptions } from "./ports.ts";

/** Bounds of what a tree may hold. */
export interface TreeBounds {
  /** Those of files, and of uploads that are not finished. */
  readonly bytes: number;
  readonly records: number;
}

/**
 * An upload of small files whose outcome was decided by what the tree had. It can be carried out only while
 * the tree has the same.
 */
export interface DecidedUpload {
  readonly userId: number;
  /** The records of the owner that the decision is based on. */
  readonly found: readonly ResourceRecord[];
  /** Records to add at paths that had none, directories first. */
  readonly newRecords: readonly NewRecord[];
  /** What to replace in files that were found. */
  readonly newContents: readonly NewContent[];
  /** The content of the files, each once. */
  readonly contents: readonly SmallContent[];
  /** What the S3 door keeps of each file. @default nothing new */
  readonly facts?: ObjectFacts | undefined;
  /** What the tree may hold afterwards. @default unlimited */
  readonly bounds?: TreeBounds | undefined;
  /** Who uploads. @default the user */
  readonly author?: number | undefined;
}

/** The records that an upload has added, and those whose content it has replaced, in the given order. */
export interface UploadEffects {
  readonly added: readonly ResourceRecord[];
  readonly updated: readonly ResourceRecord[];
}

/** Carries out uploads that need no decision within their write transaction: in one call, many at a time. */
export interface DecidedUploads {
  /**
   * Carries out an upload in a write transaction, after all work passed earlier. Returns undefined, and has
   * changed nothing, if the tree is not as it was found, would exceed the bounds, or has content that must be
   * looked at. When the promise resolves, the changes are durable.
   *
   * @throws {AppError} `ErrResourcesInvalidData` when different content with the same hash is stored (C 6).
   */
  storeDecided(
    upload: DecidedUpload,
    options: Pick<WriteOptions<UploadEffects>, "onCommit" | "events">,
  ): Promise<UploadEffects | undefined>;
}
