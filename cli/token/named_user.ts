import * as v from "valibot";
import { findNamed } from "../../core/people/people.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import { UserId } from "../../schemas/credentials.ts";
import { Group, USER_NAMED } from "../../schemas/people.ts";
import { UsageError } from "../usage_error.ts";

/** Whether a text can be the number or the name of a user. */
export function isUser(text: string): boolean {
  return /^\d/.test(text) ? v.is(UserId, text) : USER_NAMED.test(text);
}

/**
 * The number of the user with a number or a name.
 *
 * @throws {UsageError} when nobody has the name.
 */
export async function userNumber(
  people: Pick<PeopleStore, "findByName">,
  named: string,
): Promise<number> {
  const number = v.safeParse(UserId, named);
  if (number.success) return number.output;
  const found = await findNamed(people, named);
  if (found !== undefined) return found.number;
  throw new UsageError(`Nobody has the name "${named}"`);
}

/**
 * Checks the groups that an option has.
 *
 * @throws {UsageError} when one cannot be the name of a group.
 */
export function requireGroups(option: string, groups: readonly string[]): void {
  const wrong = groups.find((group) => !v.is(Group, group));
  if (wrong === undefined) return;
  throw new UsageError(`${option} must have 1 to 200 characters in a line, not "${wrong}"`);
}
