import type { ListQuery, ResourceRecord } from "../../core/ports.ts";
import type { Connection, SqlParameters, SqlRow } from "./connection.ts";
import { preferred, RECORD_COLUMNS, scopeCondition, toRecord } from "./lookup.ts";
import { descendantOf } from "./subtree.ts";

/** A statement with the values of its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: SqlParameters;
}

/**
 * The records of a listing, in order (RS 4.1, C 8). Uses the connection until it is read to its end
 * or returned.
 *
 * @throws {Error} when the database fails before the end.
 */
export function* listing(
  connection: Connection,
  query: ListQuery,
): Generator<ResourceRecord, void> {
  const { sql, parameters } = listStatement(query);
  const rows = connection.iterate(sql, parameters);
  try {
    const records = recordsOf(rows);
    if (query.directories.length === 0) yield* records;
    else yield* onePerPath(records, query.scope.userId);
  } finally {
    rows.return?.();
  }
}

/**
 * The statement of a listing. With directories and an administrator's scope it may return several
 * records for a path.
 */
export function listStatement(query: ListQuery): Statement {
  return query.directories.length === 0 ? rootStatement(query) : pathsStatement(query);
}

/**
 * A statement that counts what a listing of the root or of one directory has below it, up to `limit`.
 * It reads no more index entries than that.
 */
export function shortListProbe(query: ListQuery, limit: number): Statement {
  const { condition, parameters } = scopeCondition(query.scope);
  const [directory] = query.directories;
  const level = directory === undefined
    ? query.recursive ? "TRUE" : "records.parent IS NULL"
    : query.recursive
    ? descendantOf("records.path", ":directory")
    : "records.parent = :directory";
  return {
    sql: `SELECT count(*) AS count FROM
      (SELECT 1 FROM records WHERE ${condition} AND ${level} LIMIT ${limit})`,
    parameters: directory === undefined ? parameters : { ...parameters, directory },
  };
}

/** RS 4.1.2 and 4.1.7. */
function rootStatement({ scope, recursive }: ListQuery): Statement {
  const { condition, parameters } = scopeCondition(scope);
  const level = recursive ? "TRUE" : "records.parent IS NULL";
  return {
    sql: `SELECT ${RECORD_COLUMNS} FROM records WHERE ${condition} AND ${level}
      UNION ALL ${END} ORDER BY updated_at DESC, name, id`,
    parameters,
  };
}

/**
 * RS 4.1.3 to 4.1.7. With one directory an index delivers each part in path order, so that SQLite
 * merges the parts without sorting.
 */
function pathsStatement({ scope, recursive, directories, chain }: ListQuery): Statement {
  const { condition, parameters } = scopeCondition(scope);
  const [directory] = directories;
  const single = directories.length === 1;
  const below = recursive
    ? (path: string) => descendantOf("records.path", path)
    : (path: string) => `records.parent = ${path}`;
  const parts = [
    `SELECT ${RECORD_COLUMNS} FROM json_each(:chain) p CROSS JOIN records
      ON ${condition} AND records.path = p.value WHERE records.is_dir = 1`,
    single
      ? `SELECT ${RECORD_COLUMNS} FROM records WHERE ${condition} AND ${below(":directory")}`
      : `SELECT ${RECORD_COLUMNS} FROM json_each(:directories) p CROSS JOIN records
      ON ${condition} AND ${below("p.value")}`,
  ];
  if (recursive) {
    parts.push(
      `SELECT ${RECORD_COLUMNS} FROM json_each(:directories) p CROSS JOIN records
      ON ${condition} AND records.path = p.value WHERE records.is_dir = 0`,
    );
  }
  const named: SqlParameters = { ...parameters, chain: JSON.stringify(chain) };
  if (single) named.directory = directory ?? "";
  if (!single || recursive) named.directories = JSON.stringify(directories);
  parts.push(END);
  return { sql: `${parts.join("\nUNION ALL\n")}\nORDER BY path`, parameters: named };
}

/**
 * A row that sorts last in either order: NULL is the oldest time, and a BLOB sorts after all text.
 * `iterate` ends silently when SQLite fails; this row is then missing.
 */
const END = "SELECT NULL, NULL, x'', NULL, NULL, NULL, NULL, NULL, NULL, NULL";

function* recordsOf(rows: Iterable<SqlRow>): Generator<ResourceRecord, void> {
  for (const row of rows) {
    if (row.id === null) return;
    yield toRecord(row);
  }
  throw new Error("The database failed during a listing");
}

/** Reduces records in path order to one for each path, the one that RS 1.4 prefers (RS 4.1.5). */
function* onePerPath(
  records: Iterable<ResourceRecord>,
  userId: number,
): Generator<ResourceRecord, void> {
  let best: ResourceRecord | undefined;
  for (const record of records) {
    if (best !== undefined && best.path !== record.path) {
      yield best;
      best = record;
    } else {
      best = best === undefined ? record : preferred(best, record, userId);
    }
  }
  if (best !== undefined) yield best;
}
