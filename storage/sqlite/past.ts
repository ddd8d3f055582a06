import type { ListQuery, ResourceRecord } from "../../core/ports.ts";
import { recordOf } from "../tables/record_rows.ts";
import type { PastTree } from "../tables/history_store.ts";
import type { SqlParameters } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { RECORD_COLUMNS } from "./lookup.ts";

const COLUMNS =
  "id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";

/** Records of a tree at a version that a condition selects, with the index of history that has them. */
interface Part {
  readonly index: "history_by_path" | "history_by_parent" | "history_by_id";
  readonly condition: string;
  readonly parameters: SqlParameters;
}

/** The records of a tree at a version at some paths. */
export function findPastByPath(
  connection: Connection,
  tree: PastTree,
  paths: readonly string[],
): ResourceRecord[] {
  return paths.flatMap((path) => rowsOf(connection, tree, at(path)));
}

/** The records of a tree at a version that have some ids. */
export function findPastById(
  connection: Connection,
  tree: PastTree,
  ids: readonly number[],
): ResourceRecord[] {
  const condition = "id IN (SELECT value FROM json_each(:ids))";
  const parameters = { ids: JSON.stringify(ids) };
  return rowsOf(connection, tree, { index: "history_by_id", condition, parameters });
}

/**
 * Makes a temporary table `records` of what a listing of a tree at a version has: statements about the present
 * find it instead, on this connection.
 */
export function fillWithListing(connection: Connection, tree: PastTree, query: ListQuery): void {
  const { directories, chain, recursive } = query;
  const parts = directories.length === 0
    ? [recursive ? everything() : childrenOf(null)]
    : directories.map((path) => recursive ? below(path) : childrenOf(path));
  const named = [...new Set([...chain, ...directories])].map(at);
  fill(connection, tree, [...parts, ...named]);
}

/** The same for files at and below some records. */
export function fillWithRoots(
  connection: Connection,
  tree: PastTree,
  roots: readonly ResourceRecord[],
): void {
  fill(connection, tree, roots.map(({ path, isDir }) => isDir ? below(path) : at(path)));
}

/** Rows that one step of a change reads. */
const PAGE_ROWS = 1000;
/** More records than a change has that is carried out in one transaction. */
const MANY = 10_001;

/** How many records a tree at a version has below a path, if they are not {@link MANY}. */
export function countPast(connection: Connection, tree: PastTree, path: string): number {
  const { index, condition, parameters } = below(path);
  const row = connection.get(
    `SELECT count(*) AS count FROM (${rowsAt(tree, "1", index, condition)} LIMIT ${MANY})`,
    { ...parameters, ...pastParameters(tree) },
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
    ? pastParts(COLUMNS, "history_by_path", condition)
    : [taggedRows(COLUMNS, condition)];
  const first = parts.map((rows) => `SELECT * FROM (${rows} ORDER BY path LIMIT ${PAGE_ROWS})`);
  return `(${first.join(" UNION ALL ")}) AS records`;
}

/** A statement that reads a page of a repository, of what that was at a version of its tree. */
export function hubPageAt(
  { sql, parameters }: { readonly sql: string; readonly parameters: SqlParameters },
  tree: PastTree,
  request: { readonly recursive?: boolean; readonly paths?: readonly string[] },
): { readonly sql: string; readonly parameters: SqlParameters } {
  const [index, condition] = request.paths !== undefined
    ? ["history_by_path", "path IN (SELECT value FROM json_each(:paths))"] as const
    : request.recursive
    ? ["history_by_path", "path > :from AND path < :end"] as const
    : ["history_by_parent", "parent = :below"] as const;
  const source = `(${rowsAt(tree, COLUMNS, index, condition)}) AS records`;
  return {
    sql: sql.replace(/\b(FROM|JOIN) records\b/g, (_, word) => `${word} ${source}`),
    parameters: { ...parameters, ...pastParameters(tree) },
  };
}

function fill(connection: Connection, tree: PastTree, parts: readonly Part[]): void {
  connection.script(`
    CREATE TEMP TABLE records (
      id INTEGER NOT NULL, user_id INTEGER NOT NULL, path TEXT PRIMARY KEY, parent TEXT, name TEXT NOT NULL,
      hash TEXT NOT NULL, size INTEGER NOT NULL, crc32 INTEGER NOT NULL, is_dir INTEGER NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    BEGIN`);
  for (const { index, condition, parameters } of parts) {
    connection.run(
      `INSERT OR IGNORE INTO temp.records (${COLUMNS}) ${rowsAt(tree, COLUMNS, index, condition)}`,
      { ...parameters, ...pastParameters(tree) },
    );
  }
  connection.script(`
    COMMIT;
    CREATE UNIQUE INDEX temp.past_ids ON records (id);
    CREATE INDEX temp.past_parents ON records (parent, path)`);
}

function rowsOf(
  connection: Connection,
  tree: PastTree,
  { index, condition, parameters }: Part,
): ResourceRecord[] {
  return connection.values(
    `SELECT ${RECORD_COLUMNS} FROM (${rowsAt(tree, COLUMNS, index, condition)}) AS records`,
    { ...parameters, ...pastParameters(tree) },
  ).map(recordOf);
}

/** The values of the parameters by which statements find a tree at a version. */
export function pastParameters({ userId, version, tag }: PastTree): SqlParameters {
  return tag === undefined ? { past_user: userId, past_version: version } : { past_tag: tag };
}

/** What statements of tags read in place of the table of records. */
export const TAG_SOURCES = {
  past: `(${pastParts(COLUMNS, "history_by_path", "TRUE").join(" UNION ALL ")}) AS records`,
  tagged: `(${taggedRows(COLUMNS, "TRUE")}) AS records`,
};

function rowsAt({ tag }: PastTree, columns: string, index: Part["index"], condition: string) {
  return tag === undefined
    ? pastParts(columns, index, condition).join(" UNION ALL ")
    : taggedRows(columns, condition);
}

function taggedRows(columns: string, condition: string): string {
  return `SELECT ${columns} FROM main.tagged_records WHERE tag = :past_tag AND ${condition}`;
}

/** What was there since the version or earlier, and still is, or was until later. */
function pastParts(columns: string, index: Part["index"], condition: string): string[] {
  return [
    `SELECT ${columns} FROM main.records
     WHERE user_id = :past_user AND since <= :past_version AND ${condition}`,
    `SELECT ${columns} FROM main.history INDEXED BY ${index}
     WHERE user_id = :past_user AND since <= :past_version AND until > :past_version AND ${condition}`,
    `SELECT ${columns} FROM main.fresh_history
     WHERE user_id = :past_user AND since <= :past_version AND until > :past_version AND ${condition}`,
  ];
}

function at(path: string): Part {
  return { index: "history_by_path", condition: "path = :path", parameters: { path } };
}

function below(path: string): Part {
  const condition = "path > :path || '/' AND path < :path || '0'";
  return { index: "history_by_path", condition, parameters: { path } };
}

function everything(): Part {
  return { index: "history_by_path", condition: "TRUE", parameters: {} };
}

function childrenOf(parent: string | null): Part {
  return { index: "history_by_parent", condition: "parent IS :parent", parameters: { parent } };
}
