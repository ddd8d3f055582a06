import { quoted, ResourceError } from "../errors.ts";
import { ancestorsOf } from "../paths.ts";
import type { ResourceRecord, WriteTransaction } from "../ports.ts";

/** The outcome of {@link makeDirectories}. */
export interface MadeDirectories {
  /** The directories that were missing, outermost first. */
  readonly created: ResourceRecord[];
  /** The record at `path` itself; undefined for the root, which has none (C 5.1). */
  readonly leaf: ResourceRecord | undefined;
}

/**
 * Makes the directory and every missing one above it, all owned by `userId` (RS 4.2.7, 4.3.1).
 *
 * @throws {ResourceError} `ErrResourcesAlreadyExists` where a file stands on the way.
 */
export async function makeDirectories(
  transaction: WriteTransaction,
  userId: number,
  path: string,
): Promise<MadeDirectories> {
  if (path === "") return { created: [], leaf: undefined };
  const chain = [...ancestorsOf(path), path];
  const existing = await transaction.findByPath({ userId, everyone: false }, chain);
  for (const record of existing.values()) {
    if (!record.isDir) {
      throw new ResourceError(
        "ErrResourcesAlreadyExists",
        `Cannot make the directory ${quoted(path)}: ${quoted(record.path)} is a file`,
      );
    }
  }
  const now = Date.now();
  const missing = chain.filter((directory) => !existing.has(directory));
  const created = await transaction.insert(missing.map((directory) => ({
    userId,
    path: directory,
    hash: "",
    size: 0,
    crc32: 0,
    isDir: true,
    createdAt: now,
    updatedAt: now,
  })));
  return { created, leaf: existing.get(path) ?? created.at(-1) };
}
