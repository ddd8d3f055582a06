import type { Dialect } from "./dialect.ts";
import { FORMER, rowsByVersion, type Table } from "./former_rows.ts";
import { listedColumns } from "./s3_statements.ts";

/** The paths at and below one, or all of a tree. */
type Range = "whole" | "part";

/** All statements about what has changed in trees (C 26), by name. See docs/design/past.md. */
export const logStatements = (dialect: Dialect) => {
  const { byPath, comparePath, foundFor, indexedBy, pathKey, rows, versionIn } = dialect;
  const { byIndex, versionOf } = rowsByVersion(dialect);
  const ASKED = rows(":asked", { id: "bigint", version: "bigint" });

  /** Which records are in a range, each in one way: one index finds those of a condition. */
  const RANGES: Readonly<Record<Range, readonly string[]>> = {
    whole: ["TRUE"],
    part: [
      comparePath("path", "=", ":path"),
      `${comparePath("path", ">", ":first")} AND ${comparePath("path", "<", ":end")}`,
    ],
  };

  /** The states of records that begin or end with the versions in their columns. */
  const states = (table: Table, column: "since" | "until", range: Range) =>
    RANGES[range].map((condition) =>
      `SELECT ${
        versionOf(table, "state", column)
      } AS version, path, id, coalesce(hash, '') AS hash, size,
        CASE WHEN is_dir THEN 1 ELSE 0 END AS is_dir, ${column === "since" ? 1 : 0} AS begins
      FROM ${table} AS state ${range === "part" ? byIndex(table) : ""}
      WHERE user_id = :user AND ${condition}`
    );

  /** All states that begin or end with versions. */
  const allStates = (range: Range) =>
    [
      ...states("records", "since", range),
      ...FORMER.flatMap((table) => [
        ...states(table, "since", range),
        ...states(table, "until", range),
      ]),
    ].join(" UNION ALL ");

  const changes = (range: Range) =>
    `SELECT version, path, id, hash, size, is_dir, begins FROM (${allStates(range)}) AS change
    WHERE version > :oldest AND (version < :version OR version = :version AND path > :after)
    ORDER BY version DESC, path, begins LIMIT :limit`;

  /** Rows of history by the ids of their records: engines do not know how many others there are. */
  const BY_ID = indexedBy("history_by_id");
  /** The row of history that has a state, which is the first of its record that ends after that has begun. */
  const isFirst = `state.until = (
      SELECT min(next.until) FROM history AS next ${BY_ID}
      WHERE next.user_id = :user AND next.id = asked.id AND next.until > asked.version
    )`;
  /** Where records were, or are, whose states end or begin with versions. */
  const others = (table: "records" | "history", column: "since" | "until") =>
    `SELECT asked.id, asked.version, path, ${column === "since" ? 1 : 0} AS begins
    FROM ${ASKED} AS asked CROSS JOIN ${table} AS state ${table === "history" ? BY_ID : ""}
    WHERE state.user_id = :user AND state.id = asked.id
      AND ${versionOf(table, "state", column)} = asked.version
      ${table === "history" && column === "since" ? `AND ${isFirst}` : ""}`;
  /** The same of rows that have no index: they are read once. */
  const freshOthers = (column: "since" | "until") =>
    `SELECT id, ${versionIn("state", column)} AS version, path, ${
      column === "since" ? 1 : 0
    } AS begins
    FROM fresh_history AS state WHERE state.user_id = :user
      AND (id, ${versionIn("state", column)}) IN (SELECT id, version FROM ${ASKED} AS asked)`;

  // Engines do not know how many rows are below a path. Sorted by what an index has, they are read one by one.
  /** Whether a table has more rows below a path than some. */
  const isWide = (table: Table) =>
    `SELECT * FROM (SELECT 1 AS found FROM ${table} WHERE user_id = :user
      AND ${comparePath("path", ">", ":first")} AND ${comparePath("path", "<", ":end")}
    ORDER BY ${pathKey("path")} LIMIT 1 OFFSET :rows) AS ${table}_rows`;
  const between = `${comparePath("path", ">=", ":from")} AND ${comparePath("path", "<", ":to")}`;
  const pathAfter = (table: Table) =>
    `SELECT * FROM (SELECT path FROM ${table} WHERE user_id = :user
      AND ${comparePath("path", ">=", ":from")} AND ${comparePath("path", "<", ":end")}
    ORDER BY ${pathKey("path")} LIMIT 1 OFFSET :rows) AS ${table}_paths`;

  const STATE = `state.path, state.id, coalesce(state.hash, '') AS hash, state.size,
    CASE WHEN state.is_dir THEN 1 ELSE 0 END AS is_dir`;
  const VERSIONS = rows(":versions", { version: "bigint", stated: "bigint" });
  const KEPT = rows(":kept", { id: "bigint", version: "bigint", stated: "bigint" });
  const ADDED = rows(":added", {
    ...{ version: "bigint", stated: "bigint" },
    ...{ lowest: "bigint", highest: "bigint" },
  });
  const begunBy = (table: "records" | "history") => {
    // Records by their ids, not by those of the user.
    const [found, user, stated, first] = table === "records"
      ? [{ name: table }, "+state.user_id", "stated", "TRUE"] as const
      : [{ name: table, index: "history_by_id" }, "state.user_id", "version", isFirst] as const;
    const from = (asked: string, which: string) =>
      `SELECT asked.version, ${STATE}, 1 AS begins FROM ${
        foundFor(
          asked,
          found,
          `${user} = :user AND ${which} AND state.since = asked.${stated}`,
        )
      }`;
    return [
      from(KEPT, `state.id = asked.id AND ${first}`),
      from(ADDED, "state.id BETWEEN asked.lowest AND asked.highest"),
    ].join(" UNION ALL ");
  };
  const freshOf = (column: "since" | "until") =>
    `SELECT ${versionIn("state", column)} AS version, ${STATE}, ${
      column === "since" ? 1 : 0
    } AS begins
    FROM fresh_history AS state WHERE state.user_id = :user
      AND state.${column} IN (SELECT stated FROM ${VERSIONS} AS asked)`;
  const ofVersion = (table: Table, column: "since" | "until") =>
    `SELECT CAST(:version AS BIGINT) AS version, ${STATE}, ${column === "since" ? 1 : 0} AS begins
    FROM ${table} AS state WHERE user_id = :user
      AND state.${column} = ${table === "history" ? ":version" : ":stated"} AND ${between}`;

  const isPlace = (version: string) =>
    `${comparePath("path", ">=", ":from")} AND ${comparePath("path", "<", ":before")}
      AND NOT (path = :from AND ${version} >= CAST(:below AS BIGINT))`;
  /** States of files, by path and from the newest on. */
  const fileStates = (table: Table) => {
    const since = versionOf(table, "state", "since");
    const [until, order] = table === "records"
      ? ["CAST(NULL AS BIGINT)", since]
      : [versionOf(table, "state", "until"), versionOf(table, "state", "until")];
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
        ${listedColumns(dialect)},
        (SELECT made_at FROM tree_changes AS made
          WHERE made.user_id = state.user_id AND made.version = state.until) AS ended_at
      FROM (${(["records", ...FORMER] as const).map(fileStates).join(" UNION ALL ")}) AS state
      LEFT JOIN s3_objects ON s3_objects.record_id = state.id AND s3_objects.hash = state.hash
      ORDER BY state.path, state.since DESC LIMIT :limit`,
    /** States at or below a path that begin and end with versions, newest first. */
    changesOfTree: changes("whole"),
    changesOfPath: changes("part"),
    /** A row if there are more than some below a path. */
    wide: [isWide("records"), isWide("history")].join(" UNION ALL "),
    /**
     * The newest versions, with how many states they have ended and added, of those that are in order. They are
     * counted up to a number of them all.
     */
    versionsUpTo: `SELECT made.version, made.change, made.first_added, made.last_added,
        coalesce(ended.states, 0) AS states
      FROM (
        SELECT version, change, first_added, last_added FROM tree_changes
        WHERE user_id = :user AND version > :oldest AND version <= :version
        ORDER BY version DESC LIMIT :limit
      ) AS made LEFT JOIN (
        SELECT until, count(*) AS states FROM (
          SELECT until FROM history WHERE user_id = :user AND until > :oldest AND until <= :version
          ORDER BY until DESC LIMIT :states
        ) AS newest GROUP BY until
      ) AS ended ON ended.until = made.version
      ORDER BY made.version DESC`,
    /** How many states a version has ended, of those that are in order, up to a number. */
    endedStates: `SELECT count(*) AS states FROM (
        SELECT 1 AS found FROM history WHERE user_id = :user AND until = :version LIMIT :states
      ) AS ended`,
    /** How many states versions have ended, of those that are not in order yet. */
    freshStates: `SELECT until, count(*) AS states FROM fresh_history
      WHERE user_id = :user GROUP BY until`,
    /** All states that versions have ended. */
    endedBy: `SELECT asked.version, ${STATE}, 0 AS begins
      FROM ${
      foundFor(
        VERSIONS,
        { name: "history" },
        "state.user_id = :user AND state.until = asked.version",
      )
    } UNION ALL ${freshOf("until")}`,
    /** All states that versions have begun: of records that they have kept, and that they have added. */
    begunBy: [
      begunBy("records"),
      begunBy("history"),
      freshOf("since"),
    ].join(" UNION ALL "),
    /** A path up to which there are about some rows from another one, if there are more. */
    pathAfter: `SELECT min(path) AS path FROM (${
      [pathAfter("records"), ...FORMER.map(pathAfter)].join(" UNION ALL ")
    }) AS ends`,
    /** The states between two paths that begin and end with a version, by path. */
    changesOfVersion: `SELECT * FROM (${
      [
        ofVersion("records", "since"),
        ...FORMER.flatMap((table) => [ofVersion(table, "since"), ofVersion(table, "until")]),
      ].join(" UNION ALL ")
    }) AS change ORDER BY path, begins`,
    /** What ended, and what began, with versions, of records by their ids. */
    statesOf: [
      ...[others("history", "until"), others("history", "since"), others("records", "since")],
      ...[freshOthers("until"), freshOthers("since")],
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
