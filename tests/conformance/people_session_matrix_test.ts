import * as assert from "node:assert/strict";
import { DAV_ROUTES } from "../../routes/dav/dav_routes.ts";
import { HUB_ROUTES } from "../../routes/hub/hub_routes.ts";
import { API_ROUTES, ROUTES } from "../../routes/routes.ts";
import type { ServedRoute } from "../../routes/serving/route.ts";
import { TestAuthenticator } from "../support/authenticator.ts";
import { inviteTo, TestConsole } from "../support/console.ts";
import {
  addressFor,
  type AskerClaims,
  askersOf,
  decisionAt,
  decisionOf,
  isDecided,
  ROLES,
  treesFor,
} from "../support/people_matrix.ts";
import { mintToken, TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const HEADER = "X-Strongroom-Console";
/** The one route that browsers follow a link to. */
const NAVIGATED = "GET /resources/download";

const routeName = ({ method, path }: ServedRoute) => `${method} ${path}`;
const CONSOLE_ROUTES = API_ROUTES.filter(isDecided);

/** What a page that is not the console's makes its browser send, beside the cookie. */
const FOREIGN: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["without the header", {}],
  ["without the header, of the same site", { "Sec-Fetch-Site": "same-site" }],
  ["of another site", { [HEADER]: "own", "Sec-Fetch-Site": "cross-site" }],
  ["of another origin", { [HEADER]: "own", Origin: "https://evil.example" }],
  ["of a sandbox", { [HEADER]: "own", Origin: "null" }],
];

/** What machines and the provider ask for: they have no cookie of the console, and get nothing by it. */
const OF_OTHERS = new Set([
  "GET /console/sign-in/provider/callback",
  "POST /console/sign-in/provider/logout",
  "POST /console/device",
  "POST /console/device/token",
]);

/** A browser in which somebody is signed in, by a passkey or else by a credential. */
async function browserOf(server: TestServer, claims: AskerClaims | undefined) {
  const browser = new TestConsole(server);
  if (claims?.name !== undefined) {
    const invitation = await inviteTo(await server.admin(), claims.name);
    assert.equal((await browser.accept(invitation, new TestAuthenticator())).status, 200);
  } else if (claims !== undefined) {
    const credential = await mintToken({ ...claims });
    browser.session = (await browser.ask("POST", "/session", { credential })).name;
  }
  return browser;
}

/** Sends a request of a browser. There are thousands, so they come by no connection. */
async function request(
  { app }: TestServer,
  { origin, cookie, session }: TestConsole,
  method: string,
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const own = headers[HEADER] === "own" && { [HEADER]: session };
  return await app.request(origin + address, {
    method,
    headers: { Cookie: cookie, "Tus-Resumable": "1.0.0", ...headers, ...own },
  });
}

Deno.test("C 24, C 27 a session may what its person may now, at the request of the console alone", async (t) => {
  await using server = await TestServer.start({ roles: ROLES });
  const askers = await askersOf(server, (claims) => browserOf(server, claims));
  const demoted = askers.find(({ name }) => name === "demoted")?.client;
  // What a person may do is believed for a second.
  await until(async () => (await demoted?.ask("GET", "/session")).privileges.length === 1);

  for (const { name, client, may } of askers) {
    await t.step(name, async () => {
      for (const route of CONSOLE_ROUTES) {
        for (const tree of treesFor(route)) {
          const address = `/console/api${addressFor(route, tree)}`;
          const response = await request(server, client, route.method, address, {
            [HEADER]: "own",
          });
          const what = `${routeName(route)} in ${tree ?? "its own tree"}`;
          assert.equal(await decisionOf(response), decisionAt(may, route, tree), what);
        }
      }
    });
    await t.step(`pages that are not the console, in the browser of ${name}`, async () => {
      for (const route of CONSOLE_ROUTES) {
        for (const [how, headers] of FOREIGN) {
          const address = `/console/api${addressFor(route, undefined)}`;
          const response = await request(server, client, route.method, address, headers);
          const what = `${routeName(route)} ${how}`;
          if (routeName(route) === NAVIGATED && how === "without the header") {
            assert.equal(await decisionOf(response), decisionAt(may, route, undefined), what);
          } else {
            assert.equal(response.status, 403, what);
            assert.match(await response.text(), /Not a request of the console/, what);
          }
          assert.equal(response.headers.get("Access-Control-Allow-Origin"), null, what);
        }
      }
    });
  }
});

Deno.test("C 24, C 27 the cookie of the console counts at no other address", async () => {
  await using server = await TestServer.start({ roles: ROLES });
  const browser = await browserOf(server, { userId: 1, privileges: ["resources.admin"] });
  for (const route of [...ROUTES, ...HUB_ROUTES, ...DAV_ROUTES].filter(isDecided)) {
    for (const tree of treesFor(route)) {
      const response = await request(server, browser, route.method, addressFor(route, tree), {
        [HEADER]: "own",
      });
      assert.equal(await decisionOf(response), 401, `${routeName(route)} in ${tree}`);
    }
  }
});

Deno.test("C 24, C 27 the console's own routes take no requests of other pages", async () => {
  await using server = await TestServer.start({
    settings: { oidcIssuer: "http://localhost:1", oidcClientId: "a", oidcClientSecret: "b" },
  });
  const browser = await browserOf(server, { userId: 1, privileges: ["resources.admin"] });
  const own = new Set(
    server.app.routes
      .filter(({ method, path }) => method !== "ALL" && /^\/console\/(?!api\/|assets\/)/.test(path))
      .map(({ method, path }) => `${method} ${path}`),
  );
  const guarded = own.difference(OF_OTHERS);
  assert.ok(guarded.size > 15 && OF_OTHERS.isSubsetOf(own), [...own].join("\n"));
  for (const route of guarded) {
    const [method = "", path = ""] = route.split(" ");
    for (const [how, headers] of FOREIGN) {
      const response = await request(server, browser, method, path.replace(/:\w+/, "x"), headers);
      assert.equal(response.status, 403, `${route} ${how}`);
      assert.match(await response.text(), /Not a request of the console/, `${route} ${how}`);
    }
  }
  assert.equal(await browser.isSignedIn(), true);
});
