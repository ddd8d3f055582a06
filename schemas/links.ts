import * as v from "valibot";

const id = v.pipe(v.number(), v.integer(), v.minValue(1));
const time = v.pipe(v.string(), v.isoTimestamp());

/** The body of a request for a link (C 19). Unknown keys are ignored (C 3). */
export const LinkRequest = v.object({
  path: v.string(),
  /** Seconds, or a duration such as `7d`. */
  expires_in: v.union([v.number(), v.string()]),
  once: v.nullish(v.boolean(), false),
});

/** A link, as callers receive it. Times are RFC 3339, UTC, with milliseconds. */
export const LinkEntry = v.object({
  id,
  /** Whose tree it is in. */
  user_id: id,
  path: v.string(),
  /** Who made it. */
  created_by: id,
  created_at: time,
  expires_at: time,
  /** Whether it serves one download only. */
  once: v.boolean(),
});
export type LinkEntry = v.InferOutput<typeof LinkEntry>;

/** A new link with its URL, which is shown once. */
export const NewLinkEntry = v.object({ ...LinkEntry.entries, url: v.string() });

/** A link of a list. */
export const ListedLink = v.object({
  ...LinkEntry.entries,
  status: v.picklist(["active", "used", "gone"]),
});

/** A page of links, newest first. */
export const LinkList = v.object({
  items: v.array(ListedLink),
  total: v.pipe(v.number(), v.integer(), v.minValue(0)),
});
