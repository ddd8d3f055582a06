import { type Caller, inTree, permits, type Privilege, requiredPrivileges } from "../caller.ts";
import { type Names, numberNamed } from "./named.ts";
import { findNamed } from "./people.ts";
import type { Rights, RightsOf } from "./rights.ts";
import type { Person } from "./store.ts";

/** What those in a group may do (C 27). */
export interface Role {
  /** In their own trees. `resources.admin` is everything in all trees. */
  readonly privileges: readonly string[];
  /** In the trees of others, by their numbers or names. */
  readonly trees: Readonly<Record<string, readonly string[]>>;
}

/** What is permitted, by group. */
export type Roles = ReadonlyMap<string, Role>;

/**
 * Finds what people may do by the roles of their groups: all that any of them permits. A tree whose name nobody has
 * counts for nothing until somebody has it.
 */
export function rightsByRoles(roles: Roles, people: Names): RightsOf {
  // Nobody else ever has a name, so what was found stays true.
  const numbers = new Map<string, number>();
  const numberOf = async (tree: string) => {
    const known = numbers.get(tree);
    if (known !== undefined) return known;
    // Who signs in by a provider may have chosen the name there.
    if ((await findNamed(people, tree))?.identity !== undefined) return undefined;
    const number = await numberNamed(people, tree, "tree");
    if (number !== undefined) numbers.set(tree, number);
    return number;
  };
  return async ({ groups }): Promise<Rights> => {
    const privileges = new Set<string>();
    const trees = new Map<number, Set<string>>();
    for (const role of groups.map((group) => roles.get(group))) {
      for (const privilege of role?.privileges ?? []) privileges.add(privilege);
      for (const [tree, names] of Object.entries(role?.trees ?? {})) {
        const number = await numberOf(tree);
        if (number === undefined) continue;
        trees.set(number, new Set([...trees.get(number) ?? [], ...names]));
      }
    }
    // What is permitted in one tree takes nothing from who may do everything in all.
    if (privileges.has("resources.admin")) {
      for (const names of trees.values()) names.add("resources.admin");
    }
    return { privileges, trees };
  };
}

/** What somebody asks for: a privilege, in its own tree or in that of somebody else. */
export interface Attempt {
  readonly person: Person;
  readonly privilege: Privilege;
  /** The number of the user whose tree it is. @default its own */
  readonly tree?: number | undefined;
}

/** Whether a person may do something, and by what. */
export interface Decision {
  readonly isAllowed: boolean;
  /** The groups of the person that permit it, or else those of others that would. */
  readonly groups: readonly string[];
}

/**
 * Whether a person who is signed in may do something, and by which of its groups (C 27).
 *
 * @param known The groups that could permit it.
 */
export async function decide(
  rightsOf: RightsOf,
  attempt: Attempt,
  known: Iterable<string>,
): Promise<Decision> {
  const { person } = attempt;
  const isAllowed = person.disabledAt === undefined && await mayDo(rightsOf, attempt);
  const groups = [];
  for (const group of isAllowed ? person.groups : new Set(known)) {
    const member = { ...person, groups: [group] };
    if (await mayDo(rightsOf, { ...attempt, person: member })) groups.push(group);
  }
  return { isAllowed, groups };
}

async function mayDo(
  rightsOf: RightsOf,
  { person, privilege, tree = person.number }: Attempt,
): Promise<boolean> {
  const rights = await rightsOf(person);
  const caller: Caller = { userId: person.number, ...rights, expiresAt: Infinity };
  const there = inTree(caller, tree);
  return requiredPrivileges(privilege).every((needed) => permits(there, needed));
}
