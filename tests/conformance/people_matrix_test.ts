import * as assert from "node:assert/strict";
import { requiredPrivileges } from "../../core/caller.ts";
import type { Role, Roles } from "../../core/people/roles.ts";
import { DAV_ROUTES } from "../../routes/dav/dav_routes.ts";
import { HUB_ROUTES } from "../../routes/hub/hub_routes.ts";
import { ROUTES } from "../../routes/routes.ts";
import type { ServedRoute } from "../../routes/serving/route.ts";
import { PRIVILEGES, TREE_PRIVILEGES } from "../../schemas/credentials.ts";
import { Client, dataOf } from "../support/client.ts";
import { mintToken, TestServer } from "../support/server.ts";

const ALL: readonly string[] = PRIVILEGES;
const IN_TREES: readonly string[] = TREE_PRIVILEGES;
const READ = ["resources.view", "resources.download"];
const WRITE = [...READ, "resources.upload", "resources.edit", "resources.delete"];
const SCAN = ["scans.view", "scans.run", "resources.download"];
const VISION = 9;
const OTHER = 8;

/** One role for each privilege, those of a team, and that of administrators. */
const ROLES: Roles = new Map<string, Role>([
  ...ALL.map((name): [string, Role] => [name, { privileges: [name], trees: {} }]),
  ["members", { privileges: WRITE, trees: { vision: [...WRITE, ...SCAN] } }],
  ["readers", { privileges: [], trees: { vision: READ } }],
]);

/** Who asks, and what they may do. Undefined for those whose credential counts for nothing. */
interface Asker {
  readonly name: string;
  readonly client: Client;
  readonly may: { readonly own: readonly string[]; readonly vision: readonly string[] } | undefined;
}

async function askersOf(server: TestServer): Promise<Asker[]> {
  const admin = await server.admin();
  const { url } = server;
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
    return { name, client: new Client(url, await mintToken({ ...stated, isBound: true })) };
  };
  const change = async (name: string, body: unknown) =>
    dataOf(await admin.json("PATCH", `/users/${name}`, body));
  const disabled = await person("disabled", "resources.admin");
  const demoted = await person("demoted", "members");
  const everything = { own: ALL, vision: ALL };
  const askers: Asker[] = [
    { name: "nobody", client: new Client(url, "none"), may: undefined },
    { ...disabled, may: undefined },
    { ...await person("ungrouped", "unknown"), may: { own: [], vision: [] } },
    { ...demoted, may: { own: READ.slice(0, 1), vision: [] } },
    { ...await person("member", "members"), may: { own: WRITE, vision: [...WRITE, ...SCAN] } },
    { ...await person("reader", "readers"), may: { own: [], vision: READ } },
    {
      name: "operator's",
      client: new Client(
        url,
        await mintToken({ userId: 50, privileges: SCAN, trees: { [VISION]: READ } }),
      ),
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

/** Each request names something else: to replace what another one has made takes more. */
let requests = 0;

/** What comes of a request to a route that names what is not there, or nothing. */
async function ask(
  { client }: Asker,
  { method, path }: ServedRoute,
  tree: string | undefined,
): Promise<401 | 403 | "passes"> {
  const address = path.replace("{tree}", tree ?? "").replaceAll(
    /\{\+?(\w+)\}/g,
    (_, name) => name === "id" ? "999999" : `new-${requests++}`,
  );
  const query = tree === undefined || path.includes("{tree}") ? "" : `?tree=${tree}`;
  const response = await fetch(new URL(client.url).origin + address + query, {
    method,
    headers: { Authorization: `Bearer ${client.token}`, "Tus-Resumable": "1.0.0" },
    redirect: "manual",
  });
  // WebDAV refuses with 403 what is wrong for other reasons, too.
  const text = response.status === 403 ? await response.text() : "";
  if (!response.bodyUsed) await response.body?.cancel();
  if (response.status === 401) return 401;
  return /Privilege \S+ required/.test(text) ? 403 : "passes";
}

Deno.test("C 27 nobody gets past a route without its privilege, in any tree, by any name of it", async (t) => {
  await using server = await TestServer.start({ roles: ROLES });
  const askers = await askersOf(server);
  // The routes of data sets are those of models at other addresses.
  const hub = HUB_ROUTES.filter(({ path }) => !path.includes("/datasets"));
  const routes = [...ROUTES, ...hub, ...DAV_ROUTES].filter(({ privilege, authenticate }) =>
    privilege !== undefined && privilege !== "any" && authenticate === undefined
  );
  for (const asker of askers) {
    await t.step(asker.name, async () => {
      for (const route of routes) {
        for (const tree of treesFor(route)) {
          const decision = await ask(asker, route, tree);
          const what = `${route.method} ${route.path} in ${tree ?? "its own tree"}`;
          assert.equal(decision, expected(asker, route, tree), what);
        }
      }
    });
  }
});

/** The trees that a request to a route can name: none, the team's, that of another person, and none there is. */
function treesFor({ tree = false, path }: ServedRoute): readonly (string | undefined)[] {
  const named = ["vision", String(VISION), "other", "nobody.there"];
  if (tree === "address") return path.includes("{tree}") ? named : [undefined];
  return tree ? [undefined, ...named] : [undefined];
}

function expected(
  { may }: Asker,
  { privilege }: ServedRoute,
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
  if (privilege === undefined || privilege === "any") return "passes";
  return isAdmin || requiredPrivileges(privilege).every((it) => held.includes(it)) ? "passes" : 403;
}
