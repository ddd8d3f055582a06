import { nameOf, parentOf } from "../../core/paths.ts";
import type { LocatedRecord, ResourceRecord } from "../../core/ports.ts";
import { type SqlValue, toBytes } from "./dialect.ts";
import { toFacts } from "./s3_store.ts";

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

/** The columns after those of a record that {@link locatedOf} reads, and the tables that they are of. */
export const LOCATED = {
  columns: "contents.bytes, contents.object, s3_objects.etag, s3_objects.metadata",
  /** @param records The name of the table of the records. */
  tables: (records: string) =>
    `LEFT JOIN contents ON contents.hash = ${records}.hash
     LEFT JOIN s3_objects
       ON s3_objects.record_id = ${records}.id AND s3_objects.hash = ${records}.hash`,
} as const;

/** Makes a record of its values, with what belongs to it of those of {@link LOCATED}. */
export function locatedOf(values: readonly SqlValue[]): LocatedRecord {
  const record = recordOf(values);
  if (record.isDir) return { record };
  const [bytes, object, etag, metadata] = values.slice(-4);
  return {
    record,
    located: {
      bytes: toBytes(bytes),
      object: typeof object === "string" ? object : undefined,
    },
    ...metadata !== null && { facts: toFacts({ etag, metadata }) },
  };
}

/** The one of two records at the same path that RS 1.4 prefers. */
export function preferred(a: ResourceRecord, b: ResourceRecord, userId: number): ResourceRecord {
  const own = Number(b.userId === userId) - Number(a.userId === userId);
  return (own || b.updatedAt - a.updatedAt || a.id - b.id) > 0 ? b : a;
}
