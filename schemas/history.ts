import * as v from "valibot";
import { FileVerdict } from "./verdicts.ts";

const version = v.pipe(v.number(), v.integer(), v.minValue(0));
const userId = v.pipe(v.number(), v.integer(), v.minValue(1));
const next = v.pipe(
  v.nullable(v.string()),
  v.description("What the parameter after of the next page is; null at the end"),
);
const size = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A change of a file or directory (C 26), as callers receive it. */
export const HistoryEntry = v.object({
  version: v.pipe(version, v.description("The version of the tree that the change made")),
  time: v.pipe(v.string(), v.isoTimestamp()),
  user_id: v.pipe(userId, v.description("Who made it")),
  message: v.pipe(v.nullable(v.string()), v.description("Why, if that was said")),
  action: v.picklist(["added", "replaced", "moved", "deleted"]),
  path: v.pipe(v.string(), v.description("Where a moved file or directory has gone")),
  former_path: v.pipe(v.nullable(v.string()), v.description("Where it was, if it was moved")),
  is_dir: v.boolean(),
  size: v.pipe(size, v.description("Bytes; 0 for a directory")),
  sha256: v.nullable(v.string()),
  verdict: v.pipe(
    v.nullable(FileVerdict),
    v.description(
      "On the content after the change, or before it was deleted; null for a directory",
    ),
  ),
});
export type HistoryEntry = v.InferOutput<typeof HistoryEntry>;

/** A difference between two versions. */
export const DiffEntry = v.object({
  action: v.picklist(["added", "replaced", "moved", "deleted"]),
  path: v.pipe(v.string(), v.description("Where a moved file or directory has gone")),
  former_path: v.pipe(v.nullable(v.string()), v.description("Where it was, if it was moved")),
  is_dir: v.boolean(),
  size: v.pipe(size, v.description("Bytes; before, if it was deleted; 0 for a directory")),
  sha256: v.nullable(v.string()),
});
export type DiffEntry = v.InferOutput<typeof DiffEntry>;

export const DiffList = v.object({ items: v.array(DiffEntry), total: size });

/** Something that was deleted as a whole, and can be restored. */
export const TrashEntry = v.object({
  version: v.pipe(
    version,
    v.description(
      "The version of the tree that deleted it: restore it as it was at the one before",
    ),
  ),
  time: v.pipe(v.string(), v.isoTimestamp()),
  user_id: v.pipe(userId, v.description("Who deleted it")),
  path: v.string(),
  is_dir: v.boolean(),
  size: v.pipe(size, v.description("The bytes of all files")),
  files: v.pipe(v.number(), v.integer(), v.minValue(0)),
});
export type TrashEntry = v.InferOutput<typeof TrashEntry>;

/** A page of the trash, newest first. */
export const TrashList = v.object({ items: v.array(TrashEntry), total: size, next });
export type TrashList = v.InferOutput<typeof TrashList>;

/** How many entries of the trash were given up. */
export const EmptiedTrash = v.object({ total: size });
export type EmptiedTrash = v.InferOutput<typeof EmptiedTrash>;

/** The body of a request to purge a content from all trees. */
export const PurgeRequest = v.object({
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/), v.description("Of the content")),
});

/** The body of a request to restore. */
export const RestoreRequest = v.object({
  path: v.pipe(v.string(), v.description("What to restore, by its path then")),
  at: v.pipe(
    v.union([v.string(), version]),
    v.description("The version that has it, an RFC 3339 time, or a tag"),
  ),
  destination: v.pipe(
    v.nullish(v.string()),
    v.description("Where to, as that of a copy; the same path by default"),
  ),
  force: v.pipe(
    v.nullish(v.boolean(), false),
    v.description("Whether existing files may be replaced and existing directories merged"),
  ),
});

/** A page of changes, newest first. */
export const HistoryList = v.object({ items: v.array(HistoryEntry), total: size, next });
export type HistoryList = v.InferOutput<typeof HistoryList>;
