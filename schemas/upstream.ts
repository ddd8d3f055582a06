/** What the hub that is mirrored answers, as far as it is read. Unknown keys are ignored. */

import * as v from "valibot";

const CommitId = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/));
const Size = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Time = v.pipe(
  v.string(),
  v.transform((text) => Date.parse(text)),
  v.number(),
  v.check((time) => Number.isFinite(time)),
);

/** `GET /api/models/{repo}/revision/{rev}`. */
export const UpstreamInfo = v.object({
  /** The name that the repository has now. */
  id: v.optional(v.string()),
  sha: CommitId,
  createdAt: v.optional(Time),
  lastModified: v.optional(Time),
  tags: v.optional(v.array(v.string()), []),
  pipeline_tag: v.nullish(v.string()),
  library_name: v.nullish(v.string()),
});

/** `GET /api/models/{repo}/tree/{rev}`. */
export const UpstreamTree = v.array(v.object({
  type: v.string(),
  oid: v.string(),
  path: v.string(),
  size: v.optional(Size, 0),
  lfs: v.nullish(v.object({ oid: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)), size: Size })),
}));

const Reference = v.object({ name: v.string(), targetCommit: CommitId });

/** `GET /api/models/{repo}/refs`. */
export const UpstreamRefs = v.object({
  branches: v.array(Reference),
  tags: v.optional(v.array(Reference), []),
});

/** `GET /api/models/{repo}/commits/{rev}`. */
export const UpstreamCommitList = v.array(v.object({
  id: v.string(),
  title: v.optional(v.string(), ""),
  message: v.optional(v.string(), ""),
  date: Time,
  authors: v.optional(v.array(v.object({ user: v.optional(v.string(), "") })), []),
}));
