import { nameOf, parentOf } from "../../core/paths.ts";
import type { ResourceRecord } from "../../core/ports.ts";

/** The columns that repeat parts of the path. */
export function pathColumns(
  path: string,
): { readonly parent: string | null; readonly name: string } {
  return { parent: parentOf(path) || null, name: nameOf(path) };
}

/**
 * Makes a record of the values of its columns: id, owner, path, name, hash, size, CRC-32, whether it is a
 * directory as 0 or 1, and both times. Further values are left out.
 */
export function recordOf(values: readonly unknown[]): ResourceRecord {
  const [id, userId, path, name, hash, size, crc32, isDir, createdAt, updatedAt] = values;
  return {
    id: Number(id),
    userId: Number(userId),
    path: String(path),
    name: String(name),
    hash: String(hash),
    size: Number(size),
    crc32: Number(crc32),
    isDir: isDir === 1,
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
  };
}

/** The one of two records at the same path that RS 1.4 prefers. */
export function preferred(a: ResourceRecord, b: ResourceRecord, userId: number): ResourceRecord {
  const own = Number(b.userId === userId) - Number(a.userId === userId);
  return (own || b.updatedAt - a.updatedAt || a.id - b.id) > 0 ? b : a;
}
