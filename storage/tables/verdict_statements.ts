import {
  type AcceptedVerdicts,
  type RefusedFile,
  ruleCodesOf,
  type VerdictFinding,
} from "../../core/verdicts.ts";
import {
  SCANNED_VERDICTS,
  type ScannedVerdict,
  type Verdict,
  VERDICTS,
} from "../../schemas/verdict_names.ts";
import { FACTS_VERSION } from "../../core/scanner/versions.ts";
import type { Dialect, SqlRow } from "./dialect.ts";

/**
 * Columns of the verdict on content: see {@link joinsBy}. A scan that was requested after one
 * failed is pending.
 */
export const VERDICT_COLUMNS = `
  coalesce(stored.verdict, CASE
    WHEN (
      SELECT 1 FROM scan_files AS file JOIN scans ON scans.id = file.scan_id
      WHERE file.hash = target.hash AND file.user_id = target.user_id
        AND file.name = target.name AND scans.skip = :skip
        AND file.replaced = 0 AND file.error IS NULL
      -- For EXISTS, an engine may read the files of all scans.
      LIMIT 1
    ) IS NOT NULL THEN 'pending'
    WHEN failed.problem IS NOT NULL THEN 'failed'
    ELSE 'unscanned' END) AS verdict,
  stored.format, stored.findings, stored.scanned_at, failed.problem, failed.failed_at,
  contents.sha256 AS sha256, contents.created_at AS stored_at`;

/** Joins the rows of a table that a condition of its `name` says, or a row of NULL without any. */
type LeftJoin = Dialect["leftJoin"];

/**
 * Joins the rows of `target`, which have a hash, a user and a name, with what is known of their content.
 * A result counts for its user (C 31), and for the content that was scanned only: another one may have
 * the same MD5.
 */
const joinsBy = (leftJoin: LeftJoin) => `
  ${leftJoin("contents", "contents", "contents.hash = target.hash")}
  ${
  leftJoin(
    "scan_results",
    "stored",
    `stored.hash = target.hash
    AND stored.user_id = target.user_id AND stored.name = target.name AND stored.skip = :skip AND stored.version = :version
    AND stored.sha256 = coalesce(contents.sha256, stored.sha256)`,
  )
}
  ${
  leftJoin(
    "scan_failures",
    "failed",
    `failed.hash = target.hash
    AND failed.user_id = target.user_id AND failed.name = target.name`,
  )
}`;

/** For any number of targets, as the engine likes. */
export const VERDICT_JOINS = joinsBy((table, name, condition) =>
  `LEFT JOIN ${table} AS ${name} ON ${condition}`
);

/** For some targets of many: nothing else is read. */
export const verdictJoins = ({ leftJoin }: Pick<Dialect, "leftJoin">) => joinsBy(leftJoin);

/** The id of the newest waiver of the content that has not expired. */
export const WAIVER_ID = `(SELECT max(id) FROM waivers
  WHERE sha256 = contents.sha256 AND (expires_at IS NULL OR expires_at > :now))`;

const WAIVER_COLUMNS = `waivers.id AS waiver_id, waivers.sha256 AS waived, waivers.reason,
  waivers.user_id AS waiver_user, waivers.created_at AS waived_at, waivers.expires_at`;

/** In milliseconds. */
export const DAY_MS = 24 * 60 * 60_000;

/** How many records a search for unscanned content looks at in one step. */
const STEP_RECORDS = 2000;

/** Whether a scan of a `target` has something to find out: its verdict, or its facts. */
const IS_UNSCANNED = `(stored.verdict IS NULL OR stored.facts_version < ${FACTS_VERSION})
  AND failed.problem IS NULL`;

