import * as assert from "node:assert/strict";
import { backupKills, restoreKills } from "./backup_kills.ts";

const SEED = 20261122;

Deno.test("C 22 kill -9 of a backup at any moment leaves its former or the new state", async () => {
  assert.equal((await backupKills({ count: 3, seed: SEED })).tried, 3);
});

Deno.test("C 22 a restore that was killed is never served, and can be repeated", async () => {
  assert.equal((await restoreKills({ count: 3, seed: SEED })).tried, 3);
});
