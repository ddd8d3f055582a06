import { AppError, quoted } from "../../core/errors.ts";
import type { NewRecord, ResourceRecord } from "../../core/ports.ts";
import type { Connection } from "./connection.ts";
import { pathColumns } from "../tables/record_rows.ts";
import { RECORD_COLUMNS, toRecord } from "./lookup.ts";
import type { Keeper } from "./tree_history.ts";

/**
 * Adds the records, in the given order.
 *
 * @throws {AppError} as `WriteTransaction.insert` does.
 */
export function insertRecords(
  connection: Connection,
  keeper: Pick<Keeper, "added" | "versionOf">,
  records: readonly NewRecord[],
): ResourceRecord[] {
  const rows = connection.all(
    `INSERT INTO records
       (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, since)
     SELECT value ->> 'userId', value ->> 'path', value ->> 'parent', value ->> 'name',
       value ->> 'hash', value ->> 'size', value ->> 'crc32', value ->> 'isDir',
       value ->> 'createdAt', value ->> 'updatedAt', value ->> 'since'
     FROM json_each(:records) WHERE TRUE
     ON CONFLICT DO NOTHING
     RETURNING ${RECORD_COLUMNS}`,
    {
      records: JSON.stringify(records.map((it) => ({
        ...it,
        ...pathColumns(it.path),
        since: keeper.versionOf(it.userId),
      }))),
    },
  );
  const added = rows.map(toRecord);
  for (const userId of new Set(added.map((it) => it.userId))) keeper.added(userId, added.length);
  // SQLite does not specify the order of RETURNING.
  const inserted = new Map(added.map((record) => [key(record), record]));
  return records.map((record) => {
    const found = inserted.get(key(record));
    if (found !== undefined) return found;
    throw new AppError(
      "ErrResourcesAlreadyExists",
      `Cannot add ${quoted(record.path)}: a record has this path`,
    );
  });
}

function key({ userId, path }: { userId: number; path: string }): string {
  return `${userId}/${path}`;
}
