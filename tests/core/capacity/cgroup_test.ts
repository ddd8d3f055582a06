import * as assert from "node:assert/strict";
import { cgroupLimits } from "../../../core/capacity/cgroup.ts";

Deno.test("C 14 cgroupLimits() returns undefined if reading is not permitted", () => {
  assert.equal(cgroupLimits(() => ({ refused: true })), undefined);
  assert.deepEqual(cgroupLimits(() => ({})), {
    cores: Infinity,
    memoryBytes: Infinity,
    availableBytes: Infinity,
  });
});
