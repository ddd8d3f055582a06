import { quoted } from "../../../core/errors.ts";
import type { AuditSource } from "../../tables/object_audit.ts";
import type { Dialect, SqlRow } from "../../tables/dialect.ts";
import { MAX_AUDIT_ROWS } from "../../tables/record_audit.ts";
import type { Findings } from "./findings.ts";

/** A version that no tree reaches. */
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * What files and directories were, from a version up to, but not including, another one, and what those are now that
 * have a past. What history has given up is left out, as it goes row by row.
 */
const statesOf = ({ versionIn }: Dialect, key: "id" | "path") =>
  `SELECT user_id, id, path, hash, since, until, is_moved FROM (
    SELECT former.user_id, former.id, former.path, former.hash, former.is_moved,
      ${versionIn("former", "since")} AS since, ${versionIn("former", "until")} AS until
    FROM former_states AS former
  ) AS resolved JOIN tree_versions AS tree USING (user_id) WHERE until > tree.oldest
  UNION ALL
  SELECT records.user_id, records.id, records.path, records.hash, ${versionIn("records", "since")},
    NULL, FALSE
  FROM records WHERE EXISTS (
    SELECT 1 FROM pasts WHERE pasts.user_id = records.user_id AND pasts.${key} = records.${key}
  )`;

/** Statements that find what is wrong, and what is said about it. */
const RULES: readonly {
  readonly sql: (dialect: Dialect) => string;
  readonly message: (row: SqlRow) => string;
}[] = [
  {
    sql: (dialect) =>
      `WITH pasts AS MATERIALIZED (SELECT DISTINCT user_id, path FROM former_states)
      SELECT user_id, path FROM (
        SELECT user_id, path, since, lag(coalesce(until, ${NEVER})) OVER (
          PARTITION BY user_id, path ORDER BY since, until
        ) AS ended FROM (${statesOf(dialect, "path")}) AS states
      ) AS ordered WHERE ended > since`,
    message: ({ path, user_id: user }) =>
      `Two states of ${quoted(String(path))} of user ${user} are of the same versions`,
  },
  {
    // Its content is not referred to by its own row.
    sql: (dialect) =>
      `WITH pasts AS MATERIALIZED (SELECT DISTINCT user_id, id FROM former_states)
      SELECT user_id, path FROM (
        SELECT user_id, path, hash, until, is_moved, lead(hash) OVER following AS next_hash,
          lead(since) OVER following AS next_since
        FROM (${statesOf(dialect, "id")}) AS states
        WINDOW following AS (PARTITION BY user_id, id ORDER BY since)
      ) AS ordered WHERE is_moved AND hash <> ''
        AND (next_since IS DISTINCT FROM until OR next_hash IS DISTINCT FROM hash)`,
    message: ({ path, user_id: user }) =>
      `Nothing keeps the content of ${
        quoted(String(path))
      } of user ${user}, which was moved from there`,
  },
  {
    sql: ({ versionIn }) =>
      `SELECT states.user_id, states.path FROM (
        SELECT user_id, path, ${
        versionIn("former", "until")
      } AS version FROM former_states AS former
        UNION ALL SELECT user_id, path, ${versionIn("records", "since")} FROM records
      ) AS states JOIN tree_versions AS tree USING (user_id) WHERE states.version > tree.version`,
    message: ({ path, user_id: user }) =>
      `${quoted(String(path))} of user ${user} is of a version that the tree has not reached`,
  },
  {
    sql: () =>
      `SELECT tags.user_id, tags.path, tags.name FROM tags LEFT JOIN (
        SELECT tag, sum(CASE WHEN is_dir THEN 0 ELSE 1 END) AS files, sum(size) AS bytes
        FROM tagged_records GROUP BY tag
      ) AS held ON held.tag = tags.id
      WHERE coalesce(held.files, 0) <> tags.files OR coalesce(held.bytes, 0) <> tags.bytes`,
    message: ({ name, user_id: user }) =>
      `The tag ${quoted(String(name))} of user ${user} does not have the files that it states`,
  },
];

/**
 * Checks what is kept of the past (C 26): that each path had one state at a time, that something refers to the
 * content of all states, and that tags have what they state. Content itself is checked with that of the present.
 */
export async function checkHistory(audit: AuditSource, findings: Findings): Promise<void> {
  // An earlier version of the program has kept none.
  if (!await audit.hasTable("tagged_records")) return;
  // Between the steps of a large change over SQLite, and of its undoing, states are not whole.
  const settled = audit.dialect.recordTables.includes("former_records")
    ? "user_id NOT IN (SELECT user_id FROM large_change)"
    : "TRUE";
  for (const { sql, message } of RULES) {
    const rows = await audit.all(
      `SELECT * FROM (${sql(audit.dialect)}) AS wrong WHERE ${settled} LIMIT ${MAX_AUDIT_ROWS}`,
      {},
    );
    for (const row of rows) {
      findings.add({
        kind: "history",
        message: message(row),
        user_id: Number(row.user_id),
        path: String(row.path),
      });
    }
  }
}
