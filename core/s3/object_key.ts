import { AppError, quoted } from "../errors.ts";
import { sanitizePath } from "../paths.ts";
import { S3Error } from "./s3_error.ts";

/** The longest key at Amazon's. Paths may be longer. */
const MAX_KEY_BYTES = 1024;

/** The path that a key of an object names. */
export interface KeyPath {
  readonly path: string;
  /** Whether the key ends with a slash: it is that of a directory. */
  readonly isDirectory: boolean;
}

/**
 * The path of a key (C 30). A key is a path as it is kept, as two keys must not name the same file.
 *
 * @throws {S3Error} `InvalidArgument` when the key cannot be a path, `KeyTooLongError` when it is too long for one.
 */
export function pathOfKey(key: string): KeyPath {
  const isDirectory = key.endsWith("/");
  const path = isDirectory ? key.slice(0, -1) : key;
  let cleaned: string;
  try {
    cleaned = sanitizePath(path);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const code = new TextEncoder().encode(key).length > MAX_KEY_BYTES
      ? "KeyTooLongError"
      : "InvalidArgument";
    throw new S3Error(code, error.message, { cause: error });
  }
  if (cleaned === path) return { path, isDirectory };
  throw new S3Error(
    "InvalidArgument",
    `Invalid key ${quoted(key)}: as a path it is ${quoted(cleaned)}`,
  );
}

/** The key of a record: that of a directory ends with a slash. */
export function keyOf({ path, isDir }: { readonly path: string; readonly isDir: boolean }): string {
  return isDir ? `${path}/` : path;
}
