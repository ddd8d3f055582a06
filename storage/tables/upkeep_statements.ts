import type { ContentFacts } from "../../core/ports.ts";
import { CLOCK_STATEMENTS } from "./clock.ts";
import { type Dialect, isUnnameable, type SqlRow } from "./dialect.ts";

/** The statements that compare records with stored content, by name. */
export const upkeepStatements = ({ texts, rows, bytes, indexedBy, whiteSpace }: Dialect) => ({
  ...CLOCK_STATEMENTS,
  /** Which hashes with a prefix have content but no record, or a record but no content. */
  gap: `WITH stored AS MATERIALIZED (SELECT value AS hash FROM ${texts(":hashes")} AS named)
    SELECT hash, 'missing' AS kind FROM (
      SELECT DISTINCT hash FROM records
      WHERE hash >= :prefix AND hash < :prefix || 'g' AND hash <> ''
    ) AS recorded WHERE hash NOT IN (SELECT hash FROM stored)
    UNION ALL
    SELECT hash, 'unreferenced' FROM stored
    WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.hash = stored.hash AND hash <> '')`,
  /** Content in files that is in no record. The files may be gone, if the commit of a removal failed. */
  unreferencedFiles: `SELECT hash FROM contents
    WHERE hash >= :prefix AND hash < :prefix || 'g' AND bytes IS NULL
      AND NOT EXISTS (SELECT 1 FROM records WHERE records.hash = contents.hash AND hash <> '')`,
  /** Content that no record has, in files, in the database or announced. Reads two indexes only. */
  unreferenced: `SELECT hash FROM contents
    WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.hash = contents.hash AND hash <> '')
    LIMIT :limit`,
  /** The oldest record of each hash. */
  files: `SELECT records.hash AS hash, records.user_id, records.path AS path, size, crc32
    FROM ${texts(":hashes")} AS wanted JOIN records ON records.id = (
      SELECT min(id) FROM records WHERE hash = wanted.value AND hash <> ''
    )`,
  /** The content that comes next in the order of hashes. */
  contents: `SELECT hash, max(size) AS size, max(crc32) AS crc32 FROM records
    WHERE hash > :after AND hash <> '' GROUP BY hash ORDER BY hash LIMIT :limit`,
  unnameable: `SELECT user_id, path, count(*) OVER () AS total
    FROM records ${indexedBy("records_unnameable")} WHERE ${isUnnameable({ whiteSpace })}
    ORDER BY id LIMIT :limit`,
  withoutSha256: `SELECT hash, size, crc32 FROM contents ${indexedBy("contents_without_sha256")}
    WHERE sha256 IS NULL AND hash > :after ORDER BY hash LIMIT :limit`,
  saveSha256: `UPDATE contents SET sha256 = ${bytes("found.sha256")}
    FROM ${rows(":digests", { md5: "text", sha256: "text" })} AS found
    WHERE contents.hash = found.md5 AND contents.sha256 IS NULL`,
  newLosses: `SELECT value AS hash FROM ${texts(":hashes")} AS lost
    WHERE value NOT IN (SELECT hash FROM accepted_losses)`,
  acceptLosses: `INSERT INTO accepted_losses (hash) SELECT value FROM ${texts(":hashes")} AS lost
    WHERE true ON CONFLICT DO NOTHING`,
  scrub: `SELECT scrub_started_at, scrubbed_to FROM storage_state`,
  saveScrub: `UPDATE storage_state SET scrub_started_at = :startedAt, scrubbed_to = :position`,
});

export type UpkeepStatement = keyof ReturnType<typeof upkeepStatements>;

/** Converts a row that has a hash, a size and a CRC-32. */
export function toFacts(row: SqlRow): ContentFacts {
  return { hash: String(row.hash), size: Number(row.size), crc32: Number(row.crc32) };
}
