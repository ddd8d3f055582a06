import type { SystemStats } from "./stats.ts";
import type { Tunables } from "./tunables.ts";

/** The pressure on the host, lowest first (HC 2). */
export const Level = { OK: 0, CAUTION: 1, CRITICAL: 2 } as const;
export type Level = typeof Level[keyof typeof Level];

/** The name of a level; `UNKNOWN` for any other number (HC 2). */
export function levelName(level: number): keyof typeof Level | "UNKNOWN" {
  switch (level) {
    case Level.OK:
      return "OK";
    case Level.CAUTION:
      return "CAUTION";
    case Level.CRITICAL:
      return "CRITICAL";
    default:
      return "UNKNOWN";
  }
}

/** The worse of two levels (HC 2). */
export function maxLevel(a: Level, b: Level): Level {
  return a > b ? a : b;
}

/** A level and its causes. */
export interface Pressure {
  readonly level: Level;
  /** One part per scarce resource, joined by `; `, or `OK`. */
  readonly reason: string;
}

/** The level of the host: the worst of CPU, RAM and disk (C 14). */
export function currentLevelForStats(stats: SystemStats, tunables: Tunables): Pressure {
  const findings = [
    cpuPressure(stats, tunables),
    ramPressure(stats, tunables),
    diskPressure(stats, tunables),
  ];
  return {
    level: findings.map(({ level }) => level).reduce(maxLevel, Level.OK),
    reason: reasonOf(findings),
  };
}

/**
 * The reasons against admitting an instance: low RAM, or a nearly full disk. A busy CPU slows scans
 * down but does not stop them (C 14).
 */
export function admissionReason(stats: SystemStats, tunables: Tunables): string {
  const disk = diskPressure(stats, tunables);
  const findings = [ramPressure(stats, tunables)];
  if (disk.level === Level.CRITICAL) findings.push(disk);
  return reasonOf(findings);
}

function reasonOf(findings: readonly Pressure[]): string {
  const reasons = findings.filter(({ level }) => level !== Level.OK).map(({ reason }) => reason);
  return reasons.join("; ") || "OK";
}

function cpuPressure(stats: SystemStats, tunables: Tunables): Pressure {
  const { CPUCores: cores, LoadAvg1m: load } = stats;
  const shown = `load ${load.toFixed(2)} on ${cores} ${cores === 1 ? "core" : "cores"}`;
  if (load >= cores * tunables.cpuCriticalPct / 100) {
    return { level: Level.CRITICAL, reason: `CPU critical: ${shown}` };
  }
  if (load >= cores * tunables.cpuCautionPct / 100) {
    return { level: Level.CAUTION, reason: `CPU high: ${shown}` };
  }
  return { level: Level.OK, reason: "" };
}

function ramPressure({ MemAvailableMB: available }: SystemStats, tunables: Tunables): Pressure {
  const { ramCautionMB, ramCriticalMB } = tunables;
  if (available < ramCriticalMB) {
    return {
      level: Level.CRITICAL,
      reason: `RAM critical: ${available} MB available, below ${ramCriticalMB} MB`,
    };
  }
  if (available < ramCautionMB) {
    return {
      level: Level.CAUTION,
      reason: `RAM low: ${available} MB available, below ${ramCautionMB} MB`,
    };
  }
  return { level: Level.OK, reason: "" };
}

function diskPressure({ DiskFreeMB: free }: SystemStats, tunables: Tunables): Pressure {
  const { diskCautionMB, diskCriticalMB } = tunables;
  if (free < diskCriticalMB) {
    return {
      level: Level.CRITICAL,
      reason: `Disk critical: ${free} MB free, below ${diskCriticalMB} MB`,
    };
  }
  if (free < diskCautionMB) {
    return { level: Level.CAUTION, reason: `Disk low: ${free} MB free, below ${diskCautionMB} MB` };
  }
  return { level: Level.OK, reason: "" };
}
