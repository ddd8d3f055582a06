import * as v from "valibot";
import { closedObject, extensibleObject, listOf, mapOf, openObject } from "./containers.ts";
import { CopyrightNotice, LicenseInfo } from "./licenses.ts";
import { MLContext } from "./ml_context.ts";
import {
  atLeast,
  count,
  finite,
  flag,
  fraction,
  hex,
  orNull,
  text,
  type Written,
} from "./values.ts";

/** SR 2.6. */
export const FileHashes = closedObject({
  md5: orNull(hex(32)),
  sha1: orNull(hex(40)),
  sha256: orNull(hex(64)),
  /** Of the first bytes only. */
  sha256_prefix: orNull(hex(64)),
  sha512: orNull(hex(128)),
});
export type FileHashes = Written<typeof FileHashes>;

/** SR 2.7. */
export const MemberFileIntegrity = openObject({
  file_hashes: orNull(FileHashes),
  /** Bytes. */
  file_size: orNull(count),
  bytes_hashed: orNull(count),
  hash_complete: orNull(flag),
  hash_status: orNull(text),
  sha256_prefix: orNull(hex(64)),
  scanner_name: orNull(text),
  logical_path: orNull(text),
  path_segments: v.optional(listOf(text), []),
  /** The ordinal among members with the same path. */
  occurrence: orNull(atLeast(1)),
});

/** SR 2.5. */
export const FileMetadata = extensibleObject({
  /** Bytes. */
  file_size: orNull(count),
  file_hashes: orNull(FileHashes),
  /** By member. */
  member_file_hashes: v.optional(mapOf(MemberFileIntegrity), {}),
  member_file_hashes_total: orNull(count),
  member_file_hashes_truncated: orNull(flag),
  member_file_hashes_omitted: orNull(count),
  max_stack_depth: orNull(count),
  opcode_count: orNull(count),
  suspicious_count: orNull(count),
  ml_context: orNull(MLContext),
  license: orNull(text),
  license_info: v.optional(listOf(LicenseInfo), []),
  copyright_notices: v.optional(listOf(CopyrightNotice), []),
  license_files_nearby: v.optional(listOf(text), []),
  is_dataset: orNull(flag),
  is_model: orNull(flag),
  risk_score: v.optional(fraction, 0),
  /** Seconds since the Unix epoch (C 16). */
  scan_timestamp: v.optional(finite),
});
export type FileMetadata = Written<typeof FileMetadata>;
