import { AppError } from "../../core/errors.ts";

/** Result codes of SQLite for a full disk: in general, and where memory that connections share has no room. */
const SQLITE_FULL = 13;
const SQLITE_IOERR_SHMSIZE = 4874;
const FULL_RESULTS: ReadonlySet<unknown> = new Set([SQLITE_FULL, SQLITE_IOERR_SHMSIZE]);
/** Error codes of file systems for a full disk or an exhausted quota. */
const FULL_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

/** Whether a full disk or an exhausted quota caused the error. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof Error &&
    (("code" in error && FULL_CODES.has(error.code)) ||
      ("errcode" in error && FULL_RESULTS.has(error.errcode)));
}

/** The error of C 2 for a full disk. */
export function storageFull(cause?: unknown): AppError {
  return new AppError("ErrInternal", "The storage is full: no changes were saved", { cause });
}

/** The error of C 2 for a sync that failed, as SQLite does not say why. */
export function unsynced(cause: unknown): AppError {
  return new AppError(
    "ErrInternal",
    "The storage is full, or its disk fails: no changes were saved",
    { cause },
  );
}

/** Converts an error that a full disk or quota caused to the one of C 2. Returns others unchanged. */
export function asStorageFull(error: unknown): unknown {
  return isStorageFull(error) ? storageFull(error) : error;
}

/** Runs `work`. Its error names the directory if the disk of that is full. */
export async function namingFullDisk<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    throw diskFull(directory, error);
  }
}

/** The error of a command or start whose disk is full. */
export function diskFull(directory: string, cause: unknown): Error {
  return new Error(`The disk of "${directory}" is full`, { cause });
}
