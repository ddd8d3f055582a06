import { AppError, quoted } from "../../core/errors.ts";
import type { NewContent, NewRecord, ResourceRecord } from "../../core/ports.ts";
import { pathColumns, recordOf } from "../tables/record_rows.ts";
import { RECORD_COLUMNS } from "./lookup.ts";
import type { Session } from "./session.ts";

/** Joins rows with the version that the transaction makes of their tree. */
const MADE = `JOIN (
  SELECT user_id, version_of(user_id) AS since
  FROM (SELECT DISTINCT user_id FROM unnest(:users::bigint[]) AS owner (user_id)) AS owners OFFSET 0
) AS made USING (user_id)`;

/**
 * Adds the records, in the given order.
 *
 * @throws {AppError} as `WriteTransaction.insert` does.
 */
export async function insertRecords(
  session: Session,
  records: readonly NewRecord[],
): Promise<ResourceRecord[]> {
  const rows = await session.values(
    `INSERT INTO records
       (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, since)
     SELECT user_id, path, parent, name, nullif(hash, ''), size, crc32, is_dir, created_at, updated_at,
       since
     FROM unnest(:users::bigint[], :paths::text[], :parents::text[], :names::text[],
       :hashes::text[], :sizes::bigint[], :crc32s::bigint[], :kinds::boolean[],
       :created::bigint[], :updated::bigint[]) WITH ORDINALITY AS added
       (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, position)
     ${MADE}
     ORDER BY position
     ON CONFLICT DO NOTHING RETURNING ${RECORD_COLUMNS}`,
    {
      users: records.map(({ userId }) => userId),
      paths: records.map(({ path }) => path),
      parents: records.map(({ path }) => pathColumns(path).parent),
      names: records.map(({ path }) => pathColumns(path).name),
      hashes: records.map(({ hash }) => hash),
      sizes: records.map(({ size }) => size),
      crc32s: records.map(({ crc32 }) => crc32),
      kinds: records.map(({ isDir }) => isDir),
      created: records.map(({ createdAt }) => createdAt),
      updated: records.map(({ updatedAt }) => updatedAt),
    },
  );
  // The order of RETURNING is not specified.
  const inserted = new Map(rows.map(recordOf).map((record) => [key(record), record]));
  return records.map((record) => {
    const added = inserted.get(key(record));
    if (added !== undefined) return added;
    throw new AppError(
      "ErrResourcesAlreadyExists",
      `Cannot add ${quoted(record.path)}: a record has this path`,
    );
  });
}

/**
 * Gives files other content, and returns their records in the given order. One that is as it was before, to the
 * millisecond, stays of its version: no former state of it is kept.
 */
export async function replaceFiles(
  session: Session,
  files: readonly NewContent[],
): Promise<ResourceRecord[]> {
  const rows = await session.values(
    `UPDATE records SET hash = file.hash, size = file.size, crc32 = file.crc32,
       updated_at = file.updated_at,
       since = CASE WHEN (records.hash, records.updated_at) = (file.hash, file.updated_at)
         THEN records.since ELSE made.since END
     FROM unnest(:ids::bigint[], :users::bigint[], :hashes::text[], :sizes::bigint[],
       :crc32s::bigint[], :updated::bigint[]) AS file (id, user_id, hash, size, crc32, updated_at)
     ${MADE}
     WHERE records.id = file.id RETURNING ${RECORD_COLUMNS}`,
    {
      ids: files.map(({ id }) => id),
      users: files.map(({ userId }) => userId),
      hashes: files.map(({ hash }) => hash),
      sizes: files.map(({ size }) => size),
      crc32s: files.map(({ crc32 }) => crc32),
      updated: files.map(({ updatedAt }) => updatedAt),
    },
  );
  // The order of RETURNING is not specified.
  const replaced = new Map(rows.map(recordOf).map((record) => [record.id, record]));
  return files.map(({ id }) => {
    const record = replaced.get(id);
    if (record === undefined) throw new Error(`Record ${id} does not exist`);
    return record;
  });
}

function key({ userId, path }: { userId: number; path: string }): string {
  return `${userId}/${path}`;
}
