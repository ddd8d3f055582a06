import * as assert from "node:assert/strict";
import { DAV_ROUTES } from "../../routes/dav/dav_routes.ts";
import { HUB_ROUTES } from "../../routes/hub/hub_routes.ts";
import { API_ROUTES, ROUTES } from "../../routes/routes.ts";
import { S3_ROUTES } from "../../routes/s3/s3_routes.ts";
import type { ServedRoute } from "../../routes/serving/route.ts";
import { HIDDEN_LINK_ROUTES } from "../../routes/trees/hidden_link.ts";
import { BASE_PATH, CONSOLE_API_PATH } from "../../schemas/base_path.ts";
import { Client } from "../support/client.ts";
import { HubClient, lfsObject, postLfs } from "../support/hub.ts";
import {
  addressFor,
  type AskerClaims,
  askersOf,
  decisionFor,
  decisionOf,
  isDecided,
  NAMED_TREES,
  ROLES,
} from "../support/people_matrix.ts";
import { mintToken, TestServer } from "../support/server.ts";

/** What everybody may ask for. */
const PUBLIC = [
  "GET /healthz",
  "GET /readyz",
  "GET /openapi.json",
  "GET /l",
  "POST /hub/api/validate-yaml",
  "POST /hub/t/{tree}/api/validate-yaml",
  // What a server offers, by its protocols.
  `OPTIONS ${BASE_PATH}/uploads`,
  "OPTIONS /dav",
  "OPTIONS /dav/{+path}",
  "OPTIONS /dav/t/{tree}",
  "OPTIONS /dav/t/{tree}/{+path}",
];

/** What holds a link, or a signed address, in place of a credential. */
const BY_ADDRESS = [
  "GET /l/{token}",
  "POST /l",
  "PUT /hub/lfs/{token}",
  "GET /hub/lfs/{token}",
  "GET /hub/api/content/{token}",
  "GET /hub/api/mirror/{token}",
];

/** What a browser loads before anybody has signed in, and the pages of repositories, which say nothing of them. */
const PAGES = [
  "GET /",
  "GET /console/assets/:hash/:path{.+}",
  "GET /hub/:kind{models|datasets}/:ns/:name",
  "GET /hub/:kind{models|datasets}/:ns/:name/commit/:commit",
];

/** What asks for a credential, and for a privilege by what the request wants. */
const BY_BODY = [
  `POST ${BASE_PATH}/tokens`,
  `DELETE ${BASE_PATH}/tokens/{jti}`,
  ...["/hub", "/hub/t/{tree}"].flatMap((mount) =>
    ["models", "datasets"].flatMap((kind) => [
      `POST ${mount}${kind === "models" ? "" : `/${kind}`}/{ns}/{name}.git/info/lfs/objects/batch`,
      `POST ${mount}${kind === "models" ? "" : `/${kind}`}/{name}.git/info/lfs/objects/batch`,
      `GET ${mount}/api/${kind}/{ns}/{name}/xet-write-token/{rev}`,
      `GET ${mount}/api/${kind}/{ns}/{name}/xet-read-token/{rev}`,
    ])
  ),
];

const nameOf = ({ method, path }: ServedRoute) => `${method} ${path}`;
const TABLES = [...ROUTES, ...HIDDEN_LINK_ROUTES, ...HUB_ROUTES, ...DAV_ROUTES, ...S3_ROUTES];

Deno.test("C 27 each route is one that the matrices ask, or one that is named here", () => {
  const others = TABLES.filter((route) => !isDecided(route) && !S3_ROUTES.includes(route));
  const [found, named] = [
    new Set(others.map(nameOf)),
    new Set([...PUBLIC, ...BY_ADDRESS, ...BY_BODY]),
  ];
  assert.deepEqual([...found.difference(named)], []);
  assert.deepEqual([...named.difference(found)], []);
  // The matrix of S3 asks its operations.
  assert.ok(S3_ROUTES.every(({ authenticate }) => authenticate !== undefined));
});

Deno.test("C 20, C 27 data sets need what models need", () => {
  const needed = new Map(HUB_ROUTES.map((route) => [nameOf(route), route.privilege]));
  for (const [name, privilege] of needed) {
    const ofModels = name.replace("/api/datasets", "/api/models").replace("/datasets", "");
    assert.equal(privilege, needed.get(ofModels), name);
  }
});

Deno.test("C 27 nothing is served but what the tables have, and the routes of the console", async () => {
  await using server = await TestServer.start({
    settings: {
      ...{ oidcIssuer: "http://localhost:1", oidcClientId: "a", oidcClientSecret: "b" },
      mirrorUrl: "http://localhost:1",
    },
  });
  const patternOf = ({ method, path }: ServedRoute) =>
    `${method} ${
      path.replace(/\{\+(\w+)\}$/, ":$1{[\\s\\S]+}")
        .replaceAll(/\{(\w+)\}\.git/g, ":$1{[^/]+\\.git}")
        .replaceAll(/\{(\w+)\}(?=\/|$)/g, ":$1")
    }`;
  const inConsole = API_ROUTES.map((route) => ({ ...route, path: CONSOLE_API_PATH + route.path }));
  const known = new Set([...[...TABLES, ...inConsole].map(patternOf), ...PAGES]);
  const served = new Set(
    server.app.routes.filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path}`),
  );
  // tests/conformance/people_session_matrix_test.ts asks those of the console.
  const unknown = [...served.difference(known)].filter((it) => !/^\w+ \/console\/(?!api)/.test(it));
  assert.deepEqual(unknown, []);
  assert.deepEqual([...known.difference(served)], []);
});

Deno.test("C 27 what a request wants decides where the route does not", async (t) => {
  await using server = await TestServer.start({ roles: ROLES });
  const admin = await server.admin();
  const clientOf = async (claims: AskerClaims | undefined) =>
    new Client(
      server.url,
      claims === undefined ? "none" : await mintToken({ ...claims, jti: crypto.randomUUID() }),
    );
  const askers = await askersOf(server, clientOf);
  await new HubClient(server, admin).create("org/model");
  for (const { name, client, may } of askers) {
    await t.step(name, async () => {
      for (const route of TABLES.filter((it) => BY_BODY.includes(nameOf(it)))) {
        const response = await fetch(server.origin + addressFor(route, "vision"), {
          method: route.method,
          headers: { Authorization: `Bearer ${client.token}` },
        });
        await response.body?.cancel();
        assert.equal(response.status === 401, may === undefined, nameOf(route));
      }
      if (may === undefined) return;
      for (const tree of [undefined, ...NAMED_TREES]) {
        const hub = new HubClient(server, client, undefined, tree && `/t/${tree}`);
        for (const operation of ["upload", "download"]) {
          const objects = [lfsObject("none")];
          const reply = await postLfs(hub, "/org/model.git/info/lfs/objects/batch", {
            ...{ operation, transfers: ["basic"], objects },
          });
          const { status, text } = reply;
          assert.equal(
            await decisionOf(new Response(text, { status })),
            decisionFor(may, [`resources.${operation}`], tree),
            `${operation} in ${tree}`,
          );
        }
      }
      const privileges = ["resources.view", "resources.upload"];
      const minted = await client.json("POST", "/tokens/", { privileges });
      const expected = decisionFor(may, privileges, undefined);
      assert.equal(minted.status, expected === "passes" ? 200 : expected, minted.text);
    });
  }
});
