import type { ResourceRecord, Scope } from "../../core/ports.ts";
import { preferred, recordOf } from "../tables/record_rows.ts";
import type { SqlParameters, SqlRow } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";

/** The columns that {@link toRecord} and {@link recordOf} read. */
export const RECORD_COLUMNS = `records.id AS id, records.user_id, records.path AS path,
  records.name AS name, records.hash, records.size, records.crc32, records.is_dir,
  records.created_at, records.updated_at AS updated_at`;

/** Converts a row of {@link RECORD_COLUMNS} to a record. */
export function toRecord(row: SqlRow): ResourceRecord {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    path: String(row.path),
    name: String(row.name),
    hash: String(row.hash),
    size: Number(row.size),
    crc32: Number(row.crc32),
    isDir: row.is_dir === 1,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

/** A condition that selects the records within a scope, and its parameters. */
export function scopeCondition(scope: Scope): { condition: string; parameters: { user?: number } } {
  return scope.everyone
    ? { condition: "TRUE", parameters: {} }
    : { condition: "records.user_id = :user", parameters: { user: scope.userId } };
}

/** A connection, and whose records to read from it. */
export interface RecordSource {
  readonly connection: Connection;
  readonly has: (userId: number) => boolean;
}

/** The preferred record within the scope for each path that has one (RS 1.4). */
export function findByPath(
  sources: readonly RecordSource[],
  scope: Scope,
  paths: readonly string[],
): Map<string, ResourceRecord> {
  const { condition, parameters } = scopeCondition(scope);
  const [path, ...others] = paths;
  if (path === undefined) return new Map();
  const records = others.length === 0
    // Most requests name one path. This statement takes half as long.
    ? allOf(
      sources,
      `SELECT ${RECORD_COLUMNS} FROM records WHERE ${condition} AND records.path = :path`,
      { ...parameters, path },
    )
    : allOf(
      sources,
      `SELECT ${RECORD_COLUMNS} FROM json_each(:paths) p CROSS JOIN records
       ON ${condition} AND records.path = p.value`,
      { ...parameters, paths: JSON.stringify(paths) },
    );
  const found = new Map<string, ResourceRecord>();
  for (const record of records) {
    const other = found.get(record.path);
    found.set(record.path, other ? preferred(other, record, scope.userId) : record);
  }
  return found;
}

/** The record within the scope for each id that has one. */
export function findById(
  sources: readonly RecordSource[],
  scope: Scope,
  ids: readonly number[],
): Map<number, ResourceRecord> {
  // Most requests name paths only.
  if (ids.length === 0) return new Map();
  const { condition, parameters } = scopeCondition(scope);
  const records = allOf(
    sources,
    `SELECT ${RECORD_COLUMNS} FROM json_each(:ids) i CROSS JOIN records
     ON records.id = i.value WHERE ${condition}`,
    { ...parameters, ids: JSON.stringify(ids) },
  );
  return new Map(records.map((record) => [record.id, record]));
}

function allOf(
  sources: readonly RecordSource[],
  sql: string,
  parameters: SqlParameters,
): ResourceRecord[] {
  return sources.flatMap(({ connection, has }) =>
    connection.values(sql, parameters).map(recordOf).filter(({ userId }) => has(userId))
  );
}
