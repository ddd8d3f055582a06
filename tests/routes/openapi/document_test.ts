import { Ajv2020 } from "ajv/dist/2020.js";
import * as assert from "node:assert/strict";
import { requiredPrivileges } from "../../../core/caller.ts";
import { openApi } from "../../../routes/openapi/document.ts";
import { ROUTES } from "../../../routes/routes.ts";
import { TestServer } from "../../support/server.ts";

interface Operation {
  readonly operationId: string;
  readonly security: unknown;
}

Deno.test("C 1 GET /openapi.json", async (t) => {
  await using server = await TestServer.start();
  const response = await fetch(`${server.origin}/openapi.json`);
  const document = await response.json();

  await t.step("C 1 requires no credential", () => {
    assert.equal(response.status, 200);
    assert.deepEqual(document, JSON.parse(JSON.stringify(openApi(ROUTES))));
  });
  const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap((
    [path, methods],
  ) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    }))
  );
  const besidesHead = operations.filter(({ method }) => method !== "HEAD");
  await t.step("C 1 describes every route of the API, and no other", () => {
    const served = server.app.routes
      .filter(({ method }) => method !== "ALL")
      // What the hub, WebDAV, S3 and the console have is for clients that know it, and so is the page of hidden links.
      .filter(({ path }) =>
        path !== "/" && path !== "/l" && !/^\/(?:hub|console|dav|s3)(?:\/|$)/.test(path)
      )
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{[^{}]*\})?/g, "{$1}")}`);
    assert.deepEqual(
      besidesHead.map(({ method, path }) => `${method} ${path}`).toSorted(),
      [...new Set(served)].sort(),
    );
  });
  await t.step("C 1 describes exactly the methods that Allow lists", async () => {
    for (const path of Object.keys(document.paths)) {
      const reply = await fetch(server.origin + path, { method: "PROPFIND" });
      await reply.body?.cancel();
      const allowed = (reply.headers.get("Allow") ?? "").split(", ").filter((it) => it !== "HEAD");
      const described = besidesHead.filter((it) => it.path === path).map(({ method }) => method);
      assert.deepEqual(described.sort(), allowed, path);
    }
  });
  await t.step("C 1 names each operation, and the roles that it needs", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const { privilege, operation } of ROUTES) {
      const described = operations.find((it) => it.operation.operationId === operation.id);
      const needed = privilege === undefined || privilege === "any"
        ? []
        : requiredPrivileges(privilege);
      const roles = privilege === undefined ? [] : [{ bearer: needed }];
      assert.deepEqual(described?.operation.security, roles, operation.id);
    }
  });
  await t.step("C 1 shows examples that its schemas allow", () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false });
    ajv.addSchema(document, "openapi");
    const schemas: Record<string, { examples?: unknown[] }> = document.components.schemas;
    const shown = Object.entries(schemas).flatMap(([name, { examples = [] }]) =>
      examples.map((example) => ({ name, example }))
    );
    assert.ok(shown.length > 5);
    for (const { name, example } of shown) {
      const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
      assert.ok(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`);
    }
  });
  await t.step("C 1 resolves every reference to a component", () => {
    for (
      const [, kind = "", name = ""] of JSON.stringify(document).matchAll(
        /"#\/components\/(\w+)\/([\w-]+)/g,
      )
    ) assert.ok(name in document.components[kind], name);
  });
});
