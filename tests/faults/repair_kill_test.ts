import * as assert from "node:assert/strict";
import { repairKills } from "./repair_kills.ts";

Deno.test("C 22 kill -9 of a repair at any moment loses nothing, and the next one ends it", async () => {
  assert.equal((await repairKills({ count: 3, seed: 20261122 })).tried, 3);
});
