import { AppError } from "../../core/errors.ts";

/** Result code of SQLite for a full disk. */
const SQLITE_FULL = 13;
/** Error codes of file systems for a full disk or an exhausted quota. */
const FULL_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

/** Converts an error that a full disk or quota caused to the one of C 2. Returns others unchanged. */
export function asStorageFull(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const full = ("code" in error && FULL_CODES.has(error.code)) ||
    ("errcode" in error && error.errcode === SQLITE_FULL);
  if (!full) return error;
  return new AppError("ErrInternal", "The storage is full: no changes were saved", {
    cause: error,
  });
}
