import * as assert from "node:assert/strict";
import { Turns, yieldToEventLoop } from "../../core/event_loop.ts";

Deno.test("Turns lets one task run in each turn of the event loop, in order", async () => {
  const turns = new Turns();
  const taken: number[] = [];
  let loops = 0;
  let counting = true;
  const counter = (async () => {
    for (; counting; loops++) await yieldToEventLoop();
  })();
  const seen: number[] = [];
  await Promise.all([0, 1, 2].map(async (task) => {
    for (let turn = 0; turn < 20; turn++) {
      await turns.take();
      taken.push(task);
      seen.push(loops);
      // A millisecond of work.
      for (const end = performance.now() + 1; performance.now() < end;);
    }
  }));
  counting = false;
  await counter;
  assert.deepEqual(taken, Array.from({ length: 60 }, (_, turn) => turn % 3));
  // Timers ran in between.
  assert.ok(new Set(seen).size > 20, seen.join());
});
