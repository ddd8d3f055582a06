import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const time = v.pipe(v.string(), v.isoTimestamp());

/** A scan, as callers receive it (C 15). Times are RFC 3339, UTC, with milliseconds. */
export const ScanEntry = v.object({
  id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  user_id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  status: v.picklist(["queued", "running", "completed", "failed", "cancelled"]),
  paths: v.pipe(
    v.array(v.string()),
    v.description("The requested paths; in lists and events, the first 16 KiB of them"),
  ),
  paths_total: v.pipe(count, v.description("How many paths were requested")),
  created_at: time,
  started_at: v.nullable(time),
  finished_at: v.nullable(time),
  files_total: count,
  files_scanned: count,
  bytes_total: count,
  bytes_scanned: count,
  issues: v.pipe(
    v.object({ critical: count, warning: count, info: count, debug: count }),
    v.description("The number of issues, by severity"),
  ),
  error: v.pipe(
    v.nullable(v.string()),
    v.description("How many files were not scanned to their end, and why"),
  ),
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
  scanners: v.pipe(
    v.nullish(v.array(v.string()), null),
    v.description("The scanners to run; all but the optional ones by default"),
  ),
  /** SR 2.10 */
  weights: v.pipe(
    v.nullish(v.boolean(), false),
    v.description("Whether to analyze the values of tensors, too"),
  ),
});
