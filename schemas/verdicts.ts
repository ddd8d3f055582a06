import * as v from "valibot";
import { ResourceEntry } from "./resources.ts";
import { SignatureOutcome } from "./signatures.ts";
import { MainFacts } from "./facts.ts";
import { SEARCH_KINDS, SearchFacets } from "./search.ts";
import { SCANNED_VERDICTS, VERDICTS } from "./verdict_names.ts";

const id = v.pipe(v.number(), v.integer(), v.minValue(1));
const time = v.pipe(v.string(), v.isoTimestamp());
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** A finding of a verdict. */
export const VerdictFinding = v.object({
  rule_code: v.nullable(v.string()),
  severity: v.picklist(["critical", "warning", "info", "debug"]),
  message: v.string(),
  location: v.optional(v.pipe(
    v.string(),
    v.description("Where in the file, such as `:member (pos 3)`, if that is known"),
  )),
  why: v.optional(v.pipe(
    v.string(),
    v.description("Why it is a concern, if there is more to say than its rule does"),
  )),
});
export type VerdictFinding = v.InferOutput<typeof VerdictFinding>;

/** A waiver, as callers receive it. Times are RFC 3339, UTC, with milliseconds. */
export const WaiverEntry = v.object({
  id,
  sha256,
  reason: v.string(),
  user_id: v.pipe(id, v.description("The administrator who gave it")),
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
  sha256: v.pipe(v.string(), v.description("Of the content, as 64 hexadecimal digits")),
  reason: v.pipe(v.string(), v.description("1 to 1000 characters")),
  expires_at: v.pipe(
    v.nullish(v.string(), null),
    v.description("An RFC 3339 time in the future; never by default"),
  ),
});

/** The verdict on a file, as callers receive it (C 18). */
export const FileVerdict = v.object({
  verdict: v.picklist(VERDICTS),
  findings: v.pipe(v.array(VerdictFinding), v.maxLength(3), v.description("The worst three")),
  problem: v.pipe(v.nullable(v.string()), v.description("Why the scan failed")),
  scanner_version: v.nullable(v.string()),
  scanned_at: v.pipe(v.nullable(time), v.description("When the scan ended")),
  waiver: v.pipe(
    v.nullable(WaiverEntry),
    v.description("What lets the content through whatever the verdict is"),
  ),
  blocked: v.pipe(v.boolean(), v.description("Whether the gate refuses downloads of it now")),
  signature: v.pipe(
    v.optional(SignatureOutcome),
    v.description("Of files as they are; only where somebody is trusted to sign"),
  ),
});
export type FileVerdict = v.InferOutput<typeof FileVerdict>;

/** A file of a listing with its verdict. */
export const VerdictEntry = v.object({
  id,
  path: v.string(),
  size: v.pipe(v.number(), v.integer(), v.minValue(0), v.description("In bytes")),
  ...FileVerdict.entries,
});
export type VerdictEntry = v.InferOutput<typeof VerdictEntry>;

export const VerdictList = v.object({
  items: v.array(VerdictEntry),
  total: v.pipe(v.number(), v.integer(), v.minValue(0)),
});

const files = v.pipe(v.number(), v.integer(), v.minValue(0));

/** How many files have which verdict, by the days of their scans, oldest first (C 24). */
export const VerdictDays = v.object({
  items: v.array(v.object({
    day: v.pipe(v.string(), v.isoDate(), v.description("In UTC")),
    ...v.entriesFromList(SCANNED_VERDICTS, files),
  })),
  total: v.pipe(files, v.description("The number of days")),
});
export type VerdictDays = v.InferOutput<typeof VerdictDays>;

/** A record with what is known of its content (C 17); null for a directory. */
export const StatEntry = v.object({
  ...ResourceEntry.entries,
  md5: v.nullable(v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))),
  sha256: v.pipe(
    v.nullable(sha256),
    v.description(
      "Null also until content has been read that was stored before SHA-256 was kept",
    ),
  ),
  crc32: v.nullable(v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/))),
  etag: v.pipe(v.nullable(v.string()), v.description("That of a download")),
  verdict: v.nullable(FileVerdict),
});
export type StatEntry = v.InferOutput<typeof StatEntry>;

/** What a search has found: a record with the verdict on its content; null for a directory. */
export const FoundEntry = v.object({
  ...ResourceEntry.entries,
  verdict: v.nullable(FileVerdict),
  known: v.pipe(
    v.optional(v.object({
      kind: v.nullable(v.picklist(SEARCH_KINDS)),
      facts: MainFacts,
      worst: v.pipe(
        v.nullable(v.picklist(VERDICTS)),
        v.description(
          "The worst verdict below a directory; null for a file, or if more than 1000 files are below",
        ),
      ),
    })),
    v.description("Only if the parameter known asks for it"),
  ),
});
export type FoundEntry = v.InferOutput<typeof FoundEntry>;

/** A page of what a search has found. */
export const FoundList = v.object({
  items: v.array(FoundEntry),
  total: v.pipe(v.number(), v.integer(), v.minValue(0)),
  next: v.pipe(
    v.nullable(v.string()),
    v.description("What the parameter after of the next page is; null at the end of the search"),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Whether the facts of all directories are up to date; they follow within seconds",
    ),
  ),
  facets: v.pipe(
    v.nullable(SearchFacets),
    v.description("Null unless asked for, or if more than 20 000 records have to be looked at"),
  ),
});
export type FoundList = v.InferOutput<typeof FoundList>;
