import * as v from "valibot";
import { TimeToLive, UserId } from "../schemas/credentials.ts";
import { PRIVILEGES } from "../core/caller.ts";
import { options } from "./arguments.ts";
import { UsageError } from "./usage_error.ts";

/** What a credential is to say. */
export interface TokenRequest {
  readonly userId: number;
  readonly privileges: readonly string[];
  readonly ttlSeconds: number;
}

/**
 * What `strongroom token` is asked for (C 10).
 *
 * @throws {UsageError} where it can't be had.
 */
export function tokenRequest(args: string[]): TokenRequest {
  const { user, privileges = "", admin, ttl } = options(args, {
    user: { type: "string" },
    privileges: { type: "string" },
    admin: { type: "boolean" },
    ttl: { type: "string", default: "1h" },
  });
  const userId = v.safeParse(UserId, user);
  if (!userId.success) {
    throw new UsageError(`--user must be an id from 1 to 2^53 − 1, not "${user}"`);
  }
  const ttlSeconds = v.safeParse(TimeToLive, ttl);
  if (!ttlSeconds.success) {
    throw new UsageError(`--ttl must be such as 90s, 15m, 1h or 30d, not "${ttl}"`);
  }
  const held = [...privilegesOf(privileges), ...admin ? ["resources.admin"] : []];
  if (held.length === 0) throw new UsageError("--privileges or --admin is needed");
  return { userId: userId.output, privileges: held, ttlSeconds: ttlSeconds.output };
}

function privilegesOf(list: string): string[] {
  const names = list.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const unknown = names.find((name) => !PRIVILEGES.some((known) => known === name));
  if (unknown === undefined) return names;
  throw new UsageError(`Unknown privilege "${unknown}" in --privileges`);
}
