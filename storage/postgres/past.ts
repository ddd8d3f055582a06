import type { Database } from "./database.ts";
import { nodesOf } from "../tables/history_nodes.ts";
import type { PastReads, PastTree } from "../tables/history_store.ts";
import type { Statement } from "./listing.ts";
import { findById, findByPath, type Source } from "./lookup.ts";
import { isPath } from "./path_conditions.ts";
import type { SqlParameters } from "./session.ts";

const COLUMNS =
  "id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";

/** A version as a number: that of a large change is known by the number of the change only. */
const numberOf = (column: string) =>
  `(CASE WHEN ${column} >= 0 THEN ${column} ELSE (
    SELECT ended.version FROM tree_changes AS ended
    WHERE ended.user_id = :past_user::bigint AND ended.change = -${column}
  ) END)`;

/** The rows of history that held at the version, of those that are found in a way. */
const held = (condition: string) =>
  `SELECT ${COLUMNS} FROM history AS former
  WHERE former.user_id = :past_user::bigint AND ${condition}
    AND former.since <= :past_version::bigint AND former.until > :past_version::bigint`;

/** Of the states of a path that is asked for, the first that ends later is the only one that may have held. */
const HELD_AT_PATH = `SELECT ${COLUMNS} FROM (
    SELECT * FROM history AS state WHERE state.user_id = :past_user::bigint
      AND ${isPath("state.path", "asked.path")} AND state.until > :past_version::bigint
    ORDER BY state.until LIMIT 1
  ) AS former WHERE former.since <= :past_version::bigint`;

/** What was there since the version or earlier, and still is, or was until later. It is named as the table is. */
const past = (history: string) =>
  `(
  SELECT ${COLUMNS} FROM records AS present
  WHERE present.user_id = :past_user::bigint AND ${
    numberOf("present.since")
  } <= :past_version::bigint
  UNION ALL ${history}
  UNION ALL SELECT ${COLUMNS} FROM fresh_history AS fresh
  WHERE fresh.user_id = :past_user::bigint AND ${numberOf("fresh.since")} <= :past_version::bigint
    AND ${numberOf("fresh.until")} > :past_version::bigint
) AS records`;

export const PAST = past(held("former.node = ANY (:past_nodes::bigint[])"));
/** The same for tags, which name no nodes. */
export const TAGGED_PAST = past(held("TRUE"));
/** The same for a lookup of each path that is `asked`. */
const PAST_AT_PATH = past(HELD_AT_PATH);

/** What a tag names. */
export const TAGGED =
  `(SELECT ${COLUMNS} FROM tagged_records WHERE tag = :past_tag::bigint) AS records`;

/** The values of the parameters by which statements find a tree at a version. */
export function pastParameters({ userId, version, tag }: PastTree): SqlParameters {
  return tag === undefined
    ? { past_user: userId, past_version: version, past_nodes: nodesOf(version) }
    : { past_tag: tag };
}

/** A statement about the present records, for those of a tree at a version. */
export function asOf(statement: Statement, tree: PastTree | undefined): Statement {
  return tree === undefined ? statement : readingFrom(PAST, statement, tree);
}

/** The same for a statement that looks up each path in a table `asked`. */
export function asOfPaths(statement: Statement, tree: PastTree | undefined): Statement {
  return tree === undefined ? statement : readingFrom(PAST_AT_PATH, statement, tree);
}

function readingFrom(past: string, { sql, parameters }: Statement, tree: PastTree): Statement {
  return {
    sql: sql.replace(
      /\b(FROM|JOIN) records\b/g,
      (_, word) => `${word} ${tree.tag === undefined ? past : TAGGED}`,
    ),
    parameters: { ...parameters, ...pastParameters(tree) },
  };
}

/** Lookups of records at a version. */
export function pastLookups(
  database: Database,
): Pick<PastReads, "findByPath" | "findById" | "settled"> {
  const source = (tree: PastTree, at: typeof asOf): Source => {
    const of = (sql: string, parameters: SqlParameters = {}) => {
      const statement = at({ sql, parameters }, tree);
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
      ...(await findByPath(source(tree, asOfPaths), scope(tree), paths)).values(),
    ],
    findById: async (tree, ids) => [
      ...(await findById(source(tree, asOf), scope(tree), ids)).values(),
    ],
  };
}
