import { effectiveMaxInstancesForAdmissionStats, type InstanceCeiling } from "./instances.ts";
import { admissionReason } from "./level.ts";
import type { SystemStats } from "./stats.ts";
import type { Tunables } from "./tunables.ts";

/** The scans that run. */
export interface InstanceCount {
  readonly running: number;
  /** Those of them that do not show in the host's memory yet. */
  readonly recentAdmissions: number;
}

/** How many scans may run at once, beside those that do (C 15). */
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
