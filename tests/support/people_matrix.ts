/** Who asks for what: people in all roles, teams, and what they may do. */

import { requiredPrivileges } from "../../core/caller.ts";
import type { Role, Roles } from "../../core/people/roles.ts";
import type { ServedRoute } from "../../routes/serving/route.ts";
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
  /** The name of the person. @default it is nobody that the server knows */
  readonly name?: string;
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
    return { name, client: await clientOf({ ...stated, name, isBound: true }) };
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

/** The trees that a request to a route can name: none, the team's, that of another person, and none there is. */
export function treesFor({ tree = false, path }: ServedRoute): readonly (string | undefined)[] {
  if (tree === "address") return path.includes("{tree}") ? NAMED_TREES : [undefined];
  return tree ? [undefined, ...NAMED_TREES] : [undefined];
}

/** Whether a route asks for a privilege before anything else. */
export function isDecided({ privilege, authenticate }: ServedRoute): boolean {
  return privilege !== undefined && privilege !== "any" && authenticate === undefined;
}

/** Each request names something else: to replace what another one has made takes more. */
let requests = 0;

/** The path and query of a request to a route that names what is not there, in a tree if it names one. */
export function addressFor({ path }: ServedRoute, tree: string | undefined): string {
  const address = path.replace("{tree}", tree ?? "").replaceAll(
    /\{\+?(\w+)\}/g,
    (_, name) => name === "id" ? "999999" : `new-${requests++}`,
  );
  return tree === undefined || path.includes("{tree}") ? address : `${address}?tree=${tree}`;
}

/** What has come of a request. */
export type Decision = 401 | 403 | "passes";

/** What a reply says of the rights of who asked. Reads no more than it must. */
export async function decisionOf(response: Response): Promise<Decision> {
  // WebDAV refuses with 403 what is wrong for other reasons, too.
  const text = response.status === 403 ? await response.text() : "";
  if (!response.bodyUsed) await response.body?.cancel();
  if (response.status === 401) return 401;
  return /Privilege \S+ required/.test(text) ? 403 : "passes";
}

/** What is to come of a request to a route in a tree, its own unless it names one. */
export function decisionAt(
  may: Held | undefined,
  { privilege }: ServedRoute,
  tree: string | undefined,
): Decision {
  const isNamed = privilege !== undefined && privilege !== "any";
  return decisionFor(may, isNamed ? requiredPrivileges(privilege) : [], tree);
}

/** What is to come of a request that needs privileges in a tree, its own unless it names one. */
export function decisionFor(
  may: Held | undefined,
  needed: readonly string[],
  tree: string | undefined,
): Decision {
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
