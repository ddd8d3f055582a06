import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const id = v.pipe(v.number(), v.integer(), v.minValue(1));

/** A tag, as callers receive it (C 26). */
export const TagEntry = v.object({
  id,
  user_id: v.pipe(id, v.description("Whose tree it is")),
  name: v.string(),
  path: v.pipe(v.string(), v.description('What it names; "" for the whole tree')),
  version: v.pipe(count, v.description("The version of the tree; 0 without history")),
  message: v.nullable(v.string()),
  created_by: id,
  created_at: v.pipe(v.string(), v.isoTimestamp()),
  files: count,
  size: v.pipe(count, v.description("The bytes of all files, which count against the quota")),
});
export type TagEntry = v.InferOutput<typeof TagEntry>;

export const TagList = v.object({ items: v.array(TagEntry), total: count });
export type TagList = v.InferOutput<typeof TagList>;

/** The body of a request to add a tag. */
export const TagRequest = v.object({
  name: v.pipe(
    v.string(),
    v.description("Of letters, digits and _ . @ + / -; no number, and no time"),
  ),
  path: v.pipe(v.string(), v.description("A file or directory; blank for the whole tree")),
  at: v.pipe(
    v.nullish(v.union([v.string(), count])),
    v.description("A version, an RFC 3339 time or another tag; what is there now by default"),
  ),
  message: v.nullish(v.string()),
});
