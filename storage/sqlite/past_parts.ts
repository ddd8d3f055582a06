import type { ListQuery, ResourceRecord } from "../../core/ports.ts";
import { recordOf } from "../tables/record_rows.ts";
import { nodesOf } from "../tables/history_nodes.ts";
import type { PastTree } from "../tables/history_store.ts";
import type { SqlParameters } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { RECORD_COLUMNS } from "./lookup.ts";

export const COLUMNS =
  "id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";

/** Whether a row of history is one of the tree at the version. */
const HELD = "user_id = :past_user AND since <= :past_version AND until > :past_version";
const HAS_NODE = "node IN (SELECT value FROM json_each(:past_nodes))";

/** How rows of history are found: by what they hold for, by paths in their order, or by one path or some keys. */
type Search =
  | { readonly by: "node"; readonly conditions: readonly string[] }
  | { readonly by: "order" | "one" }
  | { readonly by: "path" | "id"; readonly asked: string };

/** Records of a tree at a version. */
export interface Part {
  /** Selects them where there is no history. */
  readonly condition: string;
  readonly search: Search;
  readonly parameters: SqlParameters;
}

/** What a listing has of one of its directories. @param directory undefined: the root. */
export function inside({ recursive }: ListQuery, directory: string | undefined): Part {
  if (directory === undefined) return recursive ? everything() : childrenOf(null);
  return recursive ? below(directory) : childrenOf(directory);
}

/** @param rest What the statement has behind its source, with the parameters of the part. */
export function rowsOf(
  connection: Connection,
  tree: PastTree,
  part: Part,
  rest = "",
): ResourceRecord[] {
  return connection.values(
    `SELECT ${RECORD_COLUMNS} FROM (${rowsAt(tree, COLUMNS, part)}) AS records ${rest}`,
    parametersAt(tree, part),
  ).map(recordOf);
}

/**
 * How many rows of the past a part is read from, up to a limit, besides those that are in no order yet: some of them
 * are of other versions.
 */
export function countRead(
  connection: Connection,
  { userId, version, tag }: PastTree,
  { condition, search, parameters }: Part,
  limit: number,
): number {
  const sources = tag !== undefined
    ? [taggedRows("1", condition)]
    : search.by === "node"
    ? search.conditions.map((it) =>
      `SELECT 1 FROM main.history INDEXED BY history_by_node
       WHERE user_id = :past_user AND ${HAS_NODE} AND ${it}`
    )
    : [];
  const rows = sources.map((it) => `SELECT * FROM (${it} LIMIT ${limit})`).join(" UNION ALL ");
  const row = connection.get(`SELECT count(*) AS count FROM (${rows})`, {
    ...parameters,
    ...tag !== undefined
      ? { past_tag: tag }
      : { past_user: userId, past_nodes: JSON.stringify(nodesOf(version)) },
  });
  return Number(row?.count);
}

/** The values of the parameters by which statements find a tree at a version. */
export function pastParameters({ userId, version, tag }: PastTree): SqlParameters {
  return tag === undefined ? { past_user: userId, past_version: version } : { past_tag: tag };
}

export function parametersAt(tree: PastTree, { search, parameters }: Part): SqlParameters {
  const hasNodes = tree.tag === undefined && search.by === "node";
  return {
    ...parameters,
    ...pastParameters(tree),
    ...hasNodes && { past_nodes: JSON.stringify(nodesOf(tree.version)) },
  };
}

export function rowsAt({ tag }: PastTree, columns: string, part: Part): string {
  return tag === undefined
    ? pastParts(columns, part).join(" UNION ALL ")
    : taggedRows(columns, part.condition);
}

export function taggedRows(columns: string, condition: string): string {
  return `SELECT ${columns} FROM main.tagged_records WHERE tag = :past_tag AND ${condition}`;
}

/** What was there since the version or earlier, and still is, or was until later. */
export function pastParts(
  columns: string,
  { condition, search }: Omit<Part, "parameters">,
): string[] {
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
           WHERE ${HELD} AND ${HAS_NODE} AND ${condition}
         ) AS found CROSS JOIN main.history
         ON user_id = :past_user AND until = found.ended AND id = found.kept`
      );
    // Of the states of a path or a record, the first that ends later is the only one that may hold.
    case "one":
      return [
        `SELECT ${columns} FROM (
           SELECT * FROM main.history INDEXED BY history_by_path
           WHERE user_id = :past_user AND ${condition} AND until > :past_version
           ORDER BY until LIMIT 1
         ) WHERE since <= :past_version`,
      ];
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

export function at(paths: readonly string[]): Part {
  const [path, ...others] = paths;
  // Most requests name one path. This takes half as long.
  if (path !== undefined && others.length === 0) {
    return { condition: "path = :path", search: { by: "one" }, parameters: { path } };
  }
  return {
    condition: "path IN (SELECT value FROM json_each(:paths))",
    search: { by: "path", asked: ":paths" },
    parameters: { paths: JSON.stringify(paths) },
  };
}

export function below(path: string): Part {
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
