import * as assert from "node:assert/strict";
import { requiredPrivileges } from "../../core/caller.ts";
import { DAV_ROUTES } from "../../routes/dav/dav_routes.ts";
import { HUB_ROUTES } from "../../routes/hub/hub_routes.ts";
import { ROUTES } from "../../routes/routes.ts";
import type { ServedRoute } from "../../routes/serving/route.ts";
import { Client } from "../support/client.ts";
import { type Asker, askersOf, decisionFor, NAMED_TREES, ROLES } from "../support/people_matrix.ts";
import { mintToken, TestServer } from "../support/server.ts";

/** Each request names something else: to replace what another one has made takes more. */
let requests = 0;

/** What comes of a request to a route that names what is not there, or nothing. */
async function ask(
  { client }: Asker<Client>,
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
  const askers = await askersOf(
    server,
    async (claims) =>
      new Client(server.url, claims === undefined ? "none" : await mintToken({ ...claims })),
  );
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
          const { privilege } = route;
          const needed = privilege === undefined || privilege === "any"
            ? []
            : requiredPrivileges(privilege);
          assert.equal(decision, decisionFor(asker.may, needed, tree), what);
        }
      }
    });
  }
});

/** The trees that a request to a route can name: none, the team's, that of another person, and none there is. */
function treesFor({ tree = false, path }: ServedRoute): readonly (string | undefined)[] {
  if (tree === "address") return path.includes("{tree}") ? NAMED_TREES : [undefined];
  return tree ? [undefined, ...NAMED_TREES] : [undefined];
}
