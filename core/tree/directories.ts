import { AppError, type ErrorKind, quoted } from "../errors.ts";
import { ancestorsOf, parentOf } from "../paths.ts";
import type { NewRecord, ResourceRecord } from "../ports.ts";

/** The most directories that a request may involve with its paths. Each one costs a lookup. */
export const MAX_DIRECTORIES = 10_000;

export interface DirectoryRequest {
  readonly userId: number;
  /** The directory that must exist; "" is the root. */
  readonly path: string;
  /** The time of the operation, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** The kind of the error when a file is in the way (RS 7). @default "ErrResourcesAlreadyExists" */
  readonly errorKind?: ErrorKind;
}

/** A directory and those above it, outermost first. Empty for the root. */
export function chainOf(path: string): string[] {
  return path === "" ? [] : [...ancestorsOf(path), path];
}

/**
 * The records to insert for a directory to exist, outermost first (RS 4.2.7, 4.3.1).
 *
 * @param existing The owner's records at {@link chainOf} the path; others are ignored.
 * @throws {AppError} of the kind `errorKind` when a file is in the way.
 */
export function missingDirectories(
  { userId, path, now, errorKind = "ErrResourcesAlreadyExists" }: DirectoryRequest,
  existing: ReadonlyMap<string, ResourceRecord>,
): NewRecord[] {
  return chainOf(path).flatMap((directory) => {
    const record = existing.get(directory);
    if (record?.isDir === false) {
      throw new AppError(
        errorKind,
        `Cannot create the directory ${quoted(path)}: ${quoted(directory)} is a file`,
      );
    }
    if (record !== undefined) return [];
    return {
      userId,
      path: directory,
      hash: "",
      size: 0,
      crc32: 0,
      isDir: true,
      createdAt: now,
      updatedAt: now,
    };
  });
}

/**
 * Refuses a path whose parent is not a directory (C 30).
 *
 * @param existing The owner's records at the path and above it.
 * @throws {AppError} `ErrResourcesConflict`.
 */
export function requireParent(path: string, existing: ReadonlyMap<string, ResourceRecord>): void {
  const parent = parentOf(path);
  if (parent === "" || existing.get(parent)?.isDir) return;
  throw new AppError(
    "ErrResourcesConflict",
    `Cannot create ${quoted(path)}: ${quoted(parent)} is not a directory`,
  );
}
