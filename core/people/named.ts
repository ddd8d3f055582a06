import * as v from "valibot";
import { type TreePrivileges, UserId } from "../../schemas/credentials.ts";
import { PERSON_NAME } from "../../schemas/people.ts";
import { type Caller, inTree, permits, type Privilege, requirePermission } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { findNamed } from "./people.ts";
import type { PeopleStore } from "./store.ts";

/** What finds people by their names. */
export type Names = Pick<PeopleStore, "findByName">;

/** Nobody has this number. */
const NOBODY = 0;
/** The most trees that a credential names: it travels in a header of each request. */
const MAX_TREES = 50;

/**
 * The number of the user that a number or a name stands for (C 27). Any number stands for itself, as other issuers
 * give numbers of their own.
 *
 * @param what What it is, for messages: `tree`.
 * @returns undefined if nobody has the name.
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is neither a number nor a name.
 */
export async function numberNamed(
  people: Names,
  named: string,
  what: string,
): Promise<number | undefined> {
  const number = v.safeParse(UserId, named);
  if (number.success) return number.output;
  if (PERSON_NAME.test(named.toLowerCase())) return (await findNamed(people, named))?.number;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid ${what} ${quoted(named)}: expected a name, or one user id from 1 to 2^53 − 1`,
  );
}

/**
 * Like {@link numberNamed}, for a caller to whom only an administrator may tell who there is: others get a number that
 * nobody has, which is refused like that of somebody else.
 *
 * @throws {AppError} `ErrUsersNotFound` when nobody has the name, and the caller is an administrator.
 */
export async function numberFor(
  people: Names,
  caller: Caller,
  { named, what }: { readonly named: string; readonly what: string },
): Promise<number> {
  const number = await numberNamed(people, named, what);
  if (number !== undefined) return number;
  if (!permits(caller, "resources.admin")) return NOBODY;
  throw new AppError("ErrUsersNotFound", `Nobody has the name ${quoted(named)}`);
}

/**
 * What a credential is to permit in trees, by number, where a request names them by number or name (C 19, C 27).
 *
 * @throws {AppError} As {@link numberFor}; `ErrNotPermitted` when the caller lacks some of it, as others learn nothing
 *   of who there is; `ErrResourcesInvalidRequest` when two name the same tree, a name is given no privileges, or there
 *   are too many.
 */
export async function inNamedTrees(
  people: Names,
  caller: Caller,
  trees: Readonly<Record<string, readonly Privilege[]>>,
): Promise<TreePrivileges> {
  const found: Record<string, readonly Privilege[]> = {};
  if (Object.keys(trees).length > MAX_TREES) {
    throw new AppError("ErrResourcesInvalidRequest", `at most ${MAX_TREES} trees can be named`);
  }
  for (const [named, privileges] of Object.entries(trees)) {
    // Otherwise the reply would tell who has a name.
    if (privileges.length === 0 && !v.is(UserId, named)) {
      throw new AppError("ErrResourcesInvalidRequest", `trees names ${quoted(named)} for nothing`);
    }
    const number = await numberFor(people, caller, { named, what: "tree" });
    const there = inTree(caller, number, named);
    for (const name of privileges) requirePermission(there, name);
    if (number === NOBODY) continue;
    if (String(number) in found) {
      throw new AppError("ErrResourcesInvalidRequest", `trees names ${quoted(named)} twice`);
    }
    found[number] = privileges;
  }
  return found;
}

/**
 * The caller of a request that names a tree by the number or the name of a user (C 19, C 27).
 *
 * @throws {AppError} As {@link numberFor}.
 */
export async function inNamedTree(people: Names, caller: Caller, named: string): Promise<Caller> {
  const tree = await numberFor(people, caller, { named, what: "tree" });
  return inTree(caller, tree, named);
}
