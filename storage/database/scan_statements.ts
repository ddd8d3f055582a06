import type { Connection, SqlParameters, SqlRow } from "./connection.ts";

const SCAN_COLUMNS =
  `id, user_id, requested_by, status, paths, paths_total, skip, created_at, started_at, finished_at,
  files_total, files_scanned, bytes_total, bytes_scanned, critical, warning, info, debug, error`;

/** The stored result or error of each file of a scan. */
const OUTCOMES = `(
    SELECT path, error, result FROM scan_files
    LEFT JOIN scan_results AS stored ON stored.hash = scan_files.hash AND NOT replaced
      AND stored.name = scan_files.name AND stored.skip = :skip AND stored.version = :version
    WHERE scan_id = :id
  )`;

const KEEP_RESULT = `INSERT OR REPLACE INTO scan_results
    (hash, name, skip, version, sha256, verdict, findings, scanned_at, result)
  SELECT :hash, :name, :skip, :version, :sha256, :verdict, :findings, :now, :result`;

/** The hashes that no record has. Used before records with them are added. */
const NEW_HASHES = `SELECT value FROM json_each(:hashes)
  WHERE NOT EXISTS (SELECT 1 FROM records WHERE hash = value AND hash <> '')
    AND NOT EXISTS (SELECT 1 FROM former_records WHERE hash = value AND hash <> '')`;

