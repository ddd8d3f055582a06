import * as assert from "node:assert/strict";
import { RetryLater } from "../../core/errors.ts";
import { RateLimit } from "../../core/rate_limit.ts";

/** How long until the next request, in seconds; 0 if this one was allowed. */
function waitOf(limit: RateLimit, userId: number): number {
  try {
    limit.count(userId);
    return 0;
  } catch (error) {
    assert.ok(error instanceof RetryLater);
    return error.retryAfterS;
  }
}

Deno.test("C 22 RateLimit allows so many requests a minute, and says when the next may come", () => {
  let now = 0;
  const limit = new RateLimit(6, () => now);
  for (let i = 0; i < 6; i++) assert.equal(waitOf(limit, 1), 0);
  assert.equal(waitOf(limit, 1), 10);
  assert.equal(waitOf(limit, 2), 0, "users do not share it");
  now = 4000;
  assert.equal(waitOf(limit, 1), 6);
  now = 10_000;
  assert.equal(waitOf(limit, 1), 0);
  assert.equal(waitOf(limit, 1), 10);
  now = 10_000 + 60_000;
  for (let i = 0; i < 6; i++) assert.equal(waitOf(limit, 1), 0);
  assert.equal(waitOf(limit, 1), 10);
});

Deno.test("C 22 RateLimit remembers users for a minute only, and 100000 at most", () => {
  let now = 0;
  const limit = new RateLimit(1, () => now);
  for (let user = 1; user <= 150_000; user++) limit.count(user);
  assert.equal(limit.size, 100_000);
  now = 60_000;
  limit.count(1);
  assert.equal(limit.size, 1);
});
