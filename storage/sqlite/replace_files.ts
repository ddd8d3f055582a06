import type { NewContent, ResourceRecord } from "../../core/ports.ts";
import type { ChangeJournal } from "./change_journal.ts";
import type { Connection } from "./connection.ts";
import { RECORD_COLUMNS, toRecord } from "./lookup.ts";

/**
 * Gives files other content, and returns their records in the given order.
 *
 * @param journal Keeps their former state during a large change.
 */
export function replaceFiles(
  connection: Connection,
  journal: ChangeJournal | undefined,
  files: readonly NewContent[],
): ResourceRecord[] {
  const parameters = { files: JSON.stringify(files) };
  journal?.keep("id IN (SELECT value ->> 'id' FROM json_each(:files))", parameters);
  const rows = connection.all(
    `UPDATE records SET hash = value ->> 'hash', size = value ->> 'size',
       crc32 = value ->> 'crc32', updated_at = value ->> 'updatedAt'
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