/** All statements about scans, by name. */
export const SCAN_STATEMENTS = {
  insert: `INSERT INTO scans (user_id, requested_by, status, paths, paths_total, skip, created_at,
      files_total, bytes_total)
    VALUES (:user, :requester, 'queued', :paths, :pathsTotal, :skip, :now, :files, :bytes) RETURNING ${SCAN_COLUMNS}`,
  insertPaths: `INSERT INTO scan_paths (scan_id, paths) VALUES (last_insert_rowid(), :paths)`,
  /** Adds files to a scan, or to the one that was just added. */
  insertFiles: `INSERT INTO scan_files (scan_id, path, name, hash, size)
    SELECT ifnull(:id, last_insert_rowid()), value ->> 'path', value ->> 'name', value ->> 'hash', value ->> 'size' FROM json_each(:files)`,
  setTotals: `UPDATE scans SET files_total = :files, bytes_total = :bytes WHERE id = :id
    RETURNING ${SCAN_COLUMNS}`,
  /** A scan whose files are being added has a negative number of them, and is not shown. */
  find: `SELECT ${SCAN_COLUMNS} FROM scans WHERE id = :id AND files_total >= 0`,
  /** All paths of a scan, if it has more than the first ones. */
  allPaths: `SELECT paths FROM scan_paths WHERE scan_id = :id`,
  /** The first scans whose paths are not too long together, but at least one. */
  list: `SELECT ${SCAN_COLUMNS} FROM scans WHERE id IN (
      SELECT id FROM (
        SELECT id, sum(bytes) OVER (ORDER BY id DESC) - bytes AS bytes_before FROM (
          SELECT id, octet_length(paths) AS bytes FROM scans
          WHERE user_id = :user AND id < :before AND files_total >= 0
          ORDER BY id DESC LIMIT :limit
        )
      ) WHERE bytes_before < :maxBytes
    ) ORDER BY id DESC`,
  /** Deletes scans whose files were being added when the server ended. */
  forgetIncomplete: `DELETE FROM scans WHERE files_total < 0`,
  /** Deletes files of ended scans that were being deleted when the server ended. */
  forgetEndedFiles: `DELETE FROM scan_files WHERE EXISTS (
      SELECT 1 FROM scans WHERE id = scan_id AND finished_at IS NOT NULL
    )`,
  requeue: `UPDATE scans SET status = 'queued', started_at = NULL
    WHERE status IN ('queued', 'running') RETURNING ${SCAN_COLUMNS}`,
  start: `UPDATE scans SET status = 'running', started_at = :now WHERE id = :id`,
  files: `SELECT path, name, hash, size FROM scan_files WHERE scan_id = :id AND path > :after
      AND NOT replaced
    ORDER BY path LIMIT 500`,
  paths: `SELECT path FROM scan_files WHERE scan_id = :id AND path > :after
    ORDER BY path LIMIT 1000`,
  /** A result that a limit cut short does not count: another attempt may get further. */
  hasResult: `SELECT 1 FROM scan_results
    WHERE hash = :hash AND name = :name AND skip = :skip AND version = :version
      AND result ->> 'operationalError' IS NULL`,
  keepResult: `${KEEP_RESULT} FROM scan_files
    WHERE scan_id = :id AND path = :path AND hash = :hash AND NOT replaced
    RETURNING 1`,
  /** Keeps a result for stored content, unless that is other content with the same MD5 by now. */
  keepContentResult: `${KEEP_RESULT} FROM contents
    WHERE hash = :hash AND ifnull(sha256, :sha256) = :sha256
    RETURNING 1`,
  failContent: `INSERT OR REPLACE INTO scan_failures (hash, name, problem, failed_at)
    SELECT :hash, :name, :problem, :now FROM contents WHERE hash = :hash
    RETURNING 1`,
  forgetFailures: `DELETE FROM scan_failures`,
  failFile: `UPDATE scan_files SET error = :error
    WHERE scan_id = :id AND path = :path AND NOT replaced
    RETURNING 1`,
  /** Returns no row, and adds none, if the content has as many attempts as it may have. */
  beginAttempt: `INSERT INTO scan_attempts (hash, name, skip, attempts)
    VALUES (:hash, :name, :skip, 1)
    ON CONFLICT DO UPDATE SET attempts = attempts + 1 WHERE attempts < :max
    RETURNING 1`,
  endAttempt: `DELETE FROM scan_attempts WHERE hash = :hash AND name = :name AND skip = :skip`,
  withdrawAttempt: `UPDATE scan_attempts SET attempts = attempts - 1
    WHERE hash = :hash AND name = :name AND skip = :skip`,
  /** Deletes attempts on the files of a scan that no other unfinished scan has. */
  forgetAttempts: `DELETE FROM scan_attempts AS it
    WHERE EXISTS (SELECT 1 FROM scan_files WHERE hash = it.hash AND scan_id = :id)
      AND NOT EXISTS (SELECT 1 FROM scan_files WHERE hash = it.hash AND scan_id < :id)
      AND NOT EXISTS (SELECT 1 FROM scan_files WHERE hash = it.hash AND scan_id > :id)`,
  /** Deletes attempts on content that is neither stored nor in an unfinished scan. */
  forgetOldAttempts: `DELETE FROM scan_attempts WHERE hash NOT IN (SELECT hash FROM scan_files)
    AND NOT EXISTS (SELECT 1 FROM records WHERE records.hash = scan_attempts.hash AND hash <> '')`,
  nextOutcome: `SELECT path, error, result FROM ${OUTCOMES}
    WHERE path > :after ORDER BY path LIMIT 1`,
  outcomesSize: `SELECT ifnull(sum(octet_length(result)), 0) AS size FROM ${OUTCOMES}`,
  end: `UPDATE scans SET status = :status, finished_at = :now, error = :error,
      files_scanned = :files, bytes_scanned = :bytes
    WHERE id = :id RETURNING ${SCAN_COLUMNS}`,
  complete: `UPDATE scans SET status = :status, finished_at = :now,
      error = :error, files_scanned = :files, bytes_scanned = :bytes,
      critical = :critical, warning = :warning, info = :info, debug = :debug
    WHERE id = :id RETURNING ${SCAN_COLUMNS}`,
  /** Deletes the first files of a scan. */
  forgetFiles: `DELETE FROM scan_files WHERE scan_id = :id AND path <= (
      SELECT max(path) FROM (
        SELECT path FROM scan_files WHERE scan_id = :id ORDER BY path LIMIT :limit
      )
    )`,
  addReportChunk: `INSERT INTO scan_report_chunks (scan_id, part, position, chunk)
    VALUES (:id, :part, :position, :chunk)`,
  forgetReport: `DELETE FROM scan_report_chunks WHERE scan_id = :id`,
  /** Deletes the beginnings of reports that the end of the server cut off. */
  forgetPartialReports: `DELETE FROM scan_report_chunks
    WHERE scan_id IN (SELECT id FROM scans WHERE status IN ('queued', 'running'))`,
  /** The chunks of an unfinished scan do not count. */
  countReportChunks: `SELECT count(*) AS chunks FROM scan_report_chunks
    WHERE scan_id = (SELECT id FROM scans WHERE id = :id AND status IN ('completed', 'failed'))`,
  nextReportChunk: `SELECT part, position, chunk FROM scan_report_chunks
    WHERE scan_id = :id AND (part, position) > (:part, :position)
    ORDER BY part, position LIMIT 1`,
  reportChunks: `SELECT part, position FROM scan_report_chunks
    WHERE scan_id = :id ORDER BY part, position`,
  reportChunk: `SELECT chunk FROM scan_report_chunks
    WHERE scan_id = :id AND part = :part AND position = :position`,
  remove: `DELETE FROM scans WHERE id = :id`,
  hasEnded: `SELECT 1 FROM scans WHERE finished_at < :before LIMIT 1`,
  /** Deletes some of the scans that ended before a time. */
  removeEnded: `DELETE FROM scans WHERE id IN (
      SELECT id FROM scans WHERE finished_at < :before ORDER BY finished_at LIMIT :limit
    ) RETURNING id`,
  /** Whether anything is stored about scans of content with the hashes. */
  knowsHashes: `SELECT 1 FROM json_each(:hashes)
    WHERE EXISTS (SELECT 1 FROM scan_results WHERE hash = value)
      OR EXISTS (SELECT 1 FROM scan_failures WHERE hash = value)
      OR EXISTS (SELECT 1 FROM scan_files WHERE hash = value)
    LIMIT 1`,
  /** Deletes results for hashes that no record has. */
  forgetReplacedResults: `DELETE FROM scan_results WHERE hash IN (${NEW_HASHES})`,
  /** The same for scans that failed. */
  forgetReplacedFailures: `DELETE FROM scan_failures WHERE hash IN (${NEW_HASHES})`,
  /** Marks files of unfinished scans with a hash that no record has. */
  markReplacedFiles: `UPDATE scan_files
    SET replaced = 1, error = 'Removed during the scan'
    WHERE hash IN (${NEW_HASHES})`,
  /** Deletes results of other versions, and of content that is neither stored nor in a pending scan. */
  forgetResults: `DELETE FROM scan_results WHERE version <> :version OR (
      NOT EXISTS (SELECT 1 FROM records WHERE records.hash = scan_results.hash AND hash <> '')
      AND scan_results.hash NOT IN (SELECT hash FROM scan_files)
    )`,
} as const;

export type ScanStatement = keyof typeof SCAN_STATEMENTS;

/** Runs a statement and returns its rows. */
export function scanRows(
  connection: Connection,
  statement: ScanStatement,
  parameters: SqlParameters,
): SqlRow[] {
  return connection.all(SCAN_STATEMENTS[statement], parameters);
}

/**
 * Invalidates scan results of content that returns while no record has its hash. As MD5 can be forged, the
 * new content may differ from the content that was scanned: old results do not apply to it, and a running
 * scan can no longer read the old content. Call it before records with the hashes are added.
 */
export function invalidateScans(
  connection: Connection,
  records: readonly { readonly hash: string }[],
): void {
  const hashes = records.flatMap(({ hash }) => hash === "" ? [] : [hash]);
  if (hashes.length === 0) return;
  const parameters = { hashes: JSON.stringify(hashes) };
  if (scanRows(connection, "knowsHashes", parameters).length === 0) return;
  scanRows(connection, "forgetReplacedResults", parameters);
  scanRows(connection, "forgetReplacedFailures", parameters);
  scanRows(connection, "markReplacedFiles", parameters);
}
