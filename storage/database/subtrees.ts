import type { ResourceRecord } from "../../core/ports.ts";
import type { ChangeJournal } from "./change_journal.ts";
import type { Connection } from "./connection.ts";
import { RECORD_COLUMNS, recordOf } from "./lookup.ts";
import { descendantOf } from "./subtree.ts";

/** Records that {@link deletePage} deletes, besides the root. */
export const PAGE_RECORDS = 1000;

const AT_ROOT = "SELECT id FROM records WHERE user_id = :user AND path = :path";
const BELOW_ROOT = `SELECT id FROM (
    SELECT id FROM records WHERE user_id = :user AND ${descendantOf("path", ":path")}
    ORDER BY path LIMIT ${PAGE_RECORDS}
  )`;

/** The root of a subtree. */
export type Root = Pick<ResourceRecord, "userId" | "path">;

/** Whether the records and their descendants are more than `max`. Reads no more than that. */
export function exceeds(connection: Connection, roots: readonly Root[], max: number): boolean {
  let count = roots.length;
  for (const { userId: user, path } of roots) {
    const row = connection.get(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM records WHERE user_id = :user AND ${descendantOf("path", ":path")}
         LIMIT :limit
       )`,
      { user, path, limit: Math.max(0, max + 1 - count) },
    );
    count += Number(row?.count);
  }
  return count > max;
}

/**
 * Deletes the root of a subtree and the first of its descendants by path, and returns them. None are left
 * when there are fewer than {@link PAGE_RECORDS}.
 *
 * @param journal Keeps their state, if this is part of a large change.
 */
export function deletePage(
  connection: Connection,
  journal: ChangeJournal | undefined,
  { userId: user, path, isDir }: ResourceRecord,
): ResourceRecord[] {
  const ids = isDir ? `${AT_ROOT} UNION ALL ${BELOW_ROOT}` : AT_ROOT;
  journal?.keep(ids, { user, path });
  const rows = connection.values(
    `DELETE FROM records WHERE records.id IN (${ids}) RETURNING ${RECORD_COLUMNS}`,
    { user, path },
  );
  return rows.map(recordOf);
}
