import type { Database } from "./database.ts";
import { nodesOf } from "../tables/history_nodes.ts";
import type { PastReads, PastTree } from "../tables/history_store.ts";
import type { Statement } from "./listing.ts";
import { findById, findByPath, findLocated, type Source } from "./lookup.ts";
import { isParent, isPath } from "./path_conditions.ts";
import type { SqlParameters } from "./session.ts";

const COLUMNS =
  "id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";

/**
 * Whether what a column states, a version or the negative number of a large change, came up to the version. Engines ask
 * for all large changes at once where there are many rows.
 */
const cameBy = (column: string) =>
  `(${column} BETWEEN 0 AND :past_version::bigint OR ${column} < 0 AND EXISTS (
    SELECT FROM tree_changes AS ended
    WHERE ended.user_id = :past_user::bigint AND ended.change IS NOT NULL
      AND ended.change = -${column} AND ended.version <= :past_version::bigint
  ))`;

/** The rows of history that held at the version, of those that are found in a way. */
const held = (condition: string) =>
  `SELECT ${COLUMNS} FROM history AS former
  WHERE former.user_id = :past_user::bigint AND ${condition}
    AND former.since <= :past_version::bigint AND former.until > :past_version::bigint`;

const HAS_NODE = "former.node = ANY (:past_nodes::bigint[])";

/** Statements about rows of history that held at the version, which others read within those of the whole tree. */
export const HISTORY = {
  /** All rows. */
  all: held(HAS_NODE),
  /** Those of the path, which is an SQL expression. */
  at: (path: string) => first(isPath("state.path", path)),
  /** Those of the records that have one of `:ids`. */
  ofIds: `SELECT found.* FROM (SELECT DISTINCT unnest(:ids::bigint[]) AS id) AS asked
    CROSS JOIN LATERAL (${first("state.id = asked.id")}) AS found`,
  /** Those below the directory, which is an SQL expression, by the index that has parents. */
  below: (root: string) =>
    `${held(`${HAS_NODE} AND ${isParent("former.parent", root)}`)}
    UNION ALL ${held(`${HAS_NODE} AND ${isBelowParent(root)}`)}`,
};

/** Of the states of a path or a record, the first that ends later is the only one that may have held. */
function first(condition: string): string {
  return `SELECT ${COLUMNS} FROM (
    SELECT * FROM history AS state WHERE state.user_id = :past_user::bigint AND ${condition}
      AND state.until > :past_version::bigint ORDER BY state.until LIMIT 1
  ) AS former WHERE former.since <= :past_version::bigint`;
}

/** The parent is below the root: its index has other first characters than that of paths. */
function isBelowParent(root: string): string {
  return `left(former.parent, 550) >= left(${root} || '/', 550)
    AND left(former.parent, 550) <= left(${root} || '0', 550)
    AND former.parent > ${root} || '/' AND former.parent < ${root} || '0'`;
}

/**
 * What was there since the version or earlier, and still is, or was until later. It is named as the table is. A large
 * change that has not ended sees what it has changed itself, of which no version knows yet.
 */
const past = (history: string) =>
  `(
  SELECT ${COLUMNS} FROM records AS present
  WHERE present.user_id = :past_user::bigint AND ${cameBy("present.since")}
  UNION ALL ${history}
  UNION ALL SELECT ${COLUMNS} FROM fresh_history AS fresh
  WHERE fresh.user_id = :past_user::bigint AND ${cameBy("fresh.since")}
    AND NOT ${cameBy("fresh.until")}
) AS records`;

export const PAST = {
  /** The record at a path. */
  at: (path: string) => past(HISTORY.at(path)),
  /** The records below a directory. */
  below: (root: string) => past(HISTORY.below(root)),
};
/** All records of the tree for tags, which name no nodes. */
export const TAGGED_PAST = past(held("TRUE"));

/** What a tag names. */
export const TAGGED =
  `(SELECT ${COLUMNS} FROM tagged_records WHERE tag = :past_tag::bigint) AS records`;

/** The values of the parameters by which statements find a tree at a version. */
export function pastParameters({ userId, version, tag }: PastTree): SqlParameters {
  return tag === undefined
    ? { past_user: userId, past_version: version, past_nodes: nodesOf(version) }
    : { past_tag: tag };
}

/**
 * A statement about the present records, for those of a tree at a version.
 *
 * @param history One of {@link HISTORY} that finds all that the statement asks for.
 */
export function asOf(
  { sql, parameters }: Statement,
  tree: PastTree | undefined,
  history: string = HISTORY.all,
): Statement {
  if (tree === undefined) return { sql, parameters };
  const source = tree.tag === undefined ? past(history) : TAGGED;
  return {
    sql: sql.replace(/\b(FROM|JOIN) records\b/g, (_, word) => `${word} ${source}`),
    parameters: { ...parameters, ...pastParameters(tree) },
  };
}

/** Lookups of records at a version. */
export function pastLookups(
  database: Database,
): Pick<PastReads, "findByPath" | "findLocated" | "findById" | "settled"> {
  const source = (tree: PastTree, history: string): Source => {
    const of = (sql: string, parameters: SqlParameters = {}) => {
      const statement = asOf({ sql, parameters }, tree, history);
      return [statement.sql, statement.parameters] as const;
    };
    return {
      all: (...given) => database.all(...of(...given)),
      get: (...given) => database.get(...of(...given)),
      values: (...given) => database.values(...of(...given)),
    };
  };
  const scope = ({ userId }: PastTree) => ({ userId, everyone: false });
  return {
    // Versions of large changes show once those have ended.
    settled: () => Promise.resolve(),
    findByPath: async (tree, paths) => [
      ...(await findByPath(source(tree, HISTORY.at("asked.path")), scope(tree), paths)).values(),
    ],
    findLocated: (tree, path) =>
      findLocated(source(tree, HISTORY.at(":path::text")), scope(tree), path),
    findById: async (tree, ids) => [
      ...(await findById(source(tree, HISTORY.ofIds), scope(tree), ids)).values(),
    ],
  };
}
