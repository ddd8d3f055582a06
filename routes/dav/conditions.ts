import { type Caller, ownerOf } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import { Locks } from "../../core/tree/locked.ts";
import { callerOf } from "../serving/auth.ts";
import { representationOf } from "../request/conditional.ts";
import type { Services } from "../serving/route.ts";
import { type Condition, parseIf, tokensIn } from "./if_header.ts";
import { type Handled, pathNamed, type Target } from "./target.ts";

/**
 * Refuses a request whose header `If` does not hold, and gives the caller the tokens in it (RFC 4918, 10.4).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest`, `ErrPreconditionFailed`.
 */
export async function requireIf(c: Handled, services: Services, target: Target): Promise<void> {
  const header = c.req.header("If");
  if (header === undefined) return;
  const lists = parseIf(header);
  const caller: Caller = { ...callerOf(c), lockTokens: tokensIn(lists) };
  c.set("caller", caller);
  const named = lists.map((list) => ({
    ...list,
    path: list.address === undefined ? target.path : pathNamed(c, services.publicUrl, list.address),
  }));
  const holds = await stateOf(caller, services, named.flatMap(({ path }) => path ?? []));
  const isMet = named.some(({ path, conditions }) =>
    conditions.every((condition) => condition.isNegated !== holds(path, condition))
  );
  if (isMet) return;
  throw new AppError("ErrPreconditionFailed", "No list of the If header holds");
}

/** What tells whether a condition holds for a path, but for its negation. */
async function stateOf(
  caller: Caller,
  { tree, dav }: Services,
  paths: readonly string[],
): Promise<(path: string | undefined, condition: Condition) => boolean> {
  const userId = ownerOf(caller);
  const locks = new Locks(await dav.locksOf(userId, Date.now()));
  const below = paths.filter((path) => path !== "");
  const found = await tree.records.findByPath({ userId, everyone: false }, below);
  return (path, { kind, value }) => {
    if (path === undefined) return false;
    if (kind === "token") return locks.covering(path).some(({ token }) => token === value);
    const record = found.get(path);
    if (record === undefined || record.isDir) return false;
    return value.replace(/^W\//, "") === representationOf(record).etag;
  };
}