/** All statements about verdicts and waivers, by name. */
export const verdictStatements = ({ rows, leftJoin }: Dialect) => ({
  verdicts: `SELECT ${VERDICT_COLUMNS}, ${WAIVER_COLUMNS}
    FROM ${rows(":contents", { user_id: "bigint", hash: "text", name: "text" })} AS target ${
    verdictJoins({ leftJoin })
  }
    LEFT JOIN waivers ON waivers.id = ${WAIVER_ID}
    ORDER BY target.position`,
  records: `SELECT id, user_id, path FROM records
    WHERE hash = :hash AND hash <> '' AND user_id = :user AND name = :name AND id > :after
    ORDER BY id LIMIT 500`,
  recordsWith: `SELECT records.id, records.user_id, records.path, records.hash, records.name
    FROM records
    WHERE records.hash = (SELECT hash FROM contents WHERE sha256 = :sha256 LIMIT 1) AND records.hash <> ''
      AND (records.user_id, records.id) > (:user, :after)
    ORDER BY records.user_id, records.id LIMIT 500`,
  expiredBetween: `SELECT DISTINCT sha256 FROM waivers
    WHERE expires_at > :after AND expires_at <= :until`,
  /** Each content counts once for each name that a file with it has: results outlast files for as long as history. */
  days: `SELECT scanned_at / ${DAY_MS} AS day, verdict, count(*) AS files FROM scan_results
    WHERE user_id = :user AND scanned_at >= :since AND skip = :skip AND (
      SELECT id FROM records WHERE records.hash = scan_results.hash AND records.hash <> ''
        AND records.user_id = scan_results.user_id AND records.name = scan_results.name LIMIT 1
    ) IS NOT NULL
    GROUP BY scanned_at / ${DAY_MS}, verdict`,
  lastOfStep: `SELECT max(id) AS id FROM (
      SELECT id FROM records WHERE id > :after ORDER BY id LIMIT ${STEP_RECORDS}
    ) AS step`,
  unscanned: `SELECT target.user_id, target.hash, target.name, max(target.size) AS size
    FROM (SELECT * FROM records WHERE id > :after AND id <= :last AND hash <> '') AS target
    ${verdictJoins({ leftJoin })}
    WHERE ${IS_UNSCANNED}
    GROUP BY target.user_id, target.hash, target.name ORDER BY min(target.id)`,
  isUnscanned: `SELECT 1 AS found
    FROM ${rows(":contents", { user_id: "bigint", hash: "text", name: "text" })} AS target ${
    verdictJoins({ leftJoin })
  } WHERE ${IS_UNSCANNED}`,
  /** What is known of contents by any version, and whether they have been read for it. */
  facts: `SELECT kept.facts, kept.facts IS NOT NULL OR EXISTS (
      SELECT 1 FROM scan_results AS stored WHERE stored.hash = target.hash
        AND stored.user_id = target.user_id AND stored.name = target.name
        AND stored.skip = :skip AND stored.facts_version > 0
    ) AS is_read
    FROM ${rows(":contents", { user_id: "bigint", hash: "text", name: "text" })} AS target
    ${leftJoin("contents", "contents", "contents.hash = target.hash")}
    LEFT JOIN facts AS kept ON kept.hash = target.hash AND kept.user_id = target.user_id
      AND kept.name = target.name AND kept.sha256 = coalesce(contents.sha256, kept.sha256)
    ORDER BY target.position`,
  addWaiver: `INSERT INTO waivers (sha256, reason, user_id, created_at, expires_at)
    VALUES (:sha256, :reason, :user, :now, :expiry)
    RETURNING ${WAIVER_COLUMNS}`,
  listWaivers: `SELECT ${WAIVER_COLUMNS} FROM waivers WHERE id < :before
    ORDER BY id DESC LIMIT :limit`,
  removeWaiver: `DELETE FROM waivers WHERE id = :id RETURNING ${WAIVER_COLUMNS}`,
});

/** The statement that finds the files in a table, called `target`, that the gate refuses. */
export const refusedFiles = ({ texts }: Dialect, table: string) =>
  `SELECT path, verdict, findings FROM (
    SELECT target.path AS path, ${VERDICT_COLUMNS}
    FROM ${table} AS target ${VERDICT_JOINS}
    WHERE contents.hash IS NULL OR NOT (
      coalesce(stored.verdict, '') IN ${texts(":accepted")} AND NOT (
        stored.verdict = 'unknown' AND EXISTS (
          SELECT 1 FROM ${texts(":known_only")} AS extension
          WHERE lower(target.name) LIKE '_%.' || extension.value
        )
      ) OR ${WAIVER_ID} IS NOT NULL
    )
  ) AS refused
  ORDER BY verdict IN ('unscanned', 'pending'), path LIMIT :limit`;

/** Which files of a collection the gate refuses. */
export interface RefusalQuery {
  readonly accepted: AcceptedVerdicts;
  readonly limit: number;
  readonly results: CurrentResults;
}

/** The parameters of {@link refusedFiles}. */
export function refusalParameters({ accepted, limit, results }: RefusalQuery) {
  const { verdicts, knownOnly } = accepted;
  return {
    ...results,
    accepted: JSON.stringify(verdicts),
    known_only: JSON.stringify(knownOnly),
    limit,
    now: Date.now(),
  };
}

/** Converts a row of {@link refusedFiles}. */
export function toRefused(row: SqlRow): RefusedFile {
  return {
    path: String(row.path),
    verdict: verdictOf(row.verdict),
    ruleCodes: ruleCodesOf(findingsOf(row.findings)),
  };
}

export type VerdictStatement = keyof ReturnType<typeof verdictStatements>;

/** Which results count: the parameters of {@link verdictJoins}. */
export type CurrentResults = {
  /** The scanners that a verdict does without, as results state them. */
  readonly skip: string;
  /** The version of the scanners and their settings. */
  readonly version: string;
};

/** The verdict of a result in a column. */
export function scannedVerdictOf(value: SqlRow[string] | undefined): ScannedVerdict {
  const verdict = SCANNED_VERDICTS.find((known) => known === value);
  if (verdict === undefined) throw new Error(`No scan ends with the verdict ${value}`);
  return verdict;
}

/** The verdict in a column. */
export function verdictOf(value: SqlRow[string] | undefined): Verdict {
  const verdict = VERDICTS.find((known) => known === value);
  if (verdict === undefined) throw new Error(`Unknown verdict ${value}`);
  return verdict;
}

/** The findings in a column. */
export function findingsOf(json: SqlRow[string] | undefined): VerdictFinding[] {
  return typeof json === "string" ? JSON.parse(json) : [];
}
