import * as v from "valibot";

/** A record, as callers receive it (RS 2, C 3). */
export const ResourceEntry = v.object({
  id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  user_id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  name: v.string(),
  path: v.string(),
  size: v.pipe(v.number(), v.integer(), v.minValue(0), v.description("Bytes; 0 for a directory")),
  is_dir: v.boolean(),
  created_at: v.pipe(v.string(), v.isoTimestamp(), v.description("UTC, with milliseconds")),
  updated_at: v.pipe(v.string(), v.isoTimestamp()),
});
export type ResourceEntry = v.InferOutput<typeof ResourceEntry>;

/** A list of records (RS 2, C 3). */
export const ResourceList = v.object({
  items: v.array(ResourceEntry),
  /** The number of items. */
  total: v.pipe(v.number(), v.integer(), v.minValue(0)),
});

/** The body of a request to delete. Unknown keys are ignored (C 3). */
export const DeleteResourceRequest = v.object({
  paths: v.pipe(v.array(v.string()), v.description("1 to 1000 paths")),
  purge: v.pipe(
    v.nullish(v.boolean(), false),
    v.description("Whether no earlier version of the tree is to have the content any more"),
  ),
});

/** The body of a mkdir request (RS 2). Unknown keys are ignored (C 3). */
export const MkdirResourceRequest = v.object({ path: v.string() });

/**
 * The body of a move or copy request: MoveResourceRequest and CopyResourceRequest are equal (RS 2). A
 * null key counts as missing (C 7).
 */
export const TransferResourceRequest = v.object({
  source: v.pipe(v.nullish(v.string(), null), v.description("Another source")),
  sources: v.nullish(v.array(v.string()), []),
  destination: v.nullish(v.string(), ""),
  force: v.pipe(
    v.nullish(v.boolean(), false),
    v.description("Whether existing files may be replaced and existing directories merged"),
  ),
});

/** The parameter `compression` of a download: `auto` deflates if that saves space (C 9). */
export const Compression = v.picklist(["auto", "store", "deflate"]);
export type Compression = v.InferOutput<typeof Compression>;

/** The parameter `on_conflict` of an upload: what to do about a file that is there (C 17). */
export const OnConflict = v.picklist(["error", "skip", "replace"]);
export type OnConflict = v.InferOutput<typeof OnConflict>;

/** The parameter `paths` of an upload: file names are paths below the directory (C 17). */
export const UploadPaths = v.picklist(["keep"]);
