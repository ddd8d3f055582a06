import * as assert from "node:assert/strict";
import {
  admissionReason,
  currentLevelForStats,
  Level,
  type SystemStats,
} from "../../../core/capacity/mod.ts";
import { DEFAULTS, HOST } from "./arbitraries.ts";

Deno.test("C 14 levels", async (t) => {
  const tunables = {
    ...DEFAULTS,
    ramCautionMB: 2000,
    ramCriticalMB: 1000,
    diskCautionMB: 2048,
    diskCriticalMB: 1024,
  };
  const rows: [Partial<SystemStats>, Level, string, string][] = [
    [{}, Level.OK, "OK", "OK"],
    [{ LoadAvg1m: 2.8 }, Level.CAUTION, "CPU high: load 2.80 on 4 cores", "OK"],
    [{ LoadAvg1m: 3.6 }, Level.CRITICAL, "CPU critical: load 3.60 on 4 cores", "OK"],
    [
      { MemAvailableMB: 1999 },
      Level.CAUTION,
      "RAM low: 1999 MB available, below 2000 MB",
      "RAM low: 1999 MB available, below 2000 MB",
    ],
    [
      { MemAvailableMB: 999, DiskFreeMB: 2000 },
      Level.CRITICAL,
      "RAM critical: 999 MB available, below 1000 MB; Disk low: 2000 MB free, below 2048 MB",
      "RAM critical: 999 MB available, below 1000 MB",
    ],
    [
      { DiskFreeMB: 1023 },
      Level.CRITICAL,
      "Disk critical: 1023 MB free, below 1024 MB",
      "Disk critical: 1023 MB free, below 1024 MB",
    ],
    [{ LoadAvg1m: 2.79, MemAvailableMB: 2000, DiskFreeMB: 2048 }, Level.OK, "OK", "OK"],
  ];
  for (const [reading, level, reason, admission] of rows) {
    await t.step(`C 14 ${reason}`, () => {
      const stats = { ...HOST, ...reading };
      assert.deepEqual(currentLevelForStats(stats, tunables), { level, reason });
      assert.equal(admissionReason(stats, tunables), admission);
    });
  }
});
