import * as assert from "node:assert/strict";
import { DAV_ROUTES } from "../../routes/dav/dav_routes.ts";
import { HUB_ROUTES } from "../../routes/hub/hub_routes.ts";
import { ROUTES } from "../../routes/routes.ts";
import { auditOf } from "../support/audit.ts";
import { TestServer } from "../support/server.ts";

/** Routes whose GET may complete what an earlier request has begun. */
const COMPLETING: readonly string[] = ["/api/v1/uploads/{id}"];

/** Routes that change nothing, although their method is not GET. */
const READING: readonly RegExp[] = [
  /^OPTIONS \/api\/v1\/uploads$/,
  /^(?:OPTIONS|PROPFIND) \/dav(?:\/|$)/,
  /^POST \/api\/v1\/reports\/validate$/,
  /^POST \/hub\/.*api\/validate-yaml$/,
  /^POST \/hub\/.*\/(?:preupload|paths-info)\/\{rev\}$/,
  /^POST \/hub\/.*\/info\/lfs\/verify$/,
  // There is nothing that it could change.
  /^PUT \/hub\/.*\/settings$/,
];

Deno.test("C 22 every route that changes something is recorded in the audit log", () => {
  for (const { method, path, action } of [...ROUTES, ...HUB_ROUTES, ...DAV_ROUTES]) {
    const changes = (method !== "GET" || COMPLETING.includes(path)) &&
      !READING.some((route) => route.test(`${method} ${path}`));
    assert.equal(action !== undefined, changes, `${method} ${path}`);
  }
});

Deno.test("C 22 changes and failed changes are in the audit log before their reply", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const uploaded = await user.upload("docs", { "a.txt": "a", "b.txt": "b" });
  await user.mkdir("models");
  await user.move({ sources: ["docs"], destination: "models/" });
  await user.copy({ source: "none", destination: "other" });
  await user.remove({ path: "models" });
  const lines = await auditOf(server);
  const [first] = lines;
  assert.equal(first?.request_id, uploaded.headers.get("X-Request-Id"));
  assert.match(String(first?.time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(
    lines.map(({ time: _time, request_id: _id, ...rest }) => rest),
    [
      { action: "resources.upload", paths: ["docs/a.txt", "docs/b.txt"], records: 3 },
      { action: "resources.mkdir", paths: ["models"] },
      { action: "resources.move", paths: ["docs"], destination: "models/", records: 3 },
      {
        action: "resources.copy",
        paths: ["none"],
        destination: "other",
        outcome: "ErrResourcesNotFound",
      },
      { action: "resources.delete", paths: ["models"], records: 4 },
    ].map((line) => ({ user: 7, tree: 7, address: "127.0.0.1", outcome: "ok", ...line })),
  );
});

Deno.test("C 22 what an administrator changes is recorded with the tree", async () => {
  await using server = await TestServer.start();
  await (await server.as(1)).upload("shared", { "a.txt": "a" });
  const admin = await server.admin(9);
  await admin.remove({ path: "shared" });
  const lines = (await auditOf(server)).filter(({ action }) => action === "resources.delete");
  assert.deepEqual(
    lines.map(({ user, tree, records }) => ({ user, tree, records })),
    [{ user: 9, tree: 1, records: 2 }],
  );
});

Deno.test("C 22 what a caller is not permitted to do is in the audit log", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7, "resources.view");
  await user.upload("docs", { "a.txt": "a" });
  await user.send("GET", "/resources/download", { query: { path: "a" } });
  await user.send("GET", "/events/", { query: { scope: "all" } });
  await user.list();
  await (await fetch(`${server.url}/resources/`)).body?.cancel();
  const lines = await auditOf(server);
  assert.deepEqual(
    lines.map(({ user, action, outcome }) => [user, action, outcome]),
    [
      [7, "resources.upload", "ErrNotPermitted"],
      [7, "resources.download", "ErrNotPermitted"],
      [7, "resources.view", "ErrNotPermitted"],
    ],
  );
});

Deno.test("C 22 scans that are started and deleted are in the audit log", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7, "resources.upload", "resources.download", "scans.run");
  await user.upload("", { "a.json": "{}" });
  const reply = await user.json("POST", "/scans/?wait=60", { path: "a.json" });
  const scan = JSON.parse(reply.text).data.id;
  await user.send("DELETE", `/scans/${scan}`);
  const lines = (await auditOf(server)).slice(1);
  assert.deepEqual(
    lines.map(({ action, paths, scan, outcome }) => ({ action, paths, scan, outcome })),
    [
      { action: "scans.start", paths: ["a.json"], scan, outcome: "ok" },
      { action: "scans.delete", paths: [], scan, outcome: "ok" },
    ],
  );
});

Deno.test("C 22 changes are refused while the audit log cannot record them", async () => {
  await using server = await TestServer.start({
    audit: { isBlocked: true, write: () => Promise.resolve() },
  });
  const user = await server.as(7);
  const refused = await user.upload("docs", { "a.txt": "a" });
  assert.equal(refused.status, 503);
  assert.equal(JSON.parse(refused.text).code, "ErrUnavailable");
  assert.deepEqual(JSON.parse((await user.list()).text).data.items, []);
  const ready = await fetch(`${server.origin}/readyz`);
  assert.match((await ready.json()).msg, /audit/);
  assert.equal(ready.status, 503);
});

Deno.test("C 22 lines of the access log have the kind and message of an error, and the address", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const reply = await user.send("GET", "/resources/download", { query: { path: "none" } });
  const { msg } = JSON.parse(reply.text);
  const line = server.log.map((line) => JSON.parse(line)).find((line) => line.status === 404);
  assert.equal(line.kind, "ErrResourcesNotFound");
  assert.equal(line.error, msg);
  assert.equal(line.address, "127.0.0.1");
});

Deno.test("C 22 requests beyond the rate limit do not fill the audit log", async () => {
  await using server = await TestServer.start({ rateLimit: 2 });
  const user = await server.as(7);
  for (const status of [200, 200, 429, 429]) assert.equal((await user.mkdir("d")).status, status);
  assert.equal((await auditOf(server)).length, 2);
});
