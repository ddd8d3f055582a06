import * as v from "valibot";
import { parseDuration } from "./units.ts";

/** The privileges that a credential can grant (RS 2, C 14, C 15). */
export const PRIVILEGES = [
  "resources.view",
  "resources.upload",
  "resources.edit",
  "resources.delete",
  "resources.download",
  "resources.admin",
  "capacity.view",
  "scans.view",
  "scans.run",
  "metrics.view",
  "users.admin",
  "mirror.use",
] as const;

/** The privileges that concern a tree. The others are not looked at in one. */
export const TREE_PRIVILEGES = [
  "resources.view",
  "resources.upload",
  "resources.edit",
  "resources.delete",
  "resources.download",
  "resources.admin",
  "scans.view",
  "scans.run",
] as const satisfies readonly (typeof PRIVILEGES[number])[];

/** A user id: 1…2^53−1 (C 3). */
export const UserId = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,15}$/),
  v.transform(Number),
  v.maxValue(Number.MAX_SAFE_INTEGER),
);

/** The id of a credential. A database must be able to keep it, or the credential could not be revoked. */
export const JwtId = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.maxLength(256),
  v.check((text) => text.isWellFormed() && !text.includes("\0")),
);

const Quota = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Privileges in the trees of other users, by user id, as the claim `trees` states them (C 19). */
export type TreePrivileges = Readonly<Record<string, readonly string[]>>;

const Trees = v.pipe(
  v.record(UserId, v.array(v.string())),
  v.transform((trees) =>
    new Map(Object.entries(trees).map(([user, names]) => [Number(user), new Set(names)]))
  ),
);

/** The claims that name the caller. The signature check verifies the others (C 10). */
export const Claims = v.object({
  /** The user id as a decimal string. */
  sub: UserId,
  privileges: v.array(v.string()),
  trees: v.optional(Trees),
  /** By it, the credential can be revoked. */
  jti: v.optional(JwtId),
  /** The quota of the user, in bytes. */
  quota: v.optional(Quota),
  /** Whether it may never do more than the person with this user id may then (C 27). */
  bound: v.optional(v.boolean(), false),
  /** The milliseconds after the second `iat`, which revocations by time count. */
  iat_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(999)), 0),
});

/** A duration such as `90s`, `15m`, `1h` or `30d`, as seconds. */
export const TimeToLive = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,8}[smhd]$/),
  v.transform((text) => parseDuration(text) ?? 0),
);
