import { AppError, quoted } from "../errors.ts";
import { sanitizePath } from "../paths.ts";

/**
 * The directory of a repository that has what Git has sent, each content under its SHA-256. The clients of
 * the hub see nothing of it, and it has no part in the commit id (C 20).
 */
export const KEPT_DIRECTORY = ".lfs";

/**
 * Sanitizes a path in a repository (C 4).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when no file of a repository can have the path.
 */
export function repositoryPath(input: string): string {
  const path = sanitizePath(input);
  if (path !== KEPT_DIRECTORY && !path.startsWith(`${KEPT_DIRECTORY}/`)) return path;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid path ${quoted(input)}: ${KEPT_DIRECTORY} has the objects that Git LFS has sent`,
  );
}
