import type { ListQuery, LocatedRecord, ResourceRecord } from "../../core/ports.ts";
import { LOCATED, locatedOf } from "../tables/located_rows.ts";
import type { PastTree } from "../tables/history_store.ts";
import type { SqlParameters } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { RECORD_COLUMNS } from "./lookup.ts";
import {
  at,
  below,
  COLUMNS,
  inside,
  parametersAt,
  type Part,
  pastParts,
  rowsAt,
  rowsOf,
  taggedRows,
} from "./past_parts.ts";

/** The records of a tree at a version at some paths. */
export function findPastByPath(
  connection: Connection,
  tree: PastTree,
  paths: readonly string[],
): ResourceRecord[] {
  return rowsOf(connection, tree, at(paths));
}

/** The record of a tree at a version at a path, with what belongs to it. */
export function findPastLocated(
  connection: Connection,
  tree: PastTree,
  path: string,
): LocatedRecord | undefined {
  const part = at([path]);
  const [row] = connection.values(
    `SELECT ${RECORD_COLUMNS}, ${LOCATED.columns} FROM (${rowsAt(tree, COLUMNS, part)}) AS records
     ${LOCATED.tables("records")}`,
    parametersAt(tree, part),
  );
  return row && locatedOf(row);
}

/** The records of a tree at a version that have some ids. */
export function findPastById(
  connection: Connection,
  tree: PastTree,
  ids: readonly number[],
): ResourceRecord[] {
  return rowsOf(connection, tree, {
    condition: "id IN (SELECT value FROM json_each(:ids))",
    search: { by: "id", asked: ":ids" },
    parameters: { ids: JSON.stringify(ids) },
  });
}

/**
 * Makes a temporary table `records` of what a listing of a tree at a version has: statements about the present
 * find it instead, on this connection.
 *
 * @returns how many records it has.
 */
export function fillWithListing(
  connection: Connection,
  tree: PastTree,
  query: ListQuery,
): number {
  const { directories, chain } = query;
  const parts = (directories.length === 0 ? [undefined] : directories)
    .map((directory) => inside(query, directory));
  const records = fill(connection, tree, [...parts, at([...chain, ...directories])]);
  // That of one directory is read in the order of the paths.
  if (directories.length !== 1) makeIndexes(connection);
  return records;
}

/** The same for files at and below some records. */
export function fillWithRoots(
  connection: Connection,
  tree: PastTree,
  roots: readonly ResourceRecord[],
): void {
  const files = roots.filter(({ isDir }) => !isDir).map(({ path }) => path);
  const directories = roots.filter(({ isDir }) => isDir);
  fill(connection, tree, [at(files), ...directories.map(({ path }) => below(path))]);
  makeIndexes(connection);
}

/** Rows that one step of a change reads. */
const PAGE_ROWS = 1000;
/** More records than a change has that is carried out in one transaction. */
const MANY = 10_001;

/** How many records a tree at a version has below a path, if they are not {@link MANY}. */
export function countPast(connection: Connection, tree: PastTree, path: string): number {
  const part = below(path);
  const row = connection.get(
    `SELECT count(*) AS count FROM (${rowsAt(tree, "1", part)} LIMIT ${MANY})`,
    parametersAt(tree, part),
  );
  return Number(row?.count);
}

/**
 * Puts the rows of a tree into order, in steps, before a plan reads them page by page: without an index, each page
 * would read all of them.
 */
export function* settlePast(
  connection: Connection,
  { userId, tag }: PastTree,
): Generator<undefined, void> {
  if (tag !== undefined) return;
  const sql = `DELETE FROM fresh_history WHERE position IN (
      SELECT position FROM fresh_history WHERE user_id = :user ORDER BY position LIMIT ${PAGE_ROWS}
    )`;
  while (connection.run(sql, { user: userId }) > 0) yield undefined;
}

/**
 * What a plan reads in place of the table of records: those of a tree at a version that a condition on their paths
 * selects, the first of them in the order of their paths. It has {@link pastParameters}.
 */
export function pastPage({ tag }: PastTree, condition: string): string {
  const parts = tag === undefined
    ? pastParts(COLUMNS, { condition, search: { by: "order" } })
    : [taggedRows(COLUMNS, condition)];
  const first = parts.map((rows) => `SELECT * FROM (${rows} ORDER BY path LIMIT ${PAGE_ROWS})`);
  return `(${first.join(" UNION ALL ")}) AS records`;
}

const IN_BELOW = "parent = :below";

/** A statement that reads a page of a repository, of what that was at a version of its tree. */
export function hubPageAt(
  { sql, parameters }: { readonly sql: string; readonly parameters: SqlParameters },
  tree: PastTree,
  request: { readonly recursive?: boolean; readonly paths?: readonly string[] },
): { readonly sql: string; readonly parameters: SqlParameters } {
  const part: Part = request.paths !== undefined
    ? { ...at([]), parameters }
    : request.recursive
    ? { condition: "path > :from AND path < :end", search: { by: "order" }, parameters }
    : { condition: IN_BELOW, search: { by: "node", conditions: [IN_BELOW] }, parameters };
  const source = `(${rowsAt(tree, COLUMNS, part)}) AS records`;
  return {
    sql: sql.replace(/\b(FROM|JOIN) records\b/g, (_, word) => `${word} ${source}`),
    parameters: parametersAt(tree, part),
  };
}

/** Ends the table that was made of the past: statements find the present records again. */
export function dropPast(connection: Connection): void {
  connection.script("DROP TABLE temp.records");
}

function fill(connection: Connection, tree: PastTree, parts: readonly Part[]): number {
  connection.script(`
    CREATE TEMP TABLE records (
      id INTEGER NOT NULL, user_id INTEGER NOT NULL, path TEXT PRIMARY KEY, parent TEXT, name TEXT NOT NULL,
      hash TEXT NOT NULL, size INTEGER NOT NULL, crc32 INTEGER NOT NULL, is_dir INTEGER NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    BEGIN`);
  let records = 0;
  for (const part of parts) {
    records += connection.run(
      `INSERT OR IGNORE INTO temp.records (${COLUMNS}) ${rowsAt(tree, COLUMNS, part)}`,
      parametersAt(tree, part),
    );
  }
  connection.script("COMMIT");
  return records;
}

function makeIndexes(connection: Connection): void {
  connection.script(`CREATE UNIQUE INDEX temp.past_ids ON records (id);
    CREATE INDEX temp.past_parents ON records (parent, path)`);
}

const WHOLE = pastParts(COLUMNS, { condition: "TRUE", search: { by: "order" } });
/** What statements of tags read in place of the table of records. */
export const TAG_SOURCES = {
  past: `(${WHOLE.join(" UNION ALL ")}) AS records`,
  tagged: `(${taggedRows(COLUMNS, "TRUE")}) AS records`,
};
