import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  autoHeavyToolMemLimitMB,
  Level,
  type SystemStats,
  toolCapacityForStats,
  toolMemoryLimitMBForStats,
  type Tunables,
} from "../../../core/capacity/mod.ts";
import { count, DEFAULTS, holds, HOST, more, readings, settings } from "./arbitraries.ts";

Deno.test("C 14 tool slots", async (t) => {
  const slots = (stats: SystemStats, tunables: Tunables) =>
    toolCapacityForStats(stats, Level.OK, "", 0, 0, tunables);
  await t.step("C 14 there are never more heavy than light slots, and never fewer than 0", () => {
    holds(fc.property(readings, settings, (stats, tunables) => {
      const { HeavyToolSlots, LightToolSlots } = slots(stats, tunables);
      assert.ok(0 <= HeavyToolSlots && HeavyToolSlots <= LightToolSlots);
      assert.ok(Number.isInteger(HeavyToolSlots) && Number.isInteger(LightToolSlots));
    }));
  });
  await t.step("C 14 more memory or less load never reduces the slots", () => {
    holds(fc.property(readings, settings, more, (stats, tunables, mb) => {
      const before = slots(stats, tunables);
      for (
        const better of [
          { ...stats, MemAvailableMB: stats.MemAvailableMB + mb },
          { ...stats, LoadAvg1m: stats.LoadAvg1m / 2 },
        ]
      ) {
        const after = slots(better, tunables);
        assert.ok(after.HeavyToolSlots >= before.HeavyToolSlots);
        assert.ok(after.LightToolSlots >= before.LightToolSlots);
      }
    }));
  });
  await t.step(
    "C 14 one core runs one heavy tool, two run two, and more leave one core free",
    () => {
      const rows = [[1, 1], [2, 2], [3, 2], [4, 3], [16, 15]];
      for (const [cores = 1, expected] of rows) {
        const large = { ...HOST, CPUCores: cores, MemTotalMB: 900_000, MemAvailableMB: 800_000 };
        const tunables = { ...DEFAULTS, heavyToolCPULoad: 0.5 };
        assert.equal(slots(large, tunables).HeavyToolSlots, expected, `${cores} cores`);
      }
    },
  );
});

Deno.test("C 14 tool memory limits", async (t) => {
  await t.step("C 14 they are between 128 and the limit, and shrink with more tools", () => {
    holds(fc.property(readings, settings, fc.boolean(), count, (stats, tunables, heavy, tools) => {
      const limit = Math.trunc(tunables.HeavyToolMemLimitBytes / 2 ** 20);
      const of = (total: number) =>
        toolMemoryLimitMBForStats(stats, heavy, total, total, Level.OK, tunables);
      if (limit === 0) assert.equal(of(tools), 0);
      else {
        assert.ok(of(tools) >= 128 && of(tools) <= Math.max(256, limit));
        assert.ok(of(tools + 1) <= of(tools));
      }
    }));
  });
  await t.step("C 14 caution takes a quarter", () => {
    const tunables = { ...DEFAULTS, ramCriticalMB: 2000, HeavyToolMemLimitBytes: 2 ** 40 };
    const of = (level: Level) => toolMemoryLimitMBForStats(HOST, true, 1, 1, level, tunables);
    assert.deepEqual([of(Level.OK), of(Level.CAUTION), of(Level.CRITICAL)], [4000, 3000, 4000]);
  });
  await t.step("C 14 the automatic limit is a quarter of the host, within bounds", () => {
    const roomy = { ...DEFAULTS, scanMemoryBudgetMB: 100_000 };
    const rows = [[0, 256], [2000, 500], [8192, 2048], [1_000_000, 4096]];
    for (const [hostMB = 0, expected] of rows) {
      assert.equal(autoHeavyToolMemLimitMB(hostMB, roomy), expected);
    }
    const tight = { ...DEFAULTS, scanMemoryBudgetMB: 1024, scanOverheadMB: 900 };
    assert.equal(autoHeavyToolMemLimitMB(8192, tight), 2048);
  });
});
