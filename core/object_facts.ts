import type { S3ChecksumKind, S3Metadata } from "../schemas/s3_metadata.ts";

/** What the S3 door keeps of an object besides its content. */
export interface ObjectFacts {
  /** The ETag, without quotes, if it is not the MD5 of the content. */
  readonly etag: string | undefined;
  readonly metadata: S3Metadata;
}

/** What lists of the S3 door have of that. */
export interface ListedFacts extends Pick<ObjectFacts, "etag"> {
  /** That of the object, if it is another one than the CRC-32 of the whole content. */
  readonly checksum: S3ChecksumKind | undefined;
}
