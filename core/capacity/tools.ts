import { Level, levelName } from "./level.ts";
import type { SystemStats } from "./stats.ts";
import type { Tunables } from "./tunables.ts";
import { MIB } from "../../schemas/units.ts";

/** The number of tools that may run at once (HC 2). A heavy tool takes a light slot too. */
export interface ToolCapacity {
  readonly HeavyToolSlots: number;
  readonly LightToolSlots: number;
  readonly Reason: string;
}

/** Whether a tool may start now, and why. */
export interface SlotAdmission {
  readonly admitted: boolean;
  readonly reason: string;
}

/** The memory limit of a heavy tool for a host with `hostMB` of memory, in MB (HC 8, C 14). */
export function autoHeavyToolMemLimitMB(hostMB: number, tunables: Tunables): number {
  const share = Math.min(4096, Math.max(256, Math.trunc(hostMB / 4)));
  const room = tunables.scanMemoryBudgetMB - tunables.scanOverheadMB;
  return room >= 256 ? Math.min(share, room) : share;
}

/**
 * The tool slots of the host (HC 8, C 14). A busy CPU reduces them; only a lack of RAM takes the last
 * one. The level and the active leases appear in the reason and have no other effect.
 */
export function toolCapacityForStats(
  stats: SystemStats,
  level: Level,
  reason: string,
  activeTotal: number,
  activeHeavy: number,
  tunables: Tunables,
): ToolCapacity {
  const { MemTotalMB: total, MemAvailableMB: available, LoadAvg1m: load } = stats;
  const cores = Math.max(1, stats.CPUCores);
  const spare = available - tunables.ramCriticalMB;
  const shown = `${reason}; level=${
    levelName(level)
  }, active=${activeTotal}, active_heavy=${activeHeavy}`;
  if (spare <= 0) return { HeavyToolSlots: 0, LightToolSlots: 0, Reason: shown };
  const heavyUnit = Math.max(1, autoHeavyToolMemLimitMB(total, tunables));
  const lightUnit = Math.max(1, Math.trunc(heavyUnit / cores));
  const loadPerCore = Math.max(1, load / cores);
  const heavy = Math.min(
    Math.max(1, Math.trunc(spare / heavyUnit)),
    Math.max(1, Math.floor(cores / (tunables.heavyToolCPULoad * loadPerCore))),
    parallelCap(cores),
  );
  const light = Math.min(
    Math.max(1, Math.trunc(spare / lightUnit)),
    Math.max(1, Math.ceil(cores * cores / loadPerCore)),
  );
  return { HeavyToolSlots: heavy, LightToolSlots: Math.max(heavy, light), Reason: shown };
}

/** The most heavy tools that leave the machine usable. */
function parallelCap(cores: number): number {
  return cores <= 2 ? cores : cores - 1;
}

/** Decides whether another tool may start beside the active ones (HC 8, C 14). */
export function toolSlotAdmission(
  heavy: boolean,
  capacity: ToolCapacity,
  activeTotal: number,
  activeHeavy: number,
): SlotAdmission {
  const { HeavyToolSlots, LightToolSlots, Reason } = capacity;
  if (heavy && activeHeavy >= HeavyToolSlots) {
    const reason = `heavy tool slots full: ${activeHeavy}/${HeavyToolSlots} (${Reason})`;
    return { admitted: false, reason };
  }
  if (activeTotal >= LightToolSlots) {
    const reason = `tool slots full: ${activeTotal}/${LightToolSlots} (${Reason})`;
    return { admitted: false, reason };
  }
  return { admitted: true, reason: Reason };
}

/**
 * The hard memory limit of a tool in MB, or 0 for none (HC 8, C 14): its share of the spare memory.
 *
 * @param projectedTotal The number of active tools, including this one.
 * @param projectedHeavy The number of active heavy tools, including this one.
 */
export function toolMemoryLimitMBForStats(
  stats: SystemStats,
  heavy: boolean,
  projectedTotal: number,
  projectedHeavy: number,
  level: Level,
  tunables: Tunables,
): number {
  const limit = toolMemoryLimitMB(tunables);
  if (limit === 0) return 0;
  const spare = stats.MemAvailableMB - tunables.ramCriticalMB;
  if (spare <= 0) return 256;
  const share = Math.trunc(spare / Math.max(1, heavy ? projectedHeavy : projectedTotal));
  const cautious = level === Level.CAUTION ? Math.trunc(share * 3 / 4) : share;
  return Math.max(heavy ? 256 : 128, Math.min(limit, cautious));
}

/** The hard memory limit of heavy tools for logs, such as `2048MB` or `disabled` (HC 8). */
export function toolMemoryLimitLabel(tunables: Tunables): string {
  const limit = toolMemoryLimitMB(tunables);
  return limit === 0 ? "disabled" : `${limit}MB`;
}

function toolMemoryLimitMB({ HeavyToolMemLimitBytes }: Tunables): number {
  return Math.trunc(HeavyToolMemLimitBytes / MIB);
}

/**
 * The limits of scanner processes: the hard memory limit of heavy tools if there is one, or else the
 * automatic one (C 15), and as many idle processes as there are cores.
 */
export function scannerLimits(
  { stats, tunables }: { readonly stats: () => SystemStats; readonly tunables: Tunables },
): { readonly memoryMB: number; readonly maxIdle: number } {
  const { CPUCores, MemTotalMB } = stats();
  const memoryMB = toolMemoryLimitMB(tunables) || autoHeavyToolMemLimitMB(MemTotalMB, tunables);
  return { memoryMB, maxIdle: CPUCores };
}
