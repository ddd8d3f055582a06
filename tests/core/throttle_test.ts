import * as assert from "node:assert/strict";
import { Throttle } from "../../core/throttle.ts";

Deno.test("C 25, C 28 a throttle keeps what is taken to its rate, and gives nothing for time in which nothing was taken", async () => {
  let now = 0;
  const clock = {
    now: () => now,
    sleep: (ms: number) => {
      now += ms;
      return Promise.resolve();
    },
  };
  const throttle = new Throttle(1000, clock);
  for (let taken = 0; taken < 10; taken++) await throttle.take(500);
  // The last one has yet to have its time.
  assert.equal(now, 4500);
  now = 60_000;
  for (let taken = 0; taken < 3; taken++) await throttle.take(1000);
  assert.equal(now, 62_000);
  const unlimited = new Throttle(undefined, clock);
  for (let taken = 0; taken < 10; taken++) await unlimited.take(1e12);
  assert.equal(now, 62_000);
});
