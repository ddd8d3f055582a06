/** The name of a blob: an MD5 in lower-case hex. */
const DIGEST = /^[0-9a-f]{32}$/;

/** Whether a file name is the name of a blob. */
export function isDigest(name: string): boolean {
  return DIGEST.test(name);
}

/**
 * The path of a blob below the blob directory (C 12). No other code maps digests to paths.
 *
 * @example
 * ```ts
 * import { blobPath } from "./paths.ts";
 * blobPath("d41d8cd98f00b204e9800998ecf8427e"); // "d4/1d/d41d8cd98f00b204e9800998ecf8427e"
 * ```
 *
 * @throws {TypeError} when the argument is not a digest, so that nothing else becomes a path.
 */
export function blobPath(digest: string): string {
  if (!isDigest(digest)) throw new TypeError(`Not a digest: ${JSON.stringify(digest)}`);
  return `${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest}`;
}

/** The directory of all blobs of a data directory. */
export function blobDirectory(dataDir: string): string {
  return `${dataDir}/blobs`;
}
