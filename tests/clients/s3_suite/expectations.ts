/** Why tests of the suite do not pass. */

import type { Outcome } from "./suite.ts";

interface Reason {
  readonly why: string;
  /** What the names of the tests match. @default all do */
  readonly name?: RegExp;
  /** What their failures match. @default all do */
  readonly failure?: RegExp;
}

/** The first that matches counts. */
const REASONS: readonly Reason[] = [
  {
    why: "They make users by commands of versitygw, or by Amazon's IAM",
    failure: /fork\/exec|create user/,
  },
  {
    why: "A condition holds for any ETag here, not for `*` alone",
    name: /_conditional_writes$/,
    failure: /to be NotImplemented, instead got PreconditionFailed/,
  },
  {
    why: "They ask for locks of objects, policies, websites, or a part of an object by its number",
    failure: /NotImplemented|instead got 501|StatusCode: 501/,
    name:
      /lock|legal_hold|retention|retain|redirect|part_number|initiated_time|overrides_fail_public|meta_props|_iam_|_with_metadata$|Object_success$/,
  },
  {
    why: "The server asks for a key before it looks at what it can take",
    name: /lock|legal_hold|retain|ranged_with_checksum_mode/,
    failure: /closed network|partNumber/,
  },
  {
    why: "A deletion may depend on the ETag, not on the size and the time besides",
    name: /^DeleteObject_conditional_writes$/,
  },
  {
    why: "The MD5 is the ETag of each file. What is stated besides is compared when it comes: " +
      "CRC-32, CRC-32C, CRC-64/NVME, SHA-1 and SHA-256. The CRC-32 alone is kept",
    name: /checksum|data_integrity|algo|PutObject_md5$|StreamingPayloadTrailer/i,
  },
  {
    why:
      "A tree is no bucket that somebody makes: each is there, its owner is a user, and any region will do",
    name:
      /^GetBucketVersioning_empty_response$|non_existing_bucket$|ListBuckets_|expected_bucket_owner|expected_owner|incorrect_region$|non_exist$/,
  },
  {
    why: "A write does not say which version it has made: the list of versions does",
    name: /^ListObjectVersions_/,
  },
  {
    why:
      "A file has the key that is its path: some keys cannot be paths, and a file is no directory",
    name:
      /special_chars|object_names|with_slashes|name_too_long|overwrite|UTF8_chars|nested_dir|invalid_copy_source$/,
  },
  {
    why: "A directory has no content, no metadata and no tags",
    name:
      /dir_obj|directory_success|dir_with_range|dir_object|PutObject_tagging$|PutObject_with_metadata$/,
  },
  {
    why:
      "As Amazon's, and not as versitygw: the ends of ranges, conditions of copies, empty elements, " +
      "tokens of lists, and headers with their usual values",
    name:
      /range|conditional_reads|list_all_objs|continuation_token|default_content_type|storage_class|cross_bucket|PutObject_success$|ListParts_success|empty_input|non_existing_objects/,
  },
  {
    why:
      "Refused by the same code, in words that name what is wrong, with no more fields than that",
    failure: /expected error (?:message|AWSAccessKeyId|ArgumentName|HeadersNotSigned|ServerTime)/,
  },
  {
    why: "Chunks may be small, and it gives up before it has read that another one is refused",
    name: /^SignedStreamingPayload_invalid_/,
  },
  {
    why:
      "A page of uploads begins after any text, and its end names an upload only if it is one; " +
      "those of one key are in no order of time",
    name: /^ListMultipartUploads_/,
  },
  {
    why: "Refused by another code: the first thing that is wrong is named",
    failure:
      /instead got (?:InvalidArgument|InvalidTag|NoSuchBucket|NoSuchUpload|MalformedXML|40[034]|BadDigest|InvalidRequest)/,
  },
  {
    why: "Headers that come twice are not signed as one",
    name: /should_combine_metadata$/,
  },
];

/** Why a test does not pass, or undefined if that is not expected. */
export function reasonOf({ name, failure = "" }: Outcome): string | undefined {
  // No failure of the server is expected.
  if (failure.startsWith("replied 5")) return undefined;
  return REASONS.find((it) => (it.name?.test(name) ?? true) && (it.failure?.test(failure) ?? true))
    ?.why;
}
