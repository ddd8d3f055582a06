import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  effectiveMaxInstancesForAdmissionStats,
  type SystemStats,
  type Tunables,
} from "../../../core/capacity/mod.ts";
import { count, DEFAULTS, holds, HOST, more, readings, settings } from "./arbitraries.ts";

Deno.test("C 14 instance ceilings", async (t) => {
  const ceiling = (stats: SystemStats, running: number, recent: number, tunables: Tunables) =>
    effectiveMaxInstancesForAdmissionStats(stats, running, recent, "", tunables).ceiling;
  await t.step("C 14 more memory never lowers the ceiling, which is never negative", () => {
    holds(
      fc.property(
        readings,
        settings,
        count,
        count,
        more,
        (stats, tunables, running, recent, mb) => {
          const less = ceiling(stats, running, recent, tunables);
          const richer = { ...stats, MemAvailableMB: stats.MemAvailableMB + mb };
          assert.ok(0 <= less && less <= ceiling(richer, running, recent, tunables));
        },
      ),
    );
  });
  await t.step("C 14 an automatic ceiling is never below the running instances", () => {
    holds(fc.property(readings, settings, count, count, (stats, tunables, running, recent) => {
      const automatic = { ...tunables, manualMaxInstances: 0 };
      assert.ok(ceiling(stats, running, recent, automatic) >= running);
    }));
  });
  await t.step("C 14 a full disk admits nothing, in either mode", () => {
    holds(fc.property(readings, settings, count, (stats, tunables, running) => {
      fc.pre(tunables.diskCriticalMB > 1);
      const full = { ...stats, DiskFreeMB: 1 };
      assert.equal(ceiling(full, running, 0, tunables), running);
    }));
  });
  await t.step("C 14 impossible counts are clamped", () => {
    assert.equal(ceiling(HOST, -3, 9, DEFAULTS), ceiling(HOST, 0, 0, DEFAULTS));
    assert.equal(ceiling(HOST, 2, -1, DEFAULTS), ceiling(HOST, 2, 0, DEFAULTS));
  });
});
