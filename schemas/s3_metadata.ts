import * as v from "valibot";

/** What an object of the S3 door has besides its content (C 30). */
export const S3Metadata = v.strictObject({
  /** The headers of its replies, such as `Content-Type`, by their names in lower case. */
  headers: v.record(v.string(), v.string()),
  /** What clients call `x-amz-meta-…`, without that prefix. */
  user: v.record(v.string(), v.string()),
  /** Its tags. */
  tags: v.record(v.string(), v.string()),
});
export type S3Metadata = v.InferOutput<typeof S3Metadata>;
