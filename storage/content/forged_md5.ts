import { AppError } from "../../core/errors.ts";

/**
 * The error for content whose hash other content has (C 6). It does not tell that the other content is
 * stored, which may be another user's.
 */
export function forgedMd5(hash: string): AppError {
  return new AppError(
    "ErrResourcesInvalidData",
    `Cannot store this content: its MD5 ${hash} is forged`,
  );
}
