import * as assert from "node:assert/strict";
import { cgroupLimits, runtimeLimits } from "../../../core/capacity/cgroup.ts";

Deno.test("C 14 cgroupLimits() returns undefined if reading is not permitted", () => {
  assert.equal(cgroupLimits(() => ({ refused: true })), undefined);
  assert.deepEqual(cgroupLimits(() => ({})), {
    cores: Infinity,
    memoryBytes: Infinity,
    availableBytes: Infinity,
  });
});

Deno.test("C 14 runtimeLimits()", async (t) => {
  const GIB = 2 ** 30;
  const none = { cores: Infinity, memoryBytes: Infinity, availableBytes: Infinity };
  const rows: [string, number, Partial<typeof none>][] = [
    ["the memory in use is not available", GIB, { memoryBytes: GIB, availableBytes: GIB - 100 }],
    ["more in use than the limit", 50, { memoryBytes: 50, availableBytes: 0 }],
    ["0 is no limit", 0, {}],
    ["version 1 without a limit", 9223372036854771712, {}],
  ];
  for (const [name, limit, limits] of rows) {
    await t.step(`C 14 ${name}`, () => {
      assert.deepEqual(runtimeLimits(limit, 100), { ...none, ...limits });
    });
  }
});
