import * as assert from "node:assert/strict";
import type { Caller } from "../../core/caller.ts";
import { VerifiedCredentials } from "../../core/verified_credentials.ts";

function callerOf(userId: number, expiresAt = Date.now() + 60_000): Caller {
  return { userId, privileges: new Set(), expiresAt };
}

Deno.test("C 10 VerifiedCredentials keeps callers until their credentials expire", () => {
  const credentials = new VerifiedCredentials(Infinity);
  const caller = callerOf(1);
  assert.equal(credentials.find("a"), undefined);
  credentials.keep("a", caller);
  credentials.keep("b", callerOf(2, Date.now()));
  assert.equal(credentials.find("a"), caller);
  assert.equal(credentials.find("b"), undefined);
});

Deno.test("C 10 VerifiedCredentials keeps no credential longer than it may", () => {
  const credentials = new VerifiedCredentials(0);
  credentials.keep("a", callerOf(1));
  assert.equal(credentials.find("a"), undefined);
});

Deno.test("C 10 VerifiedCredentials keeps a bounded number of credentials of bounded length", () => {
  const credentials = new VerifiedCredentials(Infinity);
  for (let user = 1; user <= 1001; user++) credentials.keep(`token ${user}`, callerOf(user));
  assert.equal(credentials.find("token 1"), undefined);
  assert.equal(credentials.find("token 2")?.userId, 2);
  assert.equal(credentials.find("token 1001")?.userId, 1001);
  credentials.keep("x".repeat(5000), callerOf(1));
  assert.equal(credentials.find("x".repeat(5000)), undefined);
});
