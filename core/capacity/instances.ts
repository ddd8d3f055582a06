import type { SystemStats } from "./stats.ts";
import type { Tunables } from "./tunables.ts";
import { MIB } from "../../schemas/units.ts";

/** How many instances there may be, and how that came about. */
export interface InstanceCeiling {
  readonly ceiling: number;
  readonly detail: string;
}

/** What an instance is reckoned to take, in MB (HC 8, C 14). */
export function perInstanceMemoryBudgetMB(tunables: Tunables): number {
  const toolLimitMB = Math.trunc(tunables.HeavyToolMemLimitBytes / MIB);
  return Math.max(1024, tunables.scanMemoryBudgetMB, toolLimitMB + tunables.scanOverheadMB);
}

/** The ceiling where nothing runs yet (HC 8). */
export function effectiveMaxInstancesForStats(
  stats: SystemStats,
  reason: string,
  tunables: Tunables,
): InstanceCeiling {
  return effectiveMaxInstancesForAdmissionStats(stats, 0, 0, reason, tunables);
}

/** The ceiling where `running` instances already take their memory (HC 8). */
export function effectiveMaxInstancesForRunningStats(
  stats: SystemStats,
  running: number,
  reason: string,
  tunables: Tunables,
): InstanceCeiling {
  return effectiveMaxInstancesForAdmissionStats(stats, running, 0, reason, tunables);
}

/**
 * The ceiling where `recentAdmissions` of the running instances do not show in the host's memory yet:
 * the headroom that they will take is not given out twice (HC 8, C 14).
 */
export function effectiveMaxInstancesForAdmissionStats(
  stats: SystemStats,
  running: number,
  recentAdmissions: number,
  reason: string,
  tunables: Tunables,
): InstanceCeiling {
  const active = Math.max(0, running);
  const recent = Math.min(active, Math.max(0, recentAdmissions));
  const slots = headroomSlots(stats, tunables);
  const available = Math.max(0, slots - recent);
  const manual = tunables.manualMaxInstances > 0;
  const diskIsFull = stats.DiskFreeMB > 0 && stats.DiskFreeMB < tunables.diskCriticalMB;
  const ceiling = diskIsFull ? active : manual ? tunables.manualMaxInstances : active + available;
  const detail = [
    `${reason}; capacity_mode=${manual ? "manual" : "adaptive"}`,
    `running=${active}`,
    `ram_headroom_slots=${slots}`,
    `unreflected_admissions=${recent}`,
    `available_slots=${available}`,
    `total_ceiling=${ceiling}`,
    `scan_budget=${perInstanceMemoryBudgetMB(tunables)}MB`,
    ...manual ? [`manual_capacity=${tunables.manualMaxInstances}`] : [],
  ];
  return { ceiling, detail: detail.join(", ") };
}

/** How many more instances the available memory carries; one at least where there is any to spare. */
function headroomSlots({ MemAvailableMB: available }: SystemStats, tunables: Tunables): number {
  const spare = available - tunables.ramCriticalMB;
  if (spare <= 0) return 0;
  return Math.max(1, Math.trunc(spare / perInstanceMemoryBudgetMB(tunables)));
}
