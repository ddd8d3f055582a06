import type { Dialect } from "./dialect.ts";

/** The paths at and below one, or all of a tree. */
type Range = "whole" | "part";

/** The tables with records as they were: in order, and not yet. */
const FORMER = ["history", "fresh_history"] as const;
type Table = "records" | typeof FORMER[number];

/** All statements about what has changed in trees (C 26), by name. See docs/design/past.md. */
export const logStatements = (dialect: Dialect) => {
  const { byPath, comparePath, rows, versionIn } = dialect;
  const ASKED = rows(":asked", { id: "bigint", version: "bigint" });

  const isIn = (path: string, range: Range) =>
    range === "whole" ? "TRUE" : `(${comparePath(path, "=", ":path")} OR (
      ${comparePath(path, ">", ":first")} AND ${comparePath(path, "<", ":end")}
    ))`;

  /** The states of records that begin or end with the versions in their columns. */
  const states = (table: Table, column: "since" | "until", range: Range) =>
    `SELECT ${versionIn("state", column)} AS version, path, id, coalesce(hash, '') AS hash, size,
      CASE WHEN is_dir THEN 1 ELSE 0 END AS is_dir, ${column === "since" ? 1 : 0} AS begins
    FROM ${table} AS state WHERE user_id = :user AND ${isIn("path", range)}`;

  /** All states that begin or end with versions. */
  const allStates = (range: Range) =>
    [
      states("records", "since", range),
      ...FORMER.flatMap((table) => [states(table, "since", range), states(table, "until", range)]),
    ].join(" UNION ALL ");

  const changes = (range: Range) =>
    `SELECT version, path, id, hash, size, is_dir, begins FROM (${allStates(range)}) AS change
    WHERE version > :oldest AND (version < :version OR version = :version AND path > :after)
    ORDER BY version DESC, path, begins LIMIT :limit`;

  /** Where records were, or are, whose states end or begin with versions. */
  const others = (table: Table, column: "since" | "until") =>
    `SELECT asked.id, asked.version, path, ${column === "since" ? 1 : 0} AS begins
    FROM ${ASKED} AS asked CROSS JOIN ${table} AS state
    WHERE state.user_id = :user AND state.id = asked.id
      AND ${versionIn("state", column)} = asked.version`;

  const below = `${comparePath("part.path", ">", "gone.path || '/'")}
    AND ${comparePath("part.path", "<", "gone.path || '0'")}`;
  const partOf = (table: Table) =>
    `FROM ${table} AS part WHERE part.user_id = :user AND part.hash <> ''
      AND (${comparePath("part.path", "=", "gone.path")} OR (${below}))`;
  const deleted = `AND NOT part.is_moved AND ${versionIn("part", "until")} = gone.version`;
  const deletedParts = (value: string) =>
    FORMER.map((table) => `(SELECT ${value} ${partOf(table)} ${deleted})`).join(" + ");
  const begins = (["records", ...FORMER] as const).map((table) =>
    `EXISTS (SELECT 1 FROM ${table} AS next WHERE next.user_id = :user
      AND ${comparePath("next.path", "=", "former.path")}
      AND ${versionIn("next", "since")} = ${versionIn("former", "until")})`
  ).join(" OR ");
  const isWithDirectory = FORMER.map((table) =>
    `EXISTS (SELECT 1 FROM ${table} AS above WHERE above.user_id = :user
      AND ${comparePath("above.path", "=", "former.parent")} AND NOT above.is_moved
      AND ${versionIn("above", "until")} = ${versionIn("former", "until")})`
  ).join(" OR ");
  const isMerged = FORMER.map((table) =>
    `EXISTS (SELECT 1 FROM ${table} AS part WHERE part.user_id = :user AND part.is_moved
      AND ${versionIn("part", "until")} = gone.version AND ${below})`
  ).join(" OR ");
  const until = versionIn("former", "until");
  const gone = (table: Table) =>
    `SELECT ${until} AS version, path, coalesce(hash, '') AS hash,
      CASE WHEN is_dir THEN 1 ELSE 0 END AS is_dir
    FROM ${table} AS former WHERE user_id = :user AND NOT is_moved AND ${until} > :oldest
      AND (${until} < :version OR ${until} = :version AND path > :after)
      AND NOT (${begins}) AND NOT (${isWithDirectory})`;

  const isPlace = (version: string) =>
    `${comparePath("path", ">=", ":from")} AND ${comparePath("path", "<", ":before")}
      AND NOT (path = :from AND ${version} >= CAST(:below AS BIGINT))`;
  /** States of files, by path and from the newest on. */
  const fileStates = (table: Table) => {
    const since = versionIn("state", "since");
    const [until, order] = table === "records"
      ? ["CAST(NULL AS BIGINT)", since]
      : [versionIn("state", "until"), versionIn("state", "until")];
    return `SELECT * FROM (
      SELECT user_id, id, path, ${since} AS since, ${until} AS until, size, hash, updated_at
      FROM ${table} AS state WHERE user_id = :user AND NOT is_dir AND ${isPlace(since)}
        ${table === "records" ? "" : `AND ${until} > :oldest`}
      ORDER BY ${byPath("path")}, ${order} DESC LIMIT :limit
    ) AS ${table}_states`;
  };

  return {
    /** Files as they are and were, by path and from the newest on, with what the S3 door keeps of them. */
    states: `SELECT state.path, state.since, state.until, state.size, state.hash, state.updated_at,
        s3_objects.etag,
        (SELECT made_at FROM tree_changes AS made
          WHERE made.user_id = state.user_id AND made.version = state.until) AS ended_at
      FROM (${(["records", ...FORMER] as const).map(fileStates).join(" UNION ALL ")}) AS state
      LEFT JOIN s3_objects ON s3_objects.record_id = state.id AND s3_objects.hash = state.hash
      ORDER BY state.path, state.since DESC LIMIT :limit`,
    /** Records that versions have deleted as a whole, newest first, with how much was in them, and is there now. */
    trash: `SELECT gone.version, gone.path, gone.hash, gone.is_dir,
        ${deletedParts("count(*)")} AS files,
        ${deletedParts("coalesce(sum(part.size), 0)")} AS bytes,
        (SELECT count(*) ${partOf("records")}) AS present_files,
        (SELECT coalesce(sum(part.size), 0) ${partOf("records")}) AS present_bytes,
        (SELECT coalesce(hash, '') FROM records AS present WHERE present.user_id = :user
          AND ${comparePath("present.path", "=", "gone.path")}) AS present_hash,
        CASE WHEN ${isMerged} THEN 1 ELSE 0 END AS merged
      FROM (
        SELECT * FROM (${FORMER.map(gone).join(" UNION ALL ")}) AS former
        ORDER BY version DESC, path LIMIT :limit
      ) AS gone ORDER BY gone.version DESC, gone.path`,
    /** States at or below a path that begin and end with versions, newest first. */
    changesOfTree: changes("whole"),
    changesOfPath: changes("part"),
    /** What ended, and what began, with versions, of records by their ids. */
    statesOf: [
      ...FORMER.flatMap((table) => [others(table, "until"), others(table, "since")]),
      others("records", "since"),
    ].join(" UNION ALL "),
    /** The versions that have changed something at or below a path, newest first. */
    versionsOf: `SELECT DISTINCT version FROM (${allStates("part")}) AS change
      WHERE version > :oldest AND version <= :version ORDER BY version DESC LIMIT :limit`,
    /** The known commit ids of a repository, and of its branches, that have an id. */
    commitsWith: `SELECT directory, version, modified_at FROM hub_commits
      WHERE user_id = :user AND commit_id = :id
        AND (directory = :directory OR directory > :first AND directory < :last)
      ORDER BY version DESC`,
    knownCommits: `SELECT version, commit_id, modified_at FROM hub_commits
      WHERE user_id = :user AND directory = :directory AND version IN (SELECT version FROM ${
      rows(":versions", { version: "bigint" })
    } AS asked)`,
    keepCommit: `INSERT INTO hub_commits (user_id, directory, version, commit_id, modified_at)
      VALUES (:user, :directory, :version, :id, :modified) ON CONFLICT DO NOTHING`,
    /** When versions were made, by whom, and why. */
    notes: `SELECT version, made_at, author, message FROM tree_changes
      WHERE user_id = :user AND version IN (SELECT version FROM ${
      rows(":versions", { version: "bigint" })
    } AS asked)`,
  };
};

export type LogStatement = keyof ReturnType<typeof logStatements>;
