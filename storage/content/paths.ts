/** The name of a blob: an MD5 in lower-case hex. */
const DIGEST = /^[0-9a-f]{32}$/;

/** The names of the directories in the blob directory, in order: the first two digits of a digest. */
export const PREFIXES: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => byte.toString(16).padStart(2, "0"),
);

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

/**
 * The digests of all blobs whose digests begin with one of {@link PREFIXES}, sorted. Skips foreign
 * files. Blocks its thread, as synchronous calls take a fraction of the time of asynchronous ones.
 */
export function digestsBelow(root: string, prefix: string): string[] {
  const digests: string[] = [];
  for (const fan of entriesOf(`${root}/${prefix}`)) {
    if (!fan.isDirectory) continue;
    for (const { name } of entriesOf(`${root}/${prefix}/${fan.name}`)) {
      if (isDigest(name) && blobPath(name) === `${prefix}/${fan.name}/${name}`) digests.push(name);
    }
  }
  return digests.sort();
}

/** Those of {@link PREFIXES} that have a directory. Blocks its thread. */
export function prefixesIn(root: string): string[] {
  const names = new Set(entriesOf(root).map(({ name }) => name));
  return PREFIXES.filter((prefix) => names.has(prefix));
}

/** The entries of a directory; none if it is missing or not a directory. */
function entriesOf(path: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(path)];
  } catch (error) {
    const isAbsent = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isAbsent) return [];
    throw error;
  }
}
