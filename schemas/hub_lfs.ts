import * as v from "valibot";
import { JwtId } from "./credentials.ts";

/** The most objects of a batch. */
export const MAX_LFS_OBJECTS = 1000;

const Sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const Size = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const UserNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

const Operation = v.picklist(["upload", "download"]);
export type LfsOperation = v.InferOutput<typeof Operation>;

/** An object of Git LFS: content by its SHA-256. */
export const LfsObject = v.object({ oid: Sha256, size: Size });
export type LfsObject = v.InferOutput<typeof LfsObject>;

/** The body of a batch request (Git LFS, batch API). Unknown keys are ignored. */
export const LfsBatch = v.object({
  operation: Operation,
  /** Without it, the only one is `basic`. */
  transfers: v.optional(v.array(v.string())),
  objects: v.pipe(v.array(LfsObject), v.maxLength(MAX_LFS_OBJECTS)),
  hash_algo: v.optional(v.picklist(["sha256", "sha_256"])),
});
export type LfsBatch = v.InferOutput<typeof LfsBatch>;

const COMMON = {
  /** The user whose credential asked for the address. */
  user: UserNumber,
  /** The user whose tree it acts in. */
  tree: UserNumber,
  /** The id of that credential. */
  jti: v.optional(JwtId),
  /** When it was issued. */
  issued: v.optional(v.number()),
  /** The key that it stands or falls with. */
  key: v.optional(v.string()),
  /** The quota that the credential states, in bytes. */
  quota: v.optional(Size),
  sha256: Sha256,
  size: Size,
  /** The directory of the repository. */
  repository: v.string(),
  expires: v.number(),
};

/** What a signed address for an object states. Times are milliseconds since the Unix epoch. */
const ObjectGrant = v.object({ ...COMMON, operation: Operation });
export type ObjectGrant = v.InferOutput<typeof ObjectGrant>;

/** What a signed address for the content of one file of a commit states. */
const ContentGrant = v.object({
  ...COMMON,
  operation: v.literal("content"),
  /** The id of the record of the file. */
  record: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  commit: v.string(),
  /** The version of the tree that has it. @default the present one */
  version: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  /** The id of the tag that has it. */
  tag: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  /** The id of the blob in Git, of a file that is none of Git LFS. */
  blobId: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/))),
});
export type ContentGrant = v.InferOutput<typeof ContentGrant>;

/** What a signed address for a file of another hub states (C 28). */
const MirrorGrant = v.object({
  ...COMMON,
  operation: v.literal("mirror"),
  kind: v.picklist(["models", "datasets"]),
  commit: v.string(),
  /** Relative to the repository. */
  path: v.string(),
  /** Of a file that Git LFS keeps: of others, it is known when they have been fetched. */
  sha256: v.optional(Sha256),
});
export type MirrorGrant = v.InferOutput<typeof MirrorGrant>;

/** What a signed address states. */
export const Grant = v.union([ObjectGrant, ContentGrant, MirrorGrant]);
export type Grant = v.InferOutput<typeof Grant>;
