import type { Session } from "./session.ts";
import { STATEMENTS } from "./statements.ts";

/**
 * Forgets scan results of content that returns to a user who has no record with its hash any more. Others
 * may have it, which must not show (C 31). If no record has the hash, the new content may also differ from
 * the content that was scanned, as MD5 can be forged. Call it before the records are added.
 */
export async function invalidateScans(
  session: Session,
  records: readonly { readonly hash: string; readonly userId: number }[],
): Promise<void> {
  const files = records.flatMap(({ hash, userId }) =>
    hash === "" ? [] : [{ hash, user_id: userId }]
  );
  if (files.length === 0) return;
  await session.run(FORGET, { files: JSON.stringify(files) });
}

const {
  knowsHashes,
  forgetReplacedResults,
  forgetReplacedFailures,
  forgetReplacedFacts,
  forgetReplacedTensors,
  markReplacedFiles,
} = STATEMENTS.scans;

/** Most content was never scanned: then the engine looks no further. */
const FORGET = `WITH known AS MATERIALIZED (${knowsHashes}),
  results AS (${forgetReplacedResults} AND EXISTS (SELECT FROM known)),
  failures AS (${forgetReplacedFailures} AND EXISTS (SELECT FROM known)),
  told AS (${forgetReplacedFacts} AND EXISTS (SELECT FROM known)),
  tensors AS (${forgetReplacedTensors} AND EXISTS (SELECT FROM known))
  ${markReplacedFiles} AND EXISTS (SELECT FROM known)`;
