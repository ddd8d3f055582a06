import * as assert from "node:assert/strict";
import { refused } from "../support/client.ts";
import { TestServer } from "../support/server.ts";

Deno.test("C 22 requests beyond the rate limit are refused with Retry-After", async () => {
  await using server = await TestServer.start({ rateLimit: 3 });
  const user = await server.as(7);
  for (let i = 0; i < 3; i++) assert.equal((await user.list()).status, 200);
  const reply = await user.list();
  refused(reply, 429, "ErrTooManyRequests");
  const seconds = Number(reply.headers.get("Retry-After"));
  assert.ok(seconds >= 1 && seconds <= 20, `${seconds}`);
  assert.equal((await (await server.as(8)).list()).status, 200);
  assert.equal((await fetch(`${server.origin}/healthz`).then((it) => it.json())).status, "success");
});

Deno.test("C 22 there is no rate limit by default", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  for (let i = 0; i < 200; i++) assert.equal((await user.list()).status, 200);
});
