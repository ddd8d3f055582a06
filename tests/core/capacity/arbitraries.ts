import * as fc from "fast-check";
import { loadTunables, type SystemStats, type Tunables } from "../../../core/capacity/mod.ts";

/** A large idle host. */
export const HOST: SystemStats = {
  CPUCores: 4,
  LoadAvg1m: 0,
  MemTotalMB: 8192,
  MemAvailableMB: 6000,
  DiskFreeMB: 50_000,
};
/** The default tunables of {@link HOST}. */
export const DEFAULTS = loadTunables(() => undefined, HOST);

const megabytes = fc.nat({ max: 300_000 });
export const readings: fc.Arbitrary<SystemStats> = fc.record({
  CPUCores: fc.integer({ min: 1, max: 128 }),
  LoadAvg1m: fc.double({ min: 0, max: 300, noNaN: true }),
  MemTotalMB: megabytes,
  MemAvailableMB: megabytes,
  DiskFreeMB: megabytes,
});
export const settings: fc.Arbitrary<Tunables> = fc.record({
  cpuCautionPct: fc.integer({ min: 0, max: 100 }),
  cpuCriticalPct: fc.integer({ min: 0, max: 100 }),
  ramCautionMB: megabytes,
  ramCriticalMB: megabytes,
  diskCautionMB: megabytes,
  diskCriticalMB: megabytes,
  manualMaxInstances: fc.constantFrom(0, 0, 1, 7),
  heavyToolCPULoad: fc.double({ min: 0.1, max: 4, noNaN: true }),
  scanOverheadMB: fc.integer({ min: 128, max: 4096 }),
  scanMemoryBudgetMB: fc.integer({ min: 1024, max: 8192 }),
  HeavyToolMemLimitBytes: fc.nat({ max: 8192 }).map((mb) => mb * 2 ** 20),
});
export const more = fc.nat({ max: 50_000 });
export const count = fc.nat({ max: 50 });

/** Checks a property on seeded random values. */
export function holds<Values extends [unknown, ...unknown[]]>(
  property: fc.IProperty<Values>,
): void {
  fc.assert(property, { seed: 14, numRuns: 2000 });
}
