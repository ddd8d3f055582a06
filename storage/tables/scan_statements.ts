import { FACTS_VERSION } from "../../core/scanner/versions.ts";
import { MIN_REUSED_MS } from "../../core/scans/ports.ts";
import type { Dialect } from "./dialect.ts";
import { filesWhere, isUnreferenced } from "./references.ts";

/** The columns that `toScan` reads. */
export const SCAN_COLUMNS =
  `id, user_id, requested_by, status, paths, paths_total, skip, created_at, started_at, finished_at,
  files_total, files_scanned, bytes_total, bytes_scanned, critical, warning, info, debug, error`;

/** The stored result or error of each file of a scan. */
const OUTCOMES = `(
    SELECT path, error, result FROM scan_files
    LEFT JOIN scan_results AS stored ON stored.hash = scan_files.hash AND replaced = 0
      AND stored.user_id = scan_files.user_id AND stored.name = scan_files.name
      AND stored.skip = :skip AND stored.version = :version
    WHERE scan_id = :id
  ) AS outcomes`;

const RESULT_COLUMNS = `hash, user_id, name, skip, version, sha256, verdict, format,
  findings, scanned_at, took_ms, read_ms, result, facts_version`;

/** The content that a user has under a name. */
const IS_COPY = "hash = :hash AND user_id = :user AND name = :name";
/** A content to scan. */
const IS_TASK = `${IS_COPY} AND skip = :skip`;

/** Keeps the result of content that another table has. */
const keepResult = ({ resultKey }: Dialect, condition: string) =>
  `INSERT INTO scan_results (${RESULT_COLUMNS})
    SELECT :hash, :user, :name, :skip, :version, :sha256, :verdict, :format, :findings, :now,
      CAST(:took AS BIGINT), CAST(:read AS BIGINT), :result, ${FACTS_VERSION} ${condition}
    ON CONFLICT (${resultKey}) DO UPDATE SET version = excluded.version,
      sha256 = excluded.sha256, verdict = excluded.verdict, format = excluded.format,
      findings = excluded.findings, scanned_at = excluded.scanned_at, took_ms = excluded.took_ms,
      read_ms = excluded.read_ms, result = excluded.result, facts_version = excluded.facts_version
    RETURNING 1 AS kept`;

/** Whether a result is whole: no limit cut it short, and it has facts. Else another attempt may get further. */
const isWhole = ({ isCutShort }: Dialect) =>
  `NOT ${isCutShort} AND facts_version >= ${FACTS_VERSION}`;

/** The files that are about to be added, and whose they are. */
const added = ({ rows }: Dialect) =>
  `${rows(":files", { hash: "text", user_id: "bigint" })} AS added`;

/** The hashes that no record has. */
const newHashes = (dialect: Dialect) =>
  `SELECT hash FROM ${added(dialect)} WHERE ${isUnreferenced(dialect, "added.hash")}`;

/** The columns of the hashes that no record of their user has, and of the users. */
const newCopies = (dialect: Dialect, columns: string) =>
  `SELECT ${columns} FROM ${added(dialect)}
    WHERE ${isUnreferenced(dialect, "added.hash", "added.user_id")}`;

/** Whether a row is about content that its user is about to have, and has not. */
const isNewCopy = (dialect: Dialect) =>
  `(hash, user_id) IN (${newCopies(dialect, "hash, user_id")})`;

/** Whether the user of a row neither has its content nor has it in an unfinished scan. */
const isForgotten = (dialect: Dialect, table: string) =>
  `${isUnreferenced(dialect, `${table}.hash`, `${table}.user_id`)}
    AND NOT EXISTS (SELECT 1 FROM scan_files
      WHERE scan_files.hash = ${table}.hash AND scan_files.user_id = ${table}.user_id)`;

/** Whether no other server holds a row. */
const isFree = ({ isOwn, isLeft }: Dialect, table: string) =>
  `(${isOwn(table)} OR ${isLeft(table)})`;

