import * as v from "valibot";

const time = v.pipe(v.string(), v.isoTimestamp());
const bytes = v.pipe(v.number(), v.integer(), v.minValue(0));

/** An upload that can be resumed, as callers receive it (C 21). */
export const UploadEntry = v.object({
  id: v.string(),
  path: v.pipe(
    v.nullable(v.string()),
    v.description("Where the file will be; null for a part of one"),
  ),
  size: v.pipe(
    v.nullable(bytes),
    v.description("The size of the whole file; null until it is known"),
  ),
  received: bytes,
  created_at: time,
  expires_at: time,
  completed_at: v.pipe(v.nullable(time), v.description("When the file was stored")),
});
export type UploadEntry = v.InferOutput<typeof UploadEntry>;
