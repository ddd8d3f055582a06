import type { Dialect } from "./dialect.ts";
import { KEPT_BYTES } from "./history_statements.ts";
import { isUnreferenced } from "./references.ts";
import { dropMarksOf, type IndexSql, markAgainOf } from "./search_statements.ts";

/** Counts anew what tags have. */
export const countTags = (condition: string) =>
  `UPDATE tags SET (files, bytes, records) = (
    SELECT count(CASE WHEN tagged.is_dir THEN NULL ELSE 1 END), coalesce(sum(tagged.size), 0), count(*)
    FROM tagged_records AS tagged WHERE tagged.tag = tags.id
  ) WHERE ${condition}`;

/** All statements that forget content of the past (C 26), by name. See docs/design/past.md. */
export const purgeStatements = (
  dialect: Dialect,
  { alone, removeDocuments }: Pick<IndexSql, "alone" | "removeDocuments">,
) => {
  const { bytes, comparePath, rows, texts, versionIn } = dialect;
  const below = (column: string, path: string) =>
    `${comparePath(column, ">", `${path} || '/'`)} AND ${
      comparePath(column, "<", `${path} || '0'`)
    }`;
  const since = (table: string) => versionIn(table, "since");
  const until = (table: string) => versionIn(table, "until");
  const isIn = (column: string, path: string) =>
    `(${comparePath(column, "=", path)} OR (${below(column, path)}))`;
  /** Rows of history at and below the path whose record is gone. */
  const gone = `former.user_id = :user AND ${isIn("former.path", "asked.value")}
    AND NOT EXISTS (SELECT 1 FROM records AS living WHERE living.id = former.id)`;
  const ASKED = `${texts(":paths")} AS asked`;
  /** Files that the past alone has, with some contents. */
  const kept = (isWanted: string) =>
    `DELETE FROM history WHERE (user_id, id, hash) IN (
      SELECT kept.user_id, kept.id, kept.hash FROM kept_files AS kept
      WHERE kept.hash <> '' AND kept.hash IN (SELECT value FROM ${texts(":hashes")} AS asked)
        AND ${isWanted}
    ) RETURNING hash`;

  const forgetOfScans = (table: string) =>
    `DELETE FROM ${table} WHERE hash IN (SELECT value FROM ${texts(":hashes")} AS asked)
      AND (CAST(:user AS BIGINT) = 0 OR user_id = :user)`;

  return {
    /** Puts what is to be searched into order. */
    settle: `DELETE FROM fresh_history WHERE CAST(:user AS BIGINT) = 0 OR user_id = :user`,
    /** Forgets the files that were at and below some paths, wherever they were before. */
    forgetFiles: `DELETE FROM history WHERE user_id = :user AND hash <> '' AND id IN (
        SELECT former.id FROM ${ASKED} CROSS JOIN history AS former WHERE ${gone} AND former.hash <> ''
      ) RETURNING hash`,
    /** The directories that were at and below some paths, and are gone. */
    goneDirectories: `SELECT DISTINCT former.id FROM ${ASKED} CROSS JOIN history AS former
      WHERE ${gone} AND coalesce(former.hash, '') = ''`,
    /** Forgets states of directories in which no version has anything. So those above them may be the next. */
    forgetDirectories: `DELETE FROM history WHERE (user_id, until, id) IN (
        SELECT former.user_id, former.until, former.id
        FROM ${texts(":ids")} AS asked CROSS JOIN history AS former
        WHERE former.user_id = :user AND former.id = CAST(asked.value AS BIGINT)
          AND NOT EXISTS (
            SELECT 1 FROM history AS part WHERE part.user_id = :user
              AND ${below("part.path", "former.path")} AND ${since("part")} < ${until("former")}
              AND ${until("part")} > ${since("former")}
          ) AND NOT EXISTS (
            SELECT 1 FROM records AS part WHERE part.user_id = :user
              AND ${below("part.path", "former.path")} AND ${since("part")} < ${until("former")}
          )
      ) RETURNING id`,
    /** Forgets contents of the past of a tree, unless it has them now: that is another question than whether any has. */
    forgetContents: kept(`kept.user_id = :user AND 0 = (
      SELECT count(*) FROM records AS held
      WHERE held.hash = kept.hash AND held.hash <> '' AND held.user_id = kept.user_id
    )`),
    /** Forgets contents of the past of all trees. */
    forgetEverywhere: kept("TRUE"),
    /** The contents with a SHA-256. */
    contentsWith: `SELECT hash FROM contents WHERE sha256 = ${bytes(":sha256")}`,
    /** All files that have some contents. */
    holders: `SELECT id, user_id, path, name, hash, size, crc32, created_at, updated_at FROM records
      WHERE hash <> '' AND hash IN (SELECT value FROM ${texts(":hashes")} AS asked)`,
    /** Forgets contents that tags name. */
    forgetTagged: `DELETE FROM tagged_records
      WHERE hash <> '' AND hash IN (SELECT value FROM ${texts(":hashes")} AS asked)`,
    recountTags: countTags("TRUE"),
    /** Forgets contents that wait for a commit. */
    forgetWaiting: `DELETE FROM lfs_objects
      WHERE hash IN (SELECT value FROM ${texts(":hashes")} AS asked)`,
    /** The contents that a tree has no more, neither now nor in its past; of all trees if the user is 0. */
    gone: `SELECT asked.value AS hash FROM ${texts(":hashes")} AS asked
      WHERE CAST(:user AS BIGINT) = 0 OR ${isUnreferenced(dialect, "asked.value", ":user")}`,
    /** Forgets what scans have found in contents. */
    forgetResults: forgetOfScans("scan_results"),
    forgetFailures: forgetOfScans("scan_failures"),
    forgetFacts: forgetOfScans("facts"),
    forgetTensors: forgetOfScans("tensor_lists"),
    /** The marks of directories whose facts may have words of files that have gone since they were put together. */
    marks: `SELECT position, user_id, id, parent FROM search_marks
      WHERE parent IS NOT NULL AND (CAST(:user AS BIGINT) = 0 OR user_id = :user)`,
    markAgain: markAgainOf(dialect),
    dropMarks: dropMarksOf(dialect),
    /** Has the facts of directories put together again. */
    markDirectories: `INSERT INTO search_marks (user_id, id, parent)
      SELECT DISTINCT records.user_id, records.id, records.path
      FROM ${rows(":directories", { user_id: "bigint", path: "text" })} AS given
      CROSS JOIN records JOIN directory_facts ON directory_facts.id = records.id
      WHERE records.user_id = given.user_id AND ${comparePath("records.path", "=", "given.path")}
      RETURNING id`,
    forgetDirectoryFacts: `DELETE FROM directory_facts
      WHERE id IN (SELECT CAST(value AS BIGINT) FROM ${texts(":ids")} AS given)`,
    alone,
    removeDocuments,
    /** A part of the reports of the scans of a user, or of all users, that have ended, after another part. */
    nextReportChunk: `SELECT scan_id, part, position, chunk FROM scan_report_chunks
      JOIN scans ON scans.id = scan_id
      WHERE (CAST(:user AS BIGINT) = 0 OR user_id = :user) AND finished_at IS NOT NULL
        AND (scan_id, part, position) > (:scan, :part, :position)
      ORDER BY scan_id, part, position LIMIT 1`,
    forgetReport: `DELETE FROM scan_report_chunks WHERE scan_id = :scan`,
    /** Forgets commit ids: what has been purged is missing from the commits that had it. */
    forgetCommits: `DELETE FROM hub_commits WHERE CAST(:user AS BIGINT) = 0 OR user_id = :user`,
    /** Counts what history takes anew. */
    recount: `UPDATE tree_versions SET history_bytes = (
        SELECT coalesce(sum(${KEPT_BYTES}), 0) FROM history AS former
        WHERE former.user_id = tree_versions.user_id
          AND ${versionIn("former", "until")} IS NOT NULL
      ) WHERE CAST(:user AS BIGINT) = 0 OR user_id = :user`,
  };
};

export type PurgeStatement = keyof ReturnType<typeof purgeStatements>;
