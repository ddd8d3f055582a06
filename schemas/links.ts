import * as v from "valibot";

const id = v.pipe(v.number(), v.integer(), v.minValue(1));
const time = v.pipe(v.string(), v.isoTimestamp());

/** The longest time that a link is valid, in seconds. */
export const MAX_LINK_SECONDS = 30 * 24 * 60 * 60;

/** The body of a request for a link (C 19). Unknown keys are ignored (C 3). */
export const LinkRequest = v.object({
  path: v.string(),
  expires_in: v.pipe(
    v.union([v.number(), v.string()]),
    v.description("Seconds, or a duration such as 7d; at most 30 days"),
  ),
  once: v.pipe(v.nullish(v.boolean(), false), v.description("Whether it serves one download only")),
});

/** A link, as callers receive it. Times are RFC 3339, UTC, with milliseconds. */
export const LinkEntry = v.object({
  id,
  user_id: v.pipe(id, v.description("Whose tree it is in")),
  path: v.string(),
  created_by: v.pipe(id, v.description("Who made it")),
  jti: v.pipe(
    v.nullable(v.string()),
    v.description("The id of the credential that made it, with which it ends; null if it has none"),
  ),
  created_at: time,
  expires_at: time,
  once: v.pipe(v.boolean(), v.description("Whether it serves one download only")),
});
export type LinkEntry = v.InferOutput<typeof LinkEntry>;

/** A new link with its URL, which is shown once. */
export const NewLinkEntry = v.object({
  ...LinkEntry.entries,
  url: v.pipe(v.string(), v.description("Shown only once")),
});

/** A link of a list. */
export const ListedLink = v.object({
  ...LinkEntry.entries,
  status: v.pipe(
    v.picklist(["active", "used", "gone", "ended"]),
    v.description(
      "gone while its file or directory is not at its path; ended once the credential that made it is " +
        "revoked, or the server no longer has the key of that credential",
    ),
  ),
});

/** A page of links, newest first. */
export const LinkList = v.object({
  items: v.array(ListedLink),
  total: v.pipe(v.number(), v.integer(), v.minValue(0)),
});
