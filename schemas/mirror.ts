import * as v from "valibot";
import { FileDecision } from "./policy.ts";
import { VERDICTS } from "./verdict_names.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const id = v.pipe(v.number(), v.integer(), v.minValue(1));
const time = v.pipe(v.string(), v.isoTimestamp());

export const REPOSITORY_TYPES = ["model", "dataset"] as const;

/** Who has fetched what is for administrators to know, and for each user of oneself. */
const asker = v.pipe(
  v.nullable(id),
  v.description(
    "The user who asked first: for administrators, or if that is the caller; else null",
  ),
);

/** A revision of another hub (C 28). */
export const MirrorEntry = v.object({
  id: v.pipe(id, v.description("Of the revision, here")),
  type: v.picklist(REPOSITORY_TYPES),
  repository: v.pipe(v.string(), v.description("Such as google/gemma")),
  commit: v.pipe(v.string(), v.description("As the other hub names it")),
  modified_at: v.pipe(time, v.description("When the revision was made")),
  tags: v.array(v.string()),
  files: v.pipe(count, v.description("All files of the revision")),
  bytes: count,
  fetched_files: v.pipe(count, v.description("Those that have come in")),
  fetched_bytes: count,
  asked_first_at: time,
  asked_first_by: asker,
  pinned_at: v.pipe(
    v.nullable(time),
    v.description("Since when its files are kept whatever comes in"),
  ),
});
export type MirrorEntry = v.InferOutput<typeof MirrorEntry>;

export const MirrorList = v.object({ items: v.array(MirrorEntry), total: count });

/** The body of a request to fix a revision. */
export const MirrorRequest = v.object({
  repository: v.string(),
  type: v.optional(v.picklist(REPOSITORY_TYPES), "model"),
  revision: v.pipe(
    v.optional(v.string(), "main"),
    v.description("A branch, a tag or a commit"),
  ),
});

/** A file of a revision, and what would happen to who downloads it. */
export const MirrorFile = v.object({
  ...FileDecision.entries,
  fetched_at: v.pipe(v.nullable(time), v.description("When it came in")),
  verdict: v.pipe(
    v.nullable(v.picklist(VERDICTS)),
    v.description("On its content; null before it has come in"),
  ),
});
export type MirrorFile = v.InferOutput<typeof MirrorFile>;

export const MirrorFileList = v.object({
  items: v.array(MirrorFile),
  total: count,
  next: v.pipe(v.nullable(v.string()), v.description("`after` of the next page")),
});

export type MirrorFileList = v.InferOutput<typeof MirrorFileList>;

/** The body of a request to fetch a file ahead. */
export const MirrorFetchRequest = v.object({ path: v.string() });

export const MirrorFetch = v.object({
  path: v.string(),
  is_fetched: v.pipe(v.boolean(), v.description("Whether it has come in, and was scanned")),
});

export type MirrorFetch = v.InferOutput<typeof MirrorFetch>;

/** What the mirror of this server is doing (C 28). Counts are since its start. */
export const MirrorState = v.object({
  url: v.pipe(v.string(), v.description("Of the other hub")),
  upstream: v.pipe(
    v.picklist(["unasked", "answers", "fails", "rests"]),
    v.description("How the other hub is: `rests` as long as it is not asked, after failures"),
  ),
  answered_at: v.pipe(v.nullable(time), v.description("When the other hub answered last")),
  failed_at: v.pipe(v.nullable(time), v.description("When it failed last")),
  failure: v.pipe(v.nullable(v.string()), v.description("How it failed last")),
  asked_again_at: v.pipe(v.nullable(time), v.description("When it is asked again, if it rests")),
  bytes: v.pipe(count, v.description("What mirrored files take")),
  pinned_bytes: v.pipe(count, v.description("Those of them that are pinned")),
  max_bytes: v.pipe(v.nullable(count), v.description("The most that they may take")),
  requests: v.pipe(count, v.description("Requests for files")),
  hits: v.pipe(count, v.description("Those of them for files that were here")),
  fetched_files: count,
  fetched_bytes: count,
  refusals: v.pipe(
    v.array(v.object({ rule: v.string(), requests: count })),
    v.description("How often each rule has refused a file, or `gate`"),
  ),
  fetches: v.pipe(
    v.array(v.object({
      id: v.pipe(id, v.description("Of the revision, here")),
      type: v.picklist(REPOSITORY_TYPES),
      repository: v.string(),
      path: v.string(),
      size: count,
      bytes: v.pipe(count, v.description("Those that have come in")),
      asked_by: asker,
    })),
    v.description("The files that come in now"),
  ),
});
export type MirrorState = v.InferOutput<typeof MirrorState>;

/** The body of a request to pin a revision. */
export const MirrorPinRequest = v.object({ pinned: v.boolean() });
