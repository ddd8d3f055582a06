import * as v from "valibot";
import { ResourceEntry } from "./resources.ts";

/** The verdicts on a file (C 18). */
export const VERDICTS = [
  "unscanned",
  "pending",
  "clean",
  "suspicious",
  "dangerous",
  "inconclusive",
  "failed",
] as const;
export type Verdict = typeof VERDICTS[number];

/** The verdicts that a scan ends with. Only these can be accepted: the gate fails closed (C 18). */
export const SCANNED_VERDICTS = ["clean", "suspicious", "dangerous", "inconclusive"] as const;
export type ScannedVerdict = typeof SCANNED_VERDICTS[number];

const id = v.pipe(v.number(), v.integer(), v.minValue(1));
const time = v.pipe(v.string(), v.isoTimestamp());
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** A finding of a verdict. */
export const VerdictFinding = v.object({
  rule_code: v.nullable(v.string()),
  severity: v.picklist(["critical", "warning", "info", "debug"]),
  message: v.string(),
});

/** A waiver, as callers receive it. Times are RFC 3339, UTC, with milliseconds. */
export const WaiverEntry = v.object({
  id,
  sha256,
  reason: v.string(),
  /** The administrator who gave it. */
  user_id: id,
  created_at: time,
  expires_at: v.nullable(time),
});
export type WaiverEntry = v.InferOutput<typeof WaiverEntry>;

/** A page of waivers, newest first. */
export const WaiverList = v.object({
  items: v.array(WaiverEntry),
  total: v.pipe(v.number(), v.integer(), v.minValue(0)),
});

/** The body of a request for a waiver. Unknown keys are ignored (C 3). */
export const WaiverRequest = v.object({
  sha256: v.string(),
  reason: v.string(),
  expires_at: v.nullish(v.string(), null),
});

/** The verdict on a file, as callers receive it (C 18). */
export const FileVerdict = v.object({
  verdict: v.picklist(VERDICTS),
  /** The worst three. */
  findings: v.pipe(v.array(VerdictFinding), v.maxLength(3)),
  /** Why the scan failed. */
  problem: v.nullable(v.string()),
  scanner_version: v.nullable(v.string()),
  /** When the scan ended. */
  scanned_at: v.nullable(time),
  /** What lets the content through whatever the verdict is. */
  waiver: v.nullable(WaiverEntry),
});
export type FileVerdict = v.InferOutput<typeof FileVerdict>;

/** A file of a listing with its verdict. */
export const VerdictEntry = v.object({ id, path: v.string(), ...FileVerdict.entries });
export type VerdictEntry = v.InferOutput<typeof VerdictEntry>;

export const VerdictList = v.object({
  items: v.array(VerdictEntry),
  total: v.pipe(v.number(), v.integer(), v.minValue(0)),
});

/** A record with what is known of its content (C 17); null for a directory. */
export const StatEntry = v.object({
  ...ResourceEntry.entries,
  md5: v.nullable(v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))),
  /** Null also until content has been read that was stored before SHA-256 was kept. */
  sha256: v.nullable(sha256),
  crc32: v.nullable(v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/))),
  /** That of a download. */
  etag: v.nullable(v.string()),
  verdict: v.nullable(FileVerdict),
});
export type StatEntry = v.InferOutput<typeof StatEntry>;
