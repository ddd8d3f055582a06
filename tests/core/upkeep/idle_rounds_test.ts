import * as assert from "node:assert/strict";
import { IdleRounds } from "../../../core/upkeep/idle_rounds.ts";

Deno.test("C 31 rounds of upkeep are few while a server changes nothing", async (t) => {
  let written = 0;
  const rounds = new IdleRounds({ written: () => written });
  const took = (count: number) =>
    Array.from({ length: count }, () => rounds.begin()).map(Number).join("");

  await t.step("the first one looks, and then one of 30", () => {
    assert.equal(took(61), `1${"0".repeat(29)}1${"0".repeat(29)}1`);
  });
  await t.step("the one after a change looks", () => {
    written++;
    assert.equal(took(3), "100");
  });
  await t.step("so does the one after a round that has left something", () => {
    rounds.repeat();
    assert.equal(took(3), "100");
  });
  await t.step("every round looks where the server has its own database", () => {
    const embedded = new IdleRounds(undefined);
    assert.deepEqual([embedded.begin(), embedded.begin()], [true, true]);
  });
});
