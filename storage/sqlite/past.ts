import type { ListQuery, ResourceRecord } from "../../core/ports.ts";
import { recordOf } from "../tables/record_rows.ts";
import { nodesOf } from "../tables/history_nodes.ts";
import type { PastTree } from "../tables/history_store.ts";
import type { SqlParameters } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { RECORD_COLUMNS } from "./lookup.ts";

const COLUMNS =
  "id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";

/** Whether a row of history is one of the tree at the version. */
const HELD = "user_id = :past_user AND since <= :past_version AND until > :past_version";

/** How rows of history are found: by what they hold for, by paths in their order, or by some keys. */
type Search =
  | { readonly by: "node"; readonly conditions: readonly string[] }
  | { readonly by: "order" }
  | { readonly by: "path" | "id"; readonly asked: string };

/** Records of a tree at a version. */
interface Part {
  /** Selects them where there is no history. */
  readonly condition: string;
  readonly search: Search;
  readonly parameters: SqlParameters;
}

/** The records of a tree at a version at some paths. */
export function findPastByPath(
  connection: Connection,
  tree: PastTree,
  paths: readonly string[],
): ResourceRecord[] {
  return rowsOf(connection, tree, at(paths));
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
  const { directories, chain, recursive } = query;
  const parts = directories.length === 0
    ? [recursive ? everything() : childrenOf(null)]
    : directories.map((path) => recursive ? below(path) : childrenOf(path));
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

function rowsOf(connection: Connection, tree: PastTree, part: Part): ResourceRecord[] {
  return connection.values(
    `SELECT ${RECORD_COLUMNS} FROM (${rowsAt(tree, COLUMNS, part)}) AS records`,
    parametersAt(tree, part),
  ).map(recordOf);
}

/** The values of the parameters by which statements find a tree at a version. */
export function pastParameters({ userId, version, tag }: PastTree): SqlParameters {
  return tag === undefined ? { past_user: userId, past_version: version } : { past_tag: tag };
}

function parametersAt(tree: PastTree, { search, parameters }: Part): SqlParameters {
  const hasNodes = tree.tag === undefined && search.by === "node";
  return {
    ...parameters,
    ...pastParameters(tree),
    ...hasNodes && { past_nodes: JSON.stringify(nodesOf(tree.version)) },
  };
}

const WHOLE = pastParts(COLUMNS, { condition: "TRUE", search: { by: "order" } });
/** What statements of tags read in place of the table of records. */
export const TAG_SOURCES = {
  past: `(${WHOLE.join(" UNION ALL ")}) AS records`,
  tagged: `(${taggedRows(COLUMNS, "TRUE")}) AS records`,
};

function rowsAt({ tag }: PastTree, columns: string, part: Part): string {
  return tag === undefined
    ? pastParts(columns, part).join(" UNION ALL ")
    : taggedRows(columns, part.condition);
}

function taggedRows(columns: string, condition: string): string {
  return `SELECT ${columns} FROM main.tagged_records WHERE tag = :past_tag AND ${condition}`;
}

/** What was there since the version or earlier, and still is, or was until later. */
function pastParts(columns: string, { condition, search }: Omit<Part, "parameters">): string[] {
  return [
    `SELECT ${columns} FROM main.records
     WHERE user_id = :past_user AND since <= :past_version AND ${condition}`,
    ...formerParts(columns, condition, search),
    `SELECT ${columns} FROM main.fresh_history WHERE ${HELD} AND ${condition}`,
  ];
}

function formerParts(columns: string, condition: string, search: Search): string[] {
  switch (search.by) {
    case "order":
      return [
        `SELECT ${columns} FROM main.history INDEXED BY history_by_path WHERE ${HELD} AND ${condition}`,
      ];
    // The index has all that the conditions ask for, so no other row is read.
    case "node":
      return search.conditions.map((condition) =>
        `SELECT ${columns} FROM (
           SELECT until AS ended, id AS kept FROM main.history INDEXED BY history_by_node
           WHERE ${HELD} AND node IN (SELECT value FROM json_each(:past_nodes)) AND ${condition}
         ) AS found CROSS JOIN main.history
         ON user_id = :past_user AND until = found.ended AND id = found.kept`
      );
    // Of the states of a path or a record, the first that ends later is the only one that may hold.
    case "path":
    case "id":
      return [
        `SELECT ${columns} FROM (SELECT DISTINCT value FROM json_each(${search.asked})) AS asked
         CROSS JOIN main.history INDEXED BY history_by_${search.by}
         ON user_id = :past_user AND ${search.by} = asked.value AND until = (
           SELECT min(next.until) FROM main.history AS next INDEXED BY history_by_${search.by}
           WHERE next.user_id = :past_user AND next.${search.by} = asked.value
             AND next.until > :past_version
         )
         WHERE since <= :past_version`,
      ];
  }
}

function at(paths: readonly string[]): Part {
  return {
    condition: "path IN (SELECT value FROM json_each(:paths))",
    search: { by: "path", asked: ":paths" },
    parameters: { paths: JSON.stringify(paths) },
  };
}

function below(path: string): Part {
  return {
    condition: "path > :path || '/' AND path < :path || '0'",
    search: {
      by: "node",
      conditions: ["parent = :path", "parent > :path || '/' AND parent < :path || '0'"],
    },
    parameters: { path },
  };
}

function everything(): Part {
  return { condition: "TRUE", search: { by: "node", conditions: ["TRUE"] }, parameters: {} };
}

function childrenOf(parent: string | null): Part {
  const condition = "parent IS :parent";
  return { condition, search: { by: "node", conditions: [condition] }, parameters: { parent } };
}
