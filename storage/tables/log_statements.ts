import type { Dialect } from "./dialect.ts";

/** The paths at and below one, or all of a tree. */
type Range = "whole" | "part";

/** All statements about what has changed in trees (C 26), by name. See docs/design/history.md. */
export const logStatements = (dialect: Dialect) => {
  const { comparePath, rows, versionIn } = dialect;
  const ASKED = rows(":asked", { id: "bigint", version: "bigint" });

  const isIn = (path: string, range: Range) =>
    range === "whole" ? "TRUE" : `(${comparePath(path, "=", ":path")} OR (
      ${comparePath(path, ">", ":first")} AND ${comparePath(path, "<", ":end")}
    ))`;

  /** The states of records that begin or end with the versions in their columns. */
  const states = (table: "records" | "history", column: "since" | "until", range: Range) =>
    `SELECT ${versionIn("state", column)} AS version, path, id, coalesce(hash, '') AS hash, size,
      CASE WHEN is_dir THEN 1 ELSE 0 END AS is_dir, ${column === "since" ? 1 : 0} AS begins
    FROM ${table} AS state WHERE user_id = :user AND ${isIn("path", range)}`;

  const changes = (range: Range) =>
    `SELECT version, path, id, hash, size, is_dir, begins FROM (
      ${states("records", "since", range)}
      UNION ALL ${states("history", "since", range)}
      UNION ALL ${states("history", "until", range)}
    ) AS change
    WHERE version > :oldest AND (version < :version OR version = :version AND path > :after)
    ORDER BY version DESC, path, begins LIMIT :limit`;

  /** Where records were, or are, whose states end or begin with versions. */
  const others = (table: "records" | "history", column: "since" | "until") =>
    `SELECT asked.id, asked.version, path, ${column === "since" ? 1 : 0} AS begins
    FROM ${ASKED} AS asked CROSS JOIN ${table} AS state
    WHERE state.user_id = :user AND state.id = asked.id
      AND ${versionIn("state", column)} = asked.version`;

  return {
    /** States at or below a path that begin and end with versions, newest first. */
    changesOfTree: changes("whole"),
    changesOfPath: changes("part"),
    /** What ended, and what began, with versions, of records by their ids. */
    statesOf: `${others("history", "until")} UNION ALL ${others("history", "since")}
      UNION ALL ${others("records", "since")}`,
    /** When versions were made, by whom, and why. */
    notes: `SELECT version, made_at, author, message FROM tree_changes
      WHERE user_id = :user AND version IN (SELECT version FROM ${
      rows(":versions", { version: "bigint" })
    } AS asked)`,
  };
};

export type LogStatement = keyof ReturnType<typeof logStatements>;
