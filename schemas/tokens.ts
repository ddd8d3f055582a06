import * as v from "valibot";
import { PRIVILEGES, TREE_PRIVILEGES } from "./credentials.ts";
import { USER_NAMED } from "./people.ts";

const time = v.pipe(v.string(), v.isoTimestamp());
const userId = v.pipe(v.number(), v.integer(), v.minValue(1));
const bytes = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const jti = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

/** The body of a request for a credential (C 22). Unknown keys are ignored (C 3). */
export const TokenRequest = v.object({
  privileges: v.pipe(
    v.nullish(v.array(v.picklist(PRIVILEGES)), []),
    v.description("What it permits, no more than the credential of the request"),
  ),
  trees: v.pipe(
    v.nullish(
      v.record(
        v.pipe(v.string(), v.regex(USER_NAMED)),
        v.array(v.picklist(TREE_PRIVILEGES)),
      ),
      {},
    ),
    v.description("What it permits in the trees of other users, by user id or name"),
  ),
  expires_in: v.pipe(
    v.nullish(v.union([v.number(), v.string()])),
    v.description(
      "Seconds, or a duration such as 7d; at most a year, and as long as the credential of the " +
        "request. By default, as long as that",
    ),
  ),
  quota: v.pipe(
    v.nullish(bytes),
    v.description("The quota of the user in bytes; by default as now"),
  ),
  label: v.pipe(v.nullish(v.string()), v.description("What it is for: 1 to 100 characters")),
  short: v.pipe(
    v.nullish(v.boolean(), false),
    v.description(
      "Whether its token is hf_ and 37 letters and digits, as clients of the model hub need it, " +
        "and not a JWT",
    ),
  ),
  s3: v.pipe(
    v.nullish(v.boolean(), false),
    v.description(
      "Whether it is an access key for clients of S3: its id is in short, and its secret in token",
    ),
  ),
});

/** A credential, as callers receive it. Times are RFC 3339, UTC, with milliseconds. */
export const TokenEntry = v.object({
  jti,
  user_id: v.pipe(v.nullable(userId), v.description("Null if another issuer minted it")),
  privileges: v.array(v.string()),
  trees: v.pipe(
    v.record(v.string(), v.array(v.string())),
    v.description("The privileges in the trees of other users, by user id"),
  ),
  quota: v.pipe(v.nullable(bytes), v.description("In bytes")),
  label: v.nullable(v.string()),
  parent: v.pipe(
    v.nullable(v.string()),
    v.description("The jti of the credential that minted it; null if the operator or a person did"),
  ),
  created_at: v.pipe(v.nullable(time), v.description("Null if another issuer minted it")),
  expires_at: v.pipe(v.nullable(time), v.description("Null if another issuer minted it")),
  revoked_at: v.nullable(time),
  short: v.pipe(
    v.optional(v.object({
      last_used_at: v.pipe(
        v.nullable(time),
        v.description("Up to a minute late; null before the first use"),
      ),
      access_key_id: v.pipe(
        v.optional(v.string()),
        v.description("Only for an access key for clients of S3"),
      ),
    })),
    v.description("Only for a short credential, or an access key"),
  ),
  is_current: v.pipe(v.boolean(), v.description("Whether it is the credential of the request")),
});
export type TokenEntry = v.InferOutput<typeof TokenEntry>;

/** A new credential, with the token, which is shown once. */
export const NewTokenEntry = v.object({
  ...TokenEntry.entries,
  token: v.pipe(v.string(), v.description("Shown only once; that of an access key is its secret")),
});

/** The body of a request to end all credentials of a user (C 31). It may be left out. */
export const RevocationRequest = v.object({
  before: v.pipe(
    v.nullish(v.string()),
    v.description("An RFC 3339 time, not in the future; by default now"),
  ),
});

/** Which credentials of a user are refused. */
export const RevocationEntry = v.object({
  user_id: userId,
  before: v.pipe(
    time,
    v.description("Those issued before it, the latest time of all revocations of the user"),
  ),
});
export type RevocationEntry = v.InferOutput<typeof RevocationEntry>;

/** A page of credentials, newest first. */
export const TokenList = v.object({
  items: v.array(TokenEntry),
  total: v.pipe(v.number(), v.integer(), v.minValue(0)),
});
