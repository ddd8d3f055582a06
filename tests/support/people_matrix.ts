/** Who asks for what: people in all roles, teams, and what they may do. */

import type { Role, Roles } from "../../core/people/roles.ts";
import { PRIVILEGES, TREE_PRIVILEGES, type TreePrivileges } from "../../schemas/credentials.ts";
import { dataOf } from "./client.ts";
import type { TestServer } from "./server.ts";

const ALL: readonly string[] = PRIVILEGES;
const IN_TREES: readonly string[] = TREE_PRIVILEGES;
const READ = ["resources.view", "resources.download"];
const WRITE = [...READ, "resources.upload", "resources.edit", "resources.delete"];
const SCAN = ["scans.view", "scans.run", "resources.download"];
/** The number of the team. */
export const VISION = 9;
const OTHER = 8;

/** One role for each privilege, those of a team, and that of administrators. */
export const ROLES: Roles = new Map<string, Role>([
  ...ALL.map((name): [string, Role] => [name, { privileges: [name], trees: {} }]),
  ["members", { privileges: WRITE, trees: { vision: [...WRITE, ...SCAN] } }],
  ["readers", { privileges: [], trees: { vision: READ } }],
]);

/** What somebody may do in its own tree, and in that of the team. */
interface Held {
  readonly own: readonly string[];
  readonly vision: readonly string[];
}

/** Who asks, and what they may do. Undefined for those whose credential counts for nothing. */
export interface Asker<Client> {
  readonly name: string;
  readonly client: Client;
  readonly may: Held | undefined;
}

/** What a credential states. */
export interface AskerClaims {
  readonly userId: number;
  readonly privileges: readonly string[];
  readonly trees?: TreePrivileges;
  readonly isBound?: boolean;
}

/**
 * Those who ask for everything: people in each role, and others.
 *
 * @param clientOf Makes a client with a credential; undefined for one that nobody has issued.
 */
export async function askersOf<Client>(
  server: TestServer,
  clientOf: (claims: AskerClaims | undefined) => Promise<Client>,
): Promise<Asker<Client>[]> {
  const admin = await server.admin();
  dataOf(await admin.json("POST", "/teams/", { name: "vision", number: VISION }));
  dataOf(await admin.json("POST", "/users/", { name: "other", number: OTHER }));
  let number = 100;
  /** A person with a credential that states everything, and is bound to what its groups permit. */
  const person = async (name: string, ...groups: string[]) => {
    const userId = number++;
    dataOf(await admin.json("POST", "/users/", { name, groups, number: userId }));
    const trees = { [VISION]: IN_TREES };
    const claims = { userId, privileges: ALL.filter((it) => it !== "resources.admin"), trees };
    const isAdmin = groups.includes("resources.admin");
    const stated = isAdmin ? { userId, privileges: ["resources.admin"] } : claims;
    return { name, client: await clientOf({ ...stated, isBound: true }) };
  };
  const change = async (name: string, body: unknown) =>
    dataOf(await admin.json("PATCH", `/users/${name}`, body));
  const disabled = await person("disabled", "resources.admin");
  const demoted = await person("demoted", "members");
  const everything = { own: ALL, vision: ALL };
  const askers: Asker<Client>[] = [
    { name: "nobody", client: await clientOf(undefined), may: undefined },
    { ...disabled, may: undefined },
    { ...await person("ungrouped", "unknown"), may: { own: [], vision: [] } },
    { ...demoted, may: { own: READ.slice(0, 1), vision: [] } },
    { ...await person("member", "members"), may: { own: WRITE, vision: [...WRITE, ...SCAN] } },
    { ...await person("reader", "readers"), may: { own: [], vision: READ } },
    {
      name: "operator's",
      client: await clientOf({ userId: 50, privileges: SCAN, trees: { [VISION]: READ } }),
      may: { own: SCAN, vision: READ },
    },
  ];
  for (const role of ALL) {
    const may = role === "resources.admin" ? everything : { own: [role], vision: [] };
    askers.push({ ...await person(`with.${role}`, role), may });
  }
  await change("disabled", { disabled: true });
  await change("demoted", { groups: ["resources.view"] });
  return askers;
}

/** The trees that a request can name besides its own: the team's, that of another person, and none there is. */
export const NAMED_TREES: readonly string[] = ["vision", String(VISION), "other", "nobody.there"];

/** What is to come of a request that needs privileges in a tree, its own unless it names one. */
export function decisionFor(
  may: Held | undefined,
  needed: readonly string[],
  tree: string | undefined,
): 401 | 403 | "passes" {
  if (may === undefined) return 401;
  const isAdmin = may.own.includes("resources.admin");
  const held = tree === undefined
    ? may.own
    : ["vision", String(VISION)].includes(tree)
    ? may.vision
    : isAdmin
    ? ALL
    : [];
  return isAdmin || needed.every((it) => held.includes(it)) ? "passes" : 403;
}