/** All statements about scans, by name. */
export const scanStatements = (dialect: Dialect) => ({
  insert: `INSERT INTO scans (user_id, requested_by, status, paths, paths_total, skip, created_at,
      files_total, bytes_total)
    VALUES (:user, :requester, 'queued', :paths, :pathsTotal, :skip, :now, :files, :bytes) RETURNING ${SCAN_COLUMNS}`,
  insertPaths: `INSERT INTO scan_paths (scan_id, paths) VALUES (${dialect.lastId}, :paths)`,
  /** Adds files to a scan, or to the one that was just added. */
  insertFiles: `INSERT INTO scan_files (scan_id, user_id, path, name, hash, size)
    SELECT coalesce(CAST(:id AS BIGINT), ${dialect.lastId}), user_id, path, name, hash, size FROM ${
    dialect.rows(":files", {
      user_id: "bigint",
      path: "text",
      name: "text",
      hash: "text",
      size: "bigint",
    })
  } AS file`,
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
        ) AS newest
      ) AS summed WHERE bytes_before < :maxBytes
    ) ORDER BY id DESC`,
  /** Deletes scans whose files were being added when the server ended. */
  forgetIncomplete: `DELETE FROM scans WHERE files_total < 0 AND ${dialect.isLeft("scans")}`,
  /** Deletes files of ended scans that were being deleted when the server ended. */
  forgetEndedFiles: `DELETE FROM scan_files WHERE EXISTS (
      SELECT 1 FROM scans WHERE id = scan_id AND finished_at IS NOT NULL
    )`,
  unhurried: dialect.unhurried,
  requeue: `UPDATE scans SET status = 'queued', started_at = NULL, files_scanned = 0,
      bytes_scanned = 0 ${dialect.leave}
    WHERE status = 'running' AND ${dialect.isLeft("scans")}`,
  queued: `SELECT ${SCAN_COLUMNS} FROM scans WHERE status = 'queued' AND files_total >= 0
    ORDER BY id`,
  start: `UPDATE scans SET status = 'running', started_at = :now ${dialect.take}
    WHERE id = :id AND (status = 'queued' OR ${dialect.isOwn("scans")})`,
  files: `SELECT user_id, path, name, hash, size FROM scan_files
    WHERE scan_id = :id AND ${dialect.comparePath("path", ">", ":after")} AND replaced = 0
    ORDER BY ${dialect.byPath("path")} LIMIT 500`,
  paths: `SELECT path FROM scan_files
    WHERE scan_id = :id AND ${dialect.comparePath("path", ">", ":after")}
    ORDER BY ${dialect.byPath("path")} LIMIT 1000`,
  hasResult: `SELECT 1 AS found FROM scan_results
    WHERE ${IS_TASK} AND version = :version AND ${isWhole(dialect)}`,
  /**
   * Content that its user has, with the latest complete result, for whomever, of a scan that took long. An
   * index has such results.
   */
  prospect: `SELECT former.result, former.took_ms, former.read_ms,
      ${dialect.hex("contents.sha256")} AS stored_sha256 FROM (
      SELECT hash FROM ${filesWhere(dialect, "hash = :hash AND user_id = :user")} AS file LIMIT 1
    ) AS held
    LEFT JOIN contents ON contents.hash = held.hash
    LEFT JOIN scan_results AS former ON former.hash = contents.hash AND former.name = :name
      AND former.skip = :skip AND former.version = :version AND former.sha256 = contents.sha256
      AND former.took_ms >= ${MIN_REUSED_MS} AND ${isWhole(dialect)}
    ORDER BY former.scanned_at DESC LIMIT 1`,
  /** Whether there is such a result of the very content that is stored. Others may have the same MD5. */
  hasOwnResult: `SELECT 1 AS found FROM scan_results AS stored
    JOIN contents ON contents.hash = stored.hash
    WHERE stored.hash = :hash AND stored.user_id = :user AND name = :name AND skip = :skip
      AND version = :version AND stored.sha256 = coalesce(contents.sha256, stored.sha256) AND ${
    isWhole(dialect)
  }`,
  keepResult: keepResult(
    dialect,
    `FROM scan_files
    WHERE scan_id = :id AND ${dialect.comparePath("path", "=", ":path")} AND hash = :hash
      AND replaced = 0`,
  ),
  /** Keeps a result for stored content, unless that is other content with the same MD5 by now. */
  keepContentResult: keepResult(
    dialect,
    `FROM contents
    WHERE hash = :hash AND coalesce(sha256, :sha256) = :sha256`,
  ),
  /** Keeps the facts that came with a result which was just kept. */
  keepFacts: `INSERT INTO facts (hash, user_id, name, version, sha256, facts)
    SELECT hash, user_id, name, ${FACTS_VERSION}, sha256, :facts FROM scan_results
    WHERE ${IS_TASK} AND version = :version AND sha256 = :sha256
    ON CONFLICT (hash, user_id, name) DO UPDATE SET version = excluded.version,
      sha256 = excluded.sha256, facts = excluded.facts
    WHERE facts.version <= excluded.version`,
  /** Forgets the facts of content that has none by now. */
  dropFacts: `DELETE FROM facts WHERE ${IS_COPY} AND version <= ${FACTS_VERSION}`,
  failContent: `INSERT INTO scan_failures (hash, user_id, name, problem, failed_at)
    SELECT :hash, :user, :name, :problem, :now FROM contents WHERE hash = :hash
    ON CONFLICT (hash, user_id, name) DO UPDATE SET problem = excluded.problem,
      failed_at = excluded.failed_at
    RETURNING 1 AS kept`,
  forgetFailures: `DELETE FROM scan_failures`,
  failFile: `UPDATE scan_files SET error = :error
    WHERE scan_id = :id AND ${dialect.comparePath("path", "=", ":path")} AND replaced = 0
      AND EXISTS (SELECT 1 FROM scans WHERE id = scan_id AND ${dialect.isOwn("scans")})
    RETURNING 1 AS kept`,
  /** Returns no row, and adds none, if the content has as many attempts as it may have, or one elsewhere. */
  beginAttempt: `INSERT INTO scan_attempts (hash, user_id, name, skip, attempts)
    VALUES (:hash, :user, :name, :skip, 1)
    ON CONFLICT (hash, user_id, name, skip)
      DO UPDATE SET attempts = scan_attempts.attempts + 1 ${dialect.take}
      WHERE scan_attempts.attempts < :max AND ${isFree(dialect, "scan_attempts")}
    RETURNING 1 AS begun`,
  isExhausted: `SELECT 1 AS found FROM scan_attempts
    WHERE ${IS_TASK} AND attempts >= :max
      AND ${isFree(dialect, "scan_attempts")}`,
  endAttempt: `DELETE FROM scan_attempts WHERE ${IS_TASK}`,
  withdrawAttempt: `UPDATE scan_attempts SET attempts = attempts - 1 ${dialect.leave}
    WHERE ${IS_TASK}`,
  /** Deletes attempts on the files of a scan that no other unfinished scan has. */
  forgetAttempts: `DELETE FROM scan_attempts AS it
    WHERE ${isFree(dialect, "it")}
      AND EXISTS (SELECT 1 FROM scan_files
        WHERE hash = it.hash AND user_id = it.user_id AND scan_id = :id)
      AND NOT EXISTS (SELECT 1 FROM scan_files
        WHERE hash = it.hash AND user_id = it.user_id AND scan_id < :id)
      AND NOT EXISTS (SELECT 1 FROM scan_files
        WHERE hash = it.hash AND user_id = it.user_id AND scan_id > :id)`,
  /** Deletes attempts on content that its user neither has nor has in an unfinished scan. */
  forgetOldAttempts: `DELETE FROM scan_attempts WHERE ${isFree(dialect, "scan_attempts")}
    AND ${isForgotten(dialect, "scan_attempts")}`,
  nextOutcome: `SELECT path, error, result FROM ${OUTCOMES}
    WHERE ${dialect.comparePath("path", ">", ":after")}
    ORDER BY ${dialect.byPath("path")} LIMIT 1`,
  outcomesSize: `SELECT coalesce(sum(octet_length(result)), 0) AS size FROM ${OUTCOMES}`,
  end: `UPDATE scans SET status = :status, finished_at = :now, error = :error,
      files_scanned = :files, bytes_scanned = :bytes
    WHERE id = :id AND (${dialect.isOwn("scans")} OR status = 'queued' AND :status = 'cancelled')
    RETURNING ${SCAN_COLUMNS}`,
  complete: `UPDATE scans SET status = :status, finished_at = :now,
      error = :error, files_scanned = :files, bytes_scanned = :bytes,
      critical = :critical, warning = :warning, info = :info, debug = :debug
    WHERE id = :id AND ${dialect.isOwn("scans")} RETURNING ${SCAN_COLUMNS}`,
  /** Deletes the first files of a scan. */
  forgetFiles: `DELETE FROM scan_files WHERE scan_id = :id AND ${
    dialect.comparePath(
      "path",
      "<=",
      `(
        SELECT max(path) FROM (
          SELECT path FROM scan_files WHERE scan_id = :id
          ORDER BY ${dialect.byPath("path")} LIMIT :limit
        ) AS first
      )`,
    )
  }`,
  addReportChunk: `INSERT INTO scan_report_chunks (scan_id, part, position, chunk)
    SELECT id, :part, :position, :chunk FROM scans WHERE id = :id AND ${dialect.isOwn("scans")}
    ${dialect.forShare}`,
  forgetReport: `DELETE FROM scan_report_chunks
    WHERE scan_id = (SELECT id FROM scans WHERE id = :id AND ${dialect.isOwn("scans")})`,
  /** Deletes the beginnings of reports that the end of the server cut off. */
  forgetPartialReports: `DELETE FROM scan_report_chunks
    WHERE scan_id IN (
      SELECT id FROM scans WHERE status IN ('queued', 'running') AND ${dialect.isLeft("scans")}
    )`,
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
  hasEnded: `SELECT 1 AS found FROM scans WHERE finished_at < :before LIMIT 1`,
  /** Deletes some of the scans that ended before a time. */
  removeEnded: `DELETE FROM scans WHERE id IN (
      SELECT id FROM scans WHERE finished_at < :before ORDER BY finished_at LIMIT :limit
    ) RETURNING id`,
  /** Whether anything is stored about scans of content with the hashes. */
  knowsHashes: `SELECT 1 AS known FROM ${added(dialect)}
    WHERE EXISTS (SELECT 1 FROM scan_results WHERE hash = added.hash)
      OR EXISTS (SELECT 1 FROM scan_failures WHERE hash = added.hash)
      OR EXISTS (SELECT 1 FROM facts WHERE hash = added.hash)
      OR EXISTS (SELECT 1 FROM tensor_lists WHERE hash = added.hash)
      OR EXISTS (SELECT 1 FROM scan_files WHERE hash = added.hash)
    LIMIT 1`,
  /** Deletes results for hashes that no record of their user has. */
  forgetReplacedResults: `DELETE FROM scan_results WHERE ${isNewCopy(dialect)}`,
  /** The same for scans that failed. */
  forgetReplacedFailures: `DELETE FROM scan_failures WHERE ${isNewCopy(dialect)}`,
  /** The same for facts. */
  forgetReplacedFacts: `DELETE FROM facts WHERE ${isNewCopy(dialect)}`,
  /** The same for lists of tensors. */
  forgetReplacedTensors: `DELETE FROM tensor_lists WHERE ${isNewCopy(dialect)}`,
  /** Marks files of unfinished scans with a hash that no record has, or none of their user. */
  markReplacedFiles: `UPDATE scan_files
    SET replaced = 1, error = 'Removed during the scan'
    WHERE hash IN (${newCopies(dialect, "hash")})
      AND (hash IN (${newHashes(dialect)}) OR ${isNewCopy(dialect)})`,
  /**
   * Deletes results of versions that count for no server, and of content that its user neither has nor
   * has in a pending scan.
   */
  forgetResults: `DELETE FROM scan_results WHERE version <> :version AND ${dialect.isStale}
    OR (${isForgotten(dialect, "scan_results")})`,
  /** Deletes facts of content that its user neither has nor has in a pending scan. */
  forgetFacts: `DELETE FROM facts WHERE ${isForgotten(dialect, "facts")}`,
  /** The same for lists of tensors. */
  forgetTensors: `DELETE FROM tensor_lists WHERE ${isForgotten(dialect, "tensor_lists")}`,
});

export type ScanStatement = keyof ReturnType<typeof scanStatements>;

/** Statements whose rows may be large. */
export const GROWING: ReadonlySet<ScanStatement> = new Set([
  "insertFiles",
  "keepResult",
  "keepContentResult",
  "addReportChunk",
]);
