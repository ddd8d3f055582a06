import type { ContentFacts } from "../../core/ports.ts";
import { CLOCK_STATEMENTS } from "./clock.ts";
import { type Dialect, isUnnameable, type SqlRow } from "./dialect.ts";
import { filesWhere, isUnreferenced } from "./references.ts";

/** The statements that compare records with stored content, by name. */
export const upkeepStatements = (dialect: Dialect) => ({
  ...CLOCK_STATEMENTS,
  /** Which hashes with a prefix have content but no record, or a record but no content. */
  gap: `WITH stored AS MATERIALIZED (SELECT value AS hash FROM ${dialect.texts(":hashes")} AS named)
    SELECT hash, 'missing' AS kind FROM (
      SELECT DISTINCT hash
      FROM ${filesWhere(dialect, "hash >= :prefix AND hash < :prefix || 'g'")} AS file
    ) AS recorded WHERE hash NOT IN (SELECT hash FROM stored)
    UNION ALL
    SELECT hash, 'unreferenced' FROM stored
    WHERE ${isUnreferenced(dialect, "stored.hash")}`,
  /** Content in files that is in no record. The files may be gone, if the commit of a removal failed. */
  unreferencedFiles: `SELECT hash FROM contents
    WHERE hash >= :prefix AND hash < :prefix || 'g' AND bytes IS NULL
      AND ${isUnreferenced(dialect, "contents.hash")}`,
  /** Content that no record has, in files, in the database or announced. Reads two indexes only. */
  unreferenced: `SELECT hash FROM contents
    WHERE ${isUnreferenced(dialect, "contents.hash")}
    LIMIT :limit`,
  /** The oldest file of each hash. */
  files: `SELECT hash, user_id, path, size, crc32 FROM (
      SELECT hash, user_id, path, size, crc32,
        row_number() OVER (PARTITION BY hash ORDER BY source, id) AS place
      FROM ${filesWhere(dialect, `hash IN ${dialect.texts(":hashes")}`)} AS file
    ) AS ordered WHERE place = 1`,
  contents: nextContents(dialect),
  unnameable: `SELECT user_id, path, count(*) OVER () AS total
    FROM records ${dialect.indexedBy("records_unnameable")} WHERE ${isUnnameable(dialect)}
    ORDER BY id LIMIT :limit`,
  withoutSha256: `SELECT hash, size, crc32 FROM contents ${
    dialect.indexedBy("contents_without_sha256")
  }
    WHERE sha256 IS NULL AND hash > :after ORDER BY hash LIMIT :limit`,
  saveSha256: `UPDATE contents SET sha256 = ${dialect.bytes("found.sha256")}
    FROM ${dialect.rows(":digests", { md5: "text", sha256: "text" })} AS found
    WHERE contents.hash = found.md5 AND contents.sha256 IS NULL`,
  newLosses: `SELECT value AS hash FROM ${dialect.texts(":hashes")} AS lost
    WHERE value NOT IN (SELECT hash FROM accepted_losses)`,
  acceptLosses: `INSERT INTO accepted_losses (hash) SELECT value FROM ${
    dialect.texts(":hashes")
  } AS lost
    WHERE true ON CONFLICT DO NOTHING`,
  scrub: `SELECT scrub_started_at, scrubbed_to FROM storage_state`,
  saveScrub: `UPDATE storage_state SET scrub_started_at = :startedAt, scrubbed_to = :position`,
});

/** The contents that come next in the order of hashes. Each table is read as far as it may have to be only. */
function nextContents({ recordTables }: Dialect): string {
  const next = (from: string, condition: string) =>
    `SELECT hash, max(size) AS size, max(crc32) AS crc32 FROM ${from}
     WHERE ${condition} GROUP BY hash ORDER BY hash LIMIT :limit`;
  const parts = recordTables.map((table) =>
    `SELECT * FROM (${next(table, "hash > :after AND hash <> ''")}) AS next_in_${table}`
  );
  return next(`(${parts.join(" UNION ALL ")}) AS listed`, "TRUE");
}

export type UpkeepStatement = keyof ReturnType<typeof upkeepStatements>;

/** Converts a row that has a hash, a size and a CRC-32. */
export function toFacts(row: SqlRow): ContentFacts {
  return { hash: String(row.hash), size: Number(row.size), crc32: Number(row.crc32) };
}
