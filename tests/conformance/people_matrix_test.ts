import * as assert from "node:assert/strict";
import { DAV_ROUTES } from "../../routes/dav/dav_routes.ts";
import { HUB_ROUTES } from "../../routes/hub/hub_routes.ts";
import { ROUTES } from "../../routes/routes.ts";
import type { ServedRoute } from "../../routes/serving/route.ts";
import { Client } from "../support/client.ts";
import { follow, linkTo } from "../support/links.ts";
import {
  addressFor,
  type AskerClaims,
  askersOf,
  type Decision,
  decisionAt,
  decisionOf,
  isDecided,
  ROLES,
  treesFor,
  VISION,
} from "../support/people_matrix.ts";
import { mintToken, TestServer } from "../support/server.ts";

/** The routes that ask for a privilege. Those of data sets are those of models at other addresses. */
const DECIDED = [
  ...ROUTES,
  ...HUB_ROUTES.filter(({ path }) => !path.includes("/datasets")),
  ...DAV_ROUTES,
].filter(isDecided);

/**
 * What comes of a request to a route that names what is not there. There are thousands, so they come by no
 * connection, which knows nothing of who asks.
 */
async function ask(
  { app }: TestServer,
  { url, token }: Client,
  route: ServedRoute,
  tree: string | undefined,
): Promise<Decision> {
  return await decisionOf(
    await app.request(new URL(url).origin + addressFor(route, tree), {
      method: route.method,
      headers: { Authorization: `Bearer ${token}`, "Tus-Resumable": "1.0.0" },
    }),
  );
}

async function clientOf({ url }: TestServer, claims: AskerClaims | undefined): Promise<Client> {
  return new Client(url, claims === undefined ? "none" : await mintToken({ ...claims }));
}

Deno.test("C 27 nobody gets past a route without its privilege, in any tree, by any name of it", async (t) => {
  await using server = await TestServer.start({ roles: ROLES });
  for (const { name, client, may } of await askersOf(server, (it) => clientOf(server, it))) {
    await t.step(name, async () => {
      for (const route of DECIDED) {
        for (const tree of treesFor(route)) {
          const what = `${route.method} ${route.path} in ${tree ?? "its own tree"}`;
          assert.equal(await ask(server, client, route, tree), decisionAt(may, route, tree), what);
        }
      }
    });
  }
});

Deno.test("C 19, C 27 a link serves what it names until its maker is disabled, and is no credential", async (t) => {
  await using server = await TestServer.start({ roles: ROLES });
  const admin = await server.admin();
  /** The addresses of the links that somebody has made, by the trees of what they name. */
  const linksOf = async (claims: AskerClaims | undefined) => {
    const links = new Map<string, string>();
    const client = await clientOf(server, claims);
    for (const tree of claims === undefined ? [] : [String(claims.userId), String(VISION)]) {
      await admin.inTree(tree).upload(undefined, { named: `of ${tree}`, other: "other" });
      const made = client.inTree(tree);
      if (
        (await made.json("POST", "/links/", { path: "named", expires_in: "1h" })).status === 200
      ) {
        links.set(tree, (await linkTo(made, "named")).url);
      }
    }
    return links;
  };
  const askers = await askersOf(server, linksOf);
  const [anyLink = ""] = askers.find(({ name }) => name === "member")?.client.values() ?? [];
  const token = anyLink.slice(anyLink.lastIndexOf("/") + 1);

  for (const { name, client: links, may } of askers) {
    await t.step(`followed, of ${name}`, async () => {
      for (const [tree, url] of links) {
        // Who may do less later takes nothing back that it has shared.
        const expected = may === undefined ? [404, true] : [200, false];
        for (const address of [url, `${url}?path=other`, `${url}?tree=9&ids=1`]) {
          const { status, text } = await follow(address);
          assert.deepEqual([status, text !== `of ${tree}`], expected, `${address} in ${tree}`);
        }
        assert.equal((await follow(`${url}/other`)).status, 404);
        assert.equal((await follow(url, { method: "DELETE" })).status, 405);
      }
    });
  }
  await t.step("links are made with the right to download alone", () => {
    const makers = askers.filter(({ client }) => client.size > 0).map(({ name }) => name);
    const downloaders = ["with.resources.download", "with.resources.admin"];
    const expected = ["disabled", "demoted", "member", "reader", "operator's", ...downloaders];
    assert.deepEqual(makers.sort(), expected.sort());
  });
  await t.step("the token of a link is no credential", async () => {
    for (const route of DECIDED) {
      for (const tree of treesFor(route)) {
        const what = `${route.method} ${route.path} in ${tree ?? "its own tree"}`;
        assert.equal(await ask(server, new Client(server.url, token), route, tree), 401, what);
      }
    }
  });
});
