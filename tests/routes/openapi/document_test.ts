import * as assert from "node:assert/strict";
import { openApi } from "../../../routes/openapi/document.ts";
import { ROUTES } from "../../../routes/routes.ts";
import { TestServer } from "../../support/server.ts";

Deno.test("C 1 GET /openapi.json", async (t) => {
  await using server = await TestServer.start();
  const response = await fetch(`${server.origin}/openapi.json`);
  const document = await response.json();

  await t.step("C 1 requires no credential", () => {
    assert.equal(response.status, 200);
    assert.deepEqual(document, JSON.parse(JSON.stringify(openApi(ROUTES))));
  });
  await t.step("C 1 describes every route that the app serves, and no other", () => {
    const paths: Record<string, Record<string, unknown>> = document.paths;
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
    );
    const served = server.app.routes.filter(({ method }) => method !== "ALL").map((
      { method, path },
    ) => `${method} ${path.replaceAll(/:(\w+)(\{[^{}]*\})?/g, "{$1}")}`);
    assert.deepEqual(described.toSorted(), [...new Set(served)].sort());
  });
  await t.step("C 1 describes exactly the methods that Allow lists", async () => {
    const paths: Record<string, Record<string, unknown>> = document.paths;
    for (const [path, operations] of Object.entries(paths)) {
      const reply = await fetch(server.origin + path, { method: "PROPFIND" });
      await reply.body?.cancel();
      const allowed = (reply.headers.get("Allow") ?? "").split(", ").filter((it) => it !== "HEAD");
      const described = Object.keys(operations).map((method) => method.toUpperCase()).sort();
      assert.deepEqual(described, allowed, path);
    }
  });
  await t.step("C 1 resolves every reference to a schema", () => {
    const names = Object.keys(document.components.schemas);
    for (const [, name] of JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      assert.ok(names.includes(name ?? ""), name);
    }
  });
});
