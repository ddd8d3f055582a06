import * as assert from "node:assert/strict";
import { openApi } from "../../routes/openapi/document.ts";
import { BASE_PATH, ROUTES } from "../../routes/routes.ts";
import { refused } from "../support/client.ts";
import { rawRequest } from "../support/raw_http.ts";
import { TestServer } from "../support/server.ts";

Deno.test("C 1 GET /metrics", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const admin = await server.admin();
  const get = async (headers: HeadersInit = {}) => {
    const response = await fetch(`${server.origin}/metrics`, { headers });
    const { status } = response;
    return { status, headers: response.headers, text: await response.text() };
  };

  await t.step("C 1 requires resources.admin", async () => {
    refused(await get(), 401, "ErrAuthRequired");
    refused(await get({ Authorization: `Bearer ${one.token}` }), 403, "ErrNotPermitted");
  });
  await t.step("C 1 counts requests by route, in Prometheus's text format", async () => {
    await one.upload("", { f: "12345" });
    await one.bytes({ path: "f" });
    await one.bytes({ path: "f" });
    await one.send("GET", '/unknown/"}forged{a="1');
    const { status, headers, text } = await get({ Authorization: `Bearer ${admin.token}` });
    assert.equal(status, 200);
    assert.match(headers.get("Content-Type") ?? "", /^text\/plain/);
    const download = `${BASE_PATH}/resources/download`;
    const lines = text.split("\n");
    const labels = `method="GET",route="${download}",status="200"`;
    const expected = [
      `strongroom_http_request_seconds_count{${labels}} 2`,
      `strongroom_http_request_seconds_bucket{${labels},le="600"} 2`,
      `strongroom_http_request_seconds_bucket{${labels},le="+Inf"} 2`,
      `strongroom_http_response_bytes_total{${labels}} 10`,
      "strongroom_http_requests_in_flight 1",
      "# TYPE strongroom_http_request_seconds histogram",
    ];
    for (const line of expected) assert.ok(lines.includes(line), `${line}\n${text}`);
    assert.ok(lines.some((line) => /_count\{.*route="none",status="404"\} 1$/.test(line)), text);
    const sample = /^[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})? [\d.e+-]+$/;
    for (const line of lines) {
      assert.ok(line === "" || /^# (HELP|TYPE) \S+ .+$/.test(line) || sample.test(line), line);
    }
    assert.doesNotMatch(text, /forged/);
  });
  await t.step("C 13 requires no credential if METRICS=open", async () => {
    await using open = await TestServer.start({ app: { openMetrics: true } });
    const response = await fetch(`${open.origin}/metrics`);
    assert.equal(response.status, 200);
    await response.body?.cancel();
  });
});

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
    ) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    assert.deepEqual(described.toSorted(), [...new Set(served)].sort());
  });
  await t.step("C 1 describes exactly the methods that Allow lists", async () => {
    const paths: Record<string, Record<string, unknown>> = document.paths;
    for (const [path, operations] of Object.entries(paths)) {
      const reply = await fetch(server.origin + path, { method: "PATCH" });
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

Deno.test("C 1 a Host header cannot select a route", async () => {
  await using server = await TestServer.start();
  for (const host of ["a/healthz?", "a/metrics", "a b", "a@b", "a#"]) {
    const reply = await rawRequest(server.origin, {
      line: "GET /nowhere",
      headers: { Host: host },
    });
    assert.equal(reply.status, 400, host);
  }
  for (const host of ["localhost:8080", "[::1]:80", "strong-room.example"]) {
    const reply = await rawRequest(server.origin, {
      line: "GET /healthz",
      headers: { Host: host },
    });
    assert.equal(reply.status, 200, host);
  }
});
