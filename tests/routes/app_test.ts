import * as assert from "node:assert/strict";
import { rawRequest } from "../support/raw_http.ts";
import { TestServer } from "../support/server.ts";

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

Deno.test("C 2 refuses a request without a host, or with a body that is encoded", async () => {
  await using server = await TestServer.start();
  const status = async (headers: Record<string, string>, line = "GET /healthz") => {
    const reply = await rawRequest(server.origin, { line, headers });
    assert.equal(JSON.parse(reply.body).status, reply.status === 200 ? "success" : "error");
    return reply.status;
  };
  assert.equal(await status({ Host: "" }), 400);
  assert.equal(await status({ "Content-Encoding": "gzip" }, "POST /api/v1/resources/mkdir"), 415);
  assert.equal(await status({ "Content-Encoding": "identity" }), 200);
  const chunked = (encoding: string) =>
    rawRequest(server.origin, {
      line: "POST /api/v1/resources/mkdir",
      headers: { "Transfer-Encoding": encoding },
      body: "{}",
    });
  assert.equal((await chunked("gzip, chunked")).status, 501);
  assert.equal((await chunked("chunked")).status, 401);
});

Deno.test("C 2 every reply keeps browsers from showing, embedding or storing it", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("", { f: "x" });
  const replies = [
    await one.send("GET", "/resources/"),
    await one.send("GET", "/nowhere"),
    await one.send("DELETE", "/events/"),
    await one.send("GET", "/resources/download", { query: { path: "f" } }),
    await one.send("GET", "/resources/", { headers: { Authorization: "none" } }),
  ];
  for (const { headers } of replies) {
    const policy = "default-src 'none'; sandbox; frame-ancestors 'none'";
    assert.equal(headers.get("Content-Security-Policy"), policy);
    assert.equal(headers.get("Cross-Origin-Resource-Policy"), "same-origin");
    assert.equal(headers.get("Referrer-Policy"), "no-referrer");
    assert.equal(headers.get("X-Content-Type-Options"), "nosniff");
    const isJson = headers.get("Content-Type") === "application/json";
    assert.equal(headers.get("Cache-Control"), isJson ? "no-store" : "private, no-cache");
  }
});
