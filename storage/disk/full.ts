import { AppError } from "../../core/errors.ts";

/** What SQLite says where the disk is full. */
const SQLITE_FULL = 13;
/** What a file system says where the disk, or the share of it that is allowed, is full. */
const FULL_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

/** The error itself, or the refusal of C 2 where the storage being full is behind it. */
export function asStorageFull(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const full = ("code" in error && FULL_CODES.has(error.code)) ||
    ("errcode" in error && error.errcode === SQLITE_FULL);
  if (!full) return error;
  return new AppError("ErrInternal", "The storage is full: nothing of the request was kept", {
    cause: error,
  });
}
