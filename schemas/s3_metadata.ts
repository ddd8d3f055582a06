import * as v from "valibot";

/** Which checksum an object of the S3 door has (C 30), as Amazon names it. */
export const S3ChecksumKind = v.strictObject({
  algorithm: v.picklist(["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"]),
  /** Whether it is that of the whole content, or of the checksums of the parts. */
  type: v.picklist(["FULL_OBJECT", "COMPOSITE"]),
});
export type S3ChecksumKind = v.InferOutput<typeof S3ChecksumKind>;

/** The checksum of an object. */
export const S3Checksum = v.strictObject({
  ...S3ChecksumKind.entries,
  /** In base64; followed by a hyphen and the number of parts if it is that of their checksums. */
  value: v.string(),
});
export type S3Checksum = v.InferOutput<typeof S3Checksum>;

/** What an object of the S3 door has besides its content (C 30). */
export const S3Metadata = v.strictObject({
  /** The headers of its replies, such as `Content-Type`, by their names in lower case. */
  headers: v.record(v.string(), v.string()),
  /** What clients call `x-amz-meta-…`, without that prefix. */
  user: v.record(v.string(), v.string()),
  /** Its tags. */
  tags: v.record(v.string(), v.string()),
  /** Its checksum, if it is another one than the CRC-32 that each file has. */
  checksum: v.optional(S3Checksum),
  /** The parts that it was uploaded in, in order: a size in bytes, and how many parts that follow each other have it. */
  parts: v.optional(v.array(v.tuple([v.number(), v.number()]))),
});
export type S3Metadata = v.InferOutput<typeof S3Metadata>;
