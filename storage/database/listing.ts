import type { ListQuery, ResourceRecord } from "../../core/ports.ts";
import type { Connection, Parameters, Row } from "./connection.ts";
import { COLUMNS, preferred, toRecord, within } from "./lookup.ts";

/** A statement with the values of its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: Parameters;
}

/** The records of a listing, in its order (RS 4.1, C 8). Holds the connection until it is through. */
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

/** The statement behind a listing; with explicit paths it may give several records a path. */
export function listStatement(query: ListQuery): Statement {
  return query.directories.length === 0 ? rootStatement(query) : pathsStatement(query);
}

/** RS 4.1.2 and 4.1.7. */
function rootStatement({ scope, recursive }: ListQuery): Statement {
  const { condition, parameters } = within(scope);
  const level = recursive ? "TRUE" : "records.parent IS NULL";
  return {
    sql: `SELECT ${COLUMNS} FROM records WHERE ${condition} AND ${level}
      UNION ALL ${END} ORDER BY updated_at DESC, name, id`,
    parameters,
  };
}

/**
 * RS 4.1.3 to 4.1.7. Each part comes in path order by itself where one directory is asked for, so
 * that SQLite merges the parts and sorts nothing.
 */
function pathsStatement({ scope, recursive, directories, chain }: ListQuery): Statement {
  const { condition, parameters } = within(scope);
  const [directory] = directories;
  const single = directories.length === 1;
  const below = recursive
    ? (path: string) => `records.path > ${path} || '/' AND records.path < ${path} || '0'`
    : (path: string) => `records.parent = ${path}`;
  const parts = [
    `SELECT ${COLUMNS} FROM json_each(:chain) p CROSS JOIN records
      ON ${condition} AND records.path = p.value WHERE records.is_dir = 1`,
    single
      ? `SELECT ${COLUMNS} FROM records WHERE ${condition} AND ${below(":directory")}`
      : `SELECT ${COLUMNS} FROM json_each(:directories) p CROSS JOIN records
      ON ${condition} AND ${below("p.value")}`,
  ];
  if (recursive) {
    parts.push(
      `SELECT ${COLUMNS} FROM json_each(:directories) p CROSS JOIN records
      ON ${condition} AND records.path = p.value WHERE records.is_dir = 0`,
    );
  }
  const named: Parameters = { ...parameters, chain: JSON.stringify(chain) };
  if (single) named.directory = directory ?? "";
  if (!single || recursive) named.directories = JSON.stringify(directories);
  parts.push(END);
  return { sql: `${parts.join("\nUNION ALL\n")}\nORDER BY path`, parameters: named };
}

/**
 * A last row by either order: a time of NULL is the oldest, and a BLOB comes behind all text. Where
 * SQLite fails, `iterate` ends without a word, and this row has not come.
 */
const END = "SELECT NULL, NULL, x'', NULL, NULL, NULL, NULL, NULL, NULL, NULL";

function* recordsOf(rows: Iterable<Row>): Generator<ResourceRecord, void> {
  for (const row of rows) {
    if (row.id === null) return;
    yield toRecord(row);
  }
  throw new Error("The database failed in the middle of a listing");
}

/** Keeps one record a path of records in path order: the one that RS 1.4 prefers (RS 4.1.5). */
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
