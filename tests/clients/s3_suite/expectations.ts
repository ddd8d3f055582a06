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
    why: "They ask for locks of objects, policies, or websites",
    failure: /NotImplemented|instead got 501|StatusCode: 501/,
    name:
      /lock|legal_hold|retention|retain|redirect|initiated_time|overrides_fail_public|meta_props|not_allowed$|_iam_|_with_metadata$|Object_success$/,
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
    why: "They pass with CRC-32, CRC-32C, SHA-1, SHA-256 and CRC-64/NVME, " +
      "and go on with algorithms that are not offered: SHA-512, MD5, XXHash",
    failure: /sha512/i,
  },
  {
    why: "The ETag of a file is its MD5, and what is stored without a checksum has the CRC-32, " +
      "not CRC-64/NVME",
    name: /data_integrity|default_checksum|null_checksums|ignore_the_final|calculate_crc64nvme$/,
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
    failure:
      /expected error (?:message|AWSAccessKeyId|ArgumentName|HeadersNotSigned|ServerTime|Content-MD5)/,
  },
  {
    why: "They end a request before they have read that it is refused",
    failure: /context canceled/,
  },
  {
    why: "Chunks may be small",
    name: /signedStreamingPayload.*_invalid_chunk_size$/i,
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
      /instead got (?:InvalidArgument|InvalidTag|NoSuchBucket|NoSuchUpload|MalformedXML|40[034]|BadDigest|InvalidRequest|MalformedTrailerError|SignatureDoesNotMatch)/,
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
