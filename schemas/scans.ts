import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const time = v.pipe(v.string(), v.isoTimestamp());

/** A scan, as callers receive it (C 15). Times are RFC 3339, UTC, with milliseconds. */
export const ScanEntry = v.object({
  id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  user_id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  status: v.picklist(["queued", "running", "completed", "failed", "cancelled"]),
  /** The requested paths; in lists and events, the first 16 KiB of them. */
  paths: v.array(v.string()),
  /** How many paths were requested. */
  paths_total: count,
  created_at: time,
  started_at: v.nullable(time),
  finished_at: v.nullable(time),
  files_total: count,
  files_scanned: count,
  bytes_total: count,
  bytes_scanned: count,
  /** The number of issues, by severity. */
  issues: v.object({ critical: count, warning: count, info: count, debug: count }),
  error: v.nullable(v.string()),
});
export type ScanEntry = v.InferOutput<typeof ScanEntry>;

/** A list of scans, newest first. */
export const ScanList = v.object({ items: v.array(ScanEntry), total: count });

/** A record id (C 3). No record has an id of 2^53 or above. */
const id = v.pipe(v.number(), v.integer(), v.minValue(1));

/** The body of a scan request. A null key counts as missing; unknown keys are ignored (C 3). */
export const ScanRequest = v.object({
  path: v.nullish(v.string(), null),
  paths: v.nullish(v.array(v.string()), []),
  id: v.nullish(id, null),
  ids: v.nullish(v.array(id), []),
  /** The scanners to run. @default all but the optional ones */
  scanners: v.nullish(v.array(v.string()), null),
  /** Whether to analyze the values of tensors, too (SR 2.10). */
  weights: v.nullish(v.boolean(), false),
});
