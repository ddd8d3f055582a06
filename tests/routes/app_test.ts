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
