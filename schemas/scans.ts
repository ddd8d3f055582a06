import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const time = v.pipe(v.string(), v.isoTimestamp());

/** A scan as callers see it (C 15). Times are RFC 3339, UTC, with milliseconds. */
export const ScanEntry = v.object({
  id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  user_id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  status: v.picklist(["queued", "running", "completed", "failed", "cancelled"]),
  /** What was asked for. */
  paths: v.array(v.string()),
  created_at: time,
  started_at: v.nullable(time),
  finished_at: v.nullable(time),
  files_total: count,
  files_scanned: count,
  bytes_total: count,
  bytes_scanned: count,
  /** How many issues of each severity were found. */
  issues: v.object({ critical: count, warning: count, info: count, debug: count }),
  error: v.nullable(v.string()),
});
export type ScanEntry = v.InferOutput<typeof ScanEntry>;

/** Scans, newest first. */
export const ScanList = v.object({ items: v.array(ScanEntry), total: count });

/** An id as C 3 has it; a number beyond 2^53 is the id of nothing. */
const id = v.pipe(v.number(), v.integer(), v.minValue(1));

/** What to scan; a key that is null is as if it were missing. Unknown keys are ignored (C 3). */
export const ScanRequest = v.object({
  path: v.nullish(v.string(), null),
  paths: v.nullish(v.array(v.string()), []),
  id: v.nullish(id, null),
  ids: v.nullish(v.array(id), []),
  /** The scanners that are to run; left out, all of them. */
  scanners: v.nullish(v.array(v.string()), null),
});
