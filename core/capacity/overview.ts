import type { CapacityOverview } from "../../schemas/capacity.ts";
import { admissionCeiling, type InstanceCount } from "./instances.ts";
import type { LeasePool } from "./leases.ts";
import { currentLevelForStats, levelName } from "./level.ts";
import type { SystemStats } from "./stats.ts";
import { toolCapacityForStats, toolMemoryLimitLabel } from "./tools.ts";
import type { TunableOrigin, Tunables } from "./tunables.ts";

/** The host, as this process reads it. */
export interface HostCapacity {
  /** Reads the host. */
  readonly stats: () => SystemStats;
  readonly tunables: Tunables;
  readonly origins: readonly TunableOrigin[];
  /** Left out if nothing in this process holds leases. */
  readonly leases?: LeasePool;
  /** The running scans. @default none */
  readonly instances?: () => InstanceCount;
}

/**
 * The capacity overview for operators: readings, ceilings, slots, leases and tunables (C 14).
 * See docs/design/capacity.md.
 */
export function capacityOverview(host: HostCapacity): CapacityOverview {
  const { tunables, origins, leases } = host;
  const stats = host.stats();
  const { level, reason } = currentLevelForStats(stats, tunables);
  const count = host.instances?.() ?? { running: 0, recentAdmissions: 0 };
  return {
    readings: { ...stats },
    level: levelName(level),
    reason,
    instances: {
      running: count.running,
      ...admissionCeiling(stats, count, tunables),
    },
    tools: {
      ...toolCapacityForStats(
        stats,
        level,
        reason,
        leases?.activeTotal ?? 0,
        leases?.activeHeavy ?? 0,
        tunables,
      ),
      memory_limit: toolMemoryLimitLabel(tunables),
    },
    leases: leases === undefined ? null : leasesOf(leases),
    tunables: origins.map(({ name, variable, value, source }) => ({
      name,
      variable,
      value,
      source,
    })),
  };
}

function leasesOf(pool: LeasePool): CapacityOverview["leases"] {
  return {
    active_total: pool.activeTotal,
    active_heavy: pool.activeHeavy,
    waiting: pool.waiting,
    active: pool.active.map(({ id, toolName, heavy, memoryLimitMB, since }) => ({
      id,
      tool_name: toolName,
      heavy,
      memory_limit_mb: memoryLimitMB,
      since: new Date(since).toISOString(),
    })),
  };
}
