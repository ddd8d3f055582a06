import type { S3Metadata } from "../schemas/s3_metadata.ts";

/** What the S3 door keeps of an object besides its content. */
export interface ObjectFacts {
  /** The ETag, without quotes, if it is not the MD5 of the content. */
  readonly etag: string | undefined;
  readonly metadata: S3Metadata;
}
