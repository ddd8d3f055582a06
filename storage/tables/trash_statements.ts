import type { Dialect } from "./dialect.ts";
import { FORMER, rowsByVersion, type Table } from "./former_rows.ts";

/** All statements about what was deleted as a whole (C 26), by name. See docs/design/past.md. */
export const trashStatements = (dialect: Dialect) => {
  const { comparePath, versionIn } = dialect;
  const { byIndex, versionOf } = rowsByVersion(dialect);
  const below = `${comparePath("part.path", ">", "gone.path || '/'")}
    AND ${comparePath("part.path", "<", "gone.path || '0'")}`;
  /** What a directory had, or has, below it, of files. */
  const parts = (table: Table, value: string, condition = "") =>
    `(SELECT ${value} FROM ${table} AS part ${byIndex(table)}
      WHERE part.user_id = :user AND part.hash <> '' AND ${below} ${condition})`;
  const deletedParts = (value: string) =>
    FORMER.map((table) =>
      parts(
        table,
        value,
        `AND NOT part.is_moved AND ${versionOf(table, "part", "until")} = gone.version`,
      )
    ).join(" + ");
  const FILES = "count(*)";
  const BYTES = "coalesce(sum(part.size), 0)";
  const ofDirectory = (value: string, ofFile: string) =>
    `CASE WHEN gone.is_dir = 1 THEN ${value} ELSE ${ofFile} END`;
  /** A path, which has no two slashes in a row, and a version: engines find one text among many, but not a pair. */
  const keyed = (path: string, version: string) => `${path} || '//' || ${version}`;
  /** Whether a row that has no index has a path, with a version: they are read once. */
  const isFresh = (path: string, until: string, column: "since" | "until", condition = "") => {
    const version = versionIn("fresh", column);
    return `${keyed(path, until)} IN (
      SELECT ${keyed("fresh.path", version)} FROM fresh_history AS fresh
      WHERE fresh.user_id = :user AND ${version} IS NOT NULL ${condition})`;
  };
  const begins = (until: string) =>
    [
      // Of the states of a path that end later, the first one is that which begins then, if any does.
      `coalesce((
        SELECT next.since FROM history AS next ${byIndex("history")} WHERE next.user_id = :user
          AND ${comparePath("next.path", "=", "former.path")} AND next.until > ${until}
        ORDER BY next.until LIMIT 1
      ) = ${until}, FALSE)`,
      `EXISTS (SELECT 1 FROM records AS next WHERE next.user_id = :user
        AND ${comparePath("next.path", "=", "former.path")}
        AND ${versionOf("records", "next", "since")} = ${until})`,
      isFresh("former.path", until, "since"),
    ].join(" OR ");
  const isWithDirectory = (until: string) =>
    `EXISTS (
      SELECT 1 FROM history AS above ${byIndex("history")} WHERE above.user_id = :user
        AND ${comparePath("above.path", "=", "former.parent")} AND NOT above.is_moved
        AND above.until = ${until}
    ) OR ${isFresh("coalesce(former.parent, '')", until, "until", "AND NOT fresh.is_moved")}`;
  const isMerged = FORMER.map((table) =>
    `EXISTS (SELECT 1 FROM ${table} AS part ${
      byIndex(table)
    } WHERE part.user_id = :user AND part.is_moved
      AND ${versionOf(table, "part", "until")} = gone.version AND ${below})`
  ).join(" OR ");
  /** How many files there are, of how many bytes, and a sum of what is in them. */
  const SUMS = "count(*) || ' ' || coalesce(sum(size), 0) || ' ' || coalesce(sum(crc32), 0)";
  const presentContents = parts("records", SUMS);
  /** What a version has deleted below a path. */
  const contents = (version: string) =>
    `(SELECT ${SUMS} FROM (${
      FORMER.map((table) =>
        `SELECT part.size, part.crc32 FROM ${table} AS part ${byIndex(table)}
        WHERE part.user_id = :user AND part.hash <> '' AND ${below} AND NOT part.is_moved
          AND ${versionOf(table, "part", "until")} = ${version}`
      ).join(" UNION ALL ")
    }) AS parts)`;
  /** Whether what is gone was there again, and is gone since a later version. */
  const isGoneAgain = (table: typeof FORMER[number]) => {
    const until = versionOf(table, "later", "until");
    return `EXISTS (SELECT 1 FROM ${table} AS later ${byIndex(table)}
      WHERE later.user_id = :user AND ${comparePath("later.path", "=", "gone.path")}
        AND NOT later.is_moved AND ${until} > gone.version AND coalesce(later.hash, '') = gone.hash
        AND (gone.is_dir = 0 OR ${contents(until)} = ${contents("gone.version")}))`;
  };
  /** Whether rows that have no index have the path, besides the row itself: they are read once. */
  const mayBeFreshAgain = [0, 1].map((isFresh) =>
    `gone.is_fresh = ${isFresh} AND gone.path IN (
      SELECT path FROM fresh_history WHERE user_id = :user AND NOT is_moved
      GROUP BY path HAVING count(*) > ${isFresh})`
  ).join(" OR ");
  /** What a table has of such rows, newest first. */
  const gone = (table: Table) => {
    const until = versionOf(table, "former", "until");
    return `SELECT * FROM (
      SELECT ${until} AS version, path, ${
      table === "history" ? 0 : 1
    } AS is_fresh, coalesce(hash, '') AS hash, size,
        CASE WHEN is_dir THEN 1 ELSE 0 END AS is_dir
      FROM ${table} AS former WHERE user_id = :user AND NOT is_moved AND ${until} > :oldest
        AND (${until} < :version OR ${until} = :version AND path > :after)
        AND NOT (${isWithDirectory(until)}) AND NOT (${begins(until)})
      ORDER BY ${until} DESC, path LIMIT :limit
    ) AS ${table}_gone`;
  };

  return {
    /** Records that versions have deleted as a whole, newest first, with how much was in them, and is there now. */
    trash: `SELECT gone.version, gone.path, gone.hash, gone.is_dir,
        ${ofDirectory(deletedParts(FILES), "1")} AS files,
        ${ofDirectory(deletedParts(BYTES), "gone.size")} AS bytes,
        ${ofDirectory(contents("gone.version"), "''")} AS contents,
        ${ofDirectory(presentContents, "''")} AS present_contents,
        (SELECT coalesce(hash, '') FROM records AS present WHERE present.user_id = :user
          AND ${comparePath("present.path", "=", "gone.path")}) AS present_hash,
        CASE WHEN gone.is_dir = 1 AND (${isMerged}) THEN 1 ELSE 0 END AS merged,
        CASE WHEN ${isGoneAgain("history")} OR (${mayBeFreshAgain}) AND ${
      isGoneAgain("fresh_history")
    } THEN 1 ELSE 0 END AS again
      FROM (
        SELECT * FROM (${FORMER.map(gone).join(" UNION ALL ")}) AS former
        ORDER BY version DESC, path LIMIT :limit
      ) AS gone ORDER BY gone.version DESC, gone.path`,
    /** The version that has ended a state after some others, newest first. */
    versionBehind: `SELECT until AS version FROM history
      WHERE user_id = :user AND until > :oldest AND until <= :version
      ORDER BY until DESC LIMIT 1 OFFSET :states`,
  };
};

export type TrashStatement = keyof ReturnType<typeof trashStatements>;
