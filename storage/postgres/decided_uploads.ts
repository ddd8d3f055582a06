import type { DecidedUpload, UploadEffects } from "../../core/decided_upload.ts";
import { AppError } from "../../core/errors.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import { takenBy } from "../../core/usage.ts";
import { putContents } from "./contents.ts";
import { describeVersion } from "./describe_version.ts";
import { insertRecords, replaceFiles } from "./insert_records.ts";
import { invalidateScans } from "./replaced_scans.ts";
import { uploadedFacts } from "../tables/s3_facts.ts";
import type { Session } from "./session.ts";
import { STATEMENTS } from "./statements.ts";
import { usageOf } from "./usage.ts";

/** Thrown to undo an upload whose decision does not apply any more. */
export class Undecided extends Error {}

/**
 * Carries out an upload that was decided before the current transaction. Its statements are sent together.
 * See `DecidedUploads.storeDecided`.
 *
 * @throws {Undecided} when the upload has to be decided again, within a transaction.
 */
export async function storeDecided(
  session: Session,
  upload: DecidedUpload,
): Promise<UploadEffects> {
  const { userId, found, newRecords, newContents, contents, bounds, author } = upload;
  const outcomes = await Promise.allSettled([
    requireUnchanged(session, found),
    putContents(session, contents, Date.now()).then(({ inFiles, damaged }) => {
      // Files are compared elsewhere, and damage is reported.
      if (inFiles.size > 0 || damaged.size > 0) throw new Undecided();
    }),
    invalidateScans(session, [...newRecords, ...newContents]),
    newRecords.length === 0 ? [] : insertRecords(session, newRecords),
    newContents.length === 0 ? [] : replaceFiles(session, newContents),
    bounds && usageOf(session, { userId, everyone: false }),
    author && describeVersion(session, userId, { author }),
    Promise.all(
      uploadedFacts(upload).map((row) => session.run(STATEMENTS.s3.keepFactsAt, row)),
    ),
  ]);
  const [unchanged, put, invalidated, added, updated, usage, described, kept] = outcomes;
  for (const outcome of [unchanged, put, invalidated, usage, described, kept]) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
  if (added.status === "rejected") throw isTaken(added.reason) ? new Undecided() : added.reason;
  if (updated.status === "rejected") throw updated.reason;
  if (bounds !== undefined && usage.status === "fulfilled" && usage.value !== undefined) {
    const held = usage.value;
    if (held.records > bounds.records || takenBy(held) > bounds.bytes) throw new Undecided();
  }
  return { added: added.value, updated: updated.value };
}

/** @throws {Undecided} when one of the records is gone, or has another path or content. */
async function requireUnchanged(
  session: Session,
  found: readonly ResourceRecord[],
): Promise<void> {
  if (found.length === 0) return;
  const row = await session.get(
    `SELECT count(*) AS unchanged FROM unnest(
       :ids::bigint[], :users::bigint[], :paths::text[], :hashes::text[], :updated::bigint[]
     ) AS found (id, user_id, path, hash, updated_at) CROSS JOIN LATERAL (
       SELECT FROM records
       WHERE records.id = found.id AND records.user_id = found.user_id AND records.path = found.path
         AND coalesce(records.hash, '') = found.hash AND records.updated_at = found.updated_at
       OFFSET 0
     ) AS same`,
    {
      ids: found.map(({ id }) => id),
      users: found.map(({ userId }) => userId),
      paths: found.map(({ path }) => path),
      hashes: found.map(({ hash }) => hash),
      updated: found.map(({ updatedAt }) => updatedAt),
    },
  );
  if (Number(row?.unchanged) !== found.length) throw new Undecided();
}

/** Whether another record has got a path meanwhile. */
function isTaken(error: unknown): boolean {
  return error instanceof AppError && error.kind === "ErrResourcesAlreadyExists";
}
