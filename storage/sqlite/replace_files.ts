import type { NewContent, ResourceRecord } from "../../core/ports.ts";
import type { Connection } from "./connection.ts";
import { RECORD_COLUMNS, toRecord } from "./lookup.ts";
import type { Keeper } from "./tree_history.ts";

/**
 * Gives files other content, and returns their records in the given order.
 *
 * @param keeper Keeps their former state.
 */
export function replaceFiles(
  connection: Connection,
  keeper: Keeper,
  files: readonly NewContent[],
): ResourceRecord[] {
  const owners = [...new Set(files.map(({ userId }) => userId))];
  const versions = new Map(owners.map((userId) => [userId, keeper.versionOf(userId)]));
  const parameters = {
    files: JSON.stringify(files.map((file) => ({ ...file, since: versions.get(file.userId) }))),
  };
  for (const userId of owners) {
    const ids = "id IN (SELECT value ->> 'id' FROM json_each(:files))";
    keeper.keep(userId, "dropped", ids, parameters);
  }
  const rows = connection.all(
    `UPDATE records SET hash = value ->> 'hash', size = value ->> 'size',
       crc32 = value ->> 'crc32', updated_at = value ->> 'updatedAt',
       since = value ->> 'since'
     FROM json_each(:files) WHERE records.id = value ->> 'id'
     RETURNING ${RECORD_COLUMNS}`,
    parameters,
  );
  // SQLite does not specify the order of RETURNING.
  const replaced = new Map(rows.map(toRecord).map((record) => [record.id, record]));
  return files.map(({ id }) => {
    const record = replaced.get(id);
    if (record === undefined) throw new Error(`Record ${id} does not exist`);
    return record;
  });
}
