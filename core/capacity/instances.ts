import { MIB } from "../../schemas/units.ts";
import { admissionReason } from "./level.ts";
import type { SystemStats } from "./stats.ts";
import type { Tunables } from "./tunables.ts";

/** The running scans. Each is one instance (C 15). */
export interface InstanceCount {
  readonly running: number;
  /** The running scans whose memory use the readings do not show yet. */
  readonly recentAdmissions: number;
}

/** The most instances that may run, and how it was calculated. */
export interface InstanceCeiling {
  readonly ceiling: number;
  readonly detail: string;
}

/** The most scans that may run at once, including the running ones (C 15). */
export function admissionCeiling(
  stats: SystemStats,
  { running, recentAdmissions }: InstanceCount,
  tunables: Tunables,
): InstanceCeiling {
  return effectiveMaxInstancesForAdmissionStats(
    stats,
    running,
    recentAdmissions,
    admissionReason(stats, tunables),
    tunables,
  );
}

/** The memory budget of one instance, in MB (HC 8, C 14). */
export function perInstanceMemoryBudgetMB(tunables: Tunables): number {
  const toolLimitMB = Math.trunc(tunables.HeavyToolMemLimitBytes / MIB);
  return Math.max(1024, tunables.scanMemoryBudgetMB, toolLimitMB + tunables.scanOverheadMB);
}

/** The ceiling on a host that runs no instance (HC 8). */
export function effectiveMaxInstancesForStats(
  stats: SystemStats,
  reason: string,
  tunables: Tunables,
): InstanceCeiling {
  return effectiveMaxInstancesForAdmissionStats(stats, 0, 0, reason, tunables);
}

/** The ceiling on a host whose readings show the memory use of all `running` instances (HC 8). */
export function effectiveMaxInstancesForRunningStats(
  stats: SystemStats,
  running: number,
  reason: string,
  tunables: Tunables,
): InstanceCeiling {
  return effectiveMaxInstancesForAdmissionStats(stats, running, 0, reason, tunables);
}

/**
 * The ceiling on a host whose readings do not show the memory use of `recentAdmissions` of the
 * running instances yet. Headroom is kept for them, so that it is not granted twice (HC 8, C 14).
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

/** How many more instances the available memory carries: at least one if any memory is to spare. */
function headroomSlots({ MemAvailableMB: available }: SystemStats, tunables: Tunables): number {
  const spare = available - tunables.ramCriticalMB;
  if (spare <= 0) return 0;
  return Math.max(1, Math.trunc(spare / perInstanceMemoryBudgetMB(tunables)));
}
