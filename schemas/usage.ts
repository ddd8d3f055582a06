import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What a tree holds, as callers receive it (C 22). */
export const Usage = v.object({
  files: count,
  directories: count,
  bytes: v.pipe(count, v.description("The sizes of all files")),
  stored_bytes: v.pipe(count, v.description("The sizes of their contents, each content once")),
  uploading: v.pipe(
    count,
    v.description(
      "The sizes of the files of unfinished uploads, and of content that waits for a commit",
    ),
  ),
  tagged_bytes: v.pipe(
    count,
    v.description(
      "The sizes of the files that tags name, and 500 bytes for each record of them, which count against the quota",
    ),
  ),
  history_bytes: v.pipe(
    count,
    v.description(
      "The sizes of deleted and former files that can be read, and 500 bytes for each former record; the quota does not count them",
    ),
  ),
  quota: v.nullable(count),
});
export type Usage = v.InferOutput<typeof Usage>;
