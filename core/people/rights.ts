import { TREE_PRIVILEGES } from "../../schemas/credentials.ts";
import type { Caller } from "../caller.ts";
import type { Person } from "./store.ts";

/** What a person may do now: in its own tree, and in those of others, by user. */
export type Rights = Required<Pick<Caller, "privileges" | "trees">>;

/** Finds what a person may do. */
export type RightsOf = (person: Person) => Rights | Promise<Rights>;

/** The group of those who may do everything, and that of those who have a tree. */
export const ADMINS = "admins";
export const MEMBERS = "members";

const ALL: ReadonlySet<string> = new Set(["resources.admin", "users.admin"]);
const OWN_TREE: ReadonlySet<string> = new Set([
  ...TREE_PRIVILEGES.filter((name) => name !== "resources.admin"),
  "capacity.view",
  "mirror.use",
]);

/**
 * What the people of a server may do that has no roles of its own: those who were invited into the group
 * {@link ADMINS} everything, and the other {@link MEMBERS} whatever they like in their own trees. A provider knows
 * nothing of these two, so its people may do nothing (C 27).
 */
export const rightsWithoutRoles: RightsOf = ({ groups, identity }) => {
  const has = (group: string) => identity === undefined && groups.includes(group);
  const privileges = has(ADMINS) ? ALL : has(MEMBERS) ? OWN_TREE : new Set<string>();
  return { privileges, trees: new Map() };
};

/** What a caller holds that is bound to a person: no more than that may do now (C 27). */
export function within(rights: Rights, held: Pick<Caller, "privileges" | "trees">): Rights {
  const trees = new Set([...rights.trees.keys(), ...held.trees?.keys() ?? []]);
  return {
    privileges: common(held.privileges, rights.privileges),
    trees: new Map(
      [...trees].map((tree) => [tree, common(inTree(held, tree), inTree(rights, tree))]),
    ),
  };
}

/** What both hold. `resources.admin` implies all others (RS 2). */
function common(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  if (other.has("resources.admin")) return one;
  return one.has("resources.admin") ? other : one.intersection(other);
}

/** What is held in the tree of another user: what is stated, or else all, if it is everything everywhere. */
function inTree(
  { privileges, trees }: Pick<Caller, "privileges" | "trees">,
  tree: number,
): ReadonlySet<string> {
  const isAdmin = privileges.has("resources.admin");
  return trees?.get(tree) ?? (isAdmin ? new Set(["resources.admin"]) : new Set());
}
