import type { CapacityOverview } from "../schemas/capacity.ts";
import { formatBytes, MIB } from "../schemas/units.ts";

const BAR_WIDTH = 30;
/** The most leases to list one by one. */
const MAX_LEASES = 20;

/**
 * Formats an overview for people. With `bars`, draws each reading and omits tunables at their default,
 * so that the text fits on a screen.
 */
export function overviewText(overview: CapacityOverview, { bars }: { bars: boolean }): string {
  const { level, reason, instances } = overview;
  return [
    `Level       ${level}${reason === "OK" ? "" : `: ${reason}`}`,
    ...readingLines(overview, bars),
    `Scans       ${instances.running} running, ${instances.ceiling} may run at once`,
    `            ${instances.detail}`,
    ...toolLines(overview, bars),
    ...leaseLines(overview),
    ...tunableLines(
      overview.tunables.filter(({ source }) => !bars || source === "environment"),
    ),
    "",
  ].join("\n");
}

function readingLines({ readings, tunables }: CapacityOverview, bars: boolean): string[] {
  const { CPUCores, LoadAvg1m, MemTotalMB, MemAvailableMB, DiskFreeMB } = readings;
  const critical = tunables.find(({ name }) => name === "diskCriticalMB")?.value ?? 0;
  const used = MemTotalMB - MemAvailableMB;
  const draw = (part: number, whole: number) => bars ? `${bar(part, whole)} ` : "";
  const cores = `${CPUCores} ${CPUCores === 1 ? "core" : "cores"}`;
  return [
    `CPU         ${draw(LoadAvg1m, CPUCores)}load ${LoadAvg1m.toFixed(2)} on ${cores}`,
    `Memory      ${draw(used, MemTotalMB)}${formatMB(MemAvailableMB)} of ${
      formatMB(MemTotalMB)
    } available`,
    `Disk        ${bars ? `${" ".repeat(BAR_WIDTH + 2)} ` : ""}${formatMB(DiskFreeMB)} free, ` +
    `critical below ${formatMB(critical)}`,
  ];
}

function toolLines({ tools, leases }: CapacityOverview, bars: boolean): string[] {
  const line = (kind: string, active: number, slots: number) =>
    `${kind.padEnd(12)}${bars ? `${bar(active, slots)} ` : ""}${
      leases === null ? "" : `${active} of `
    }${slots} slots${leases === null ? "" : " taken"}`;
  return [
    line("Heavy tools", leases?.active_heavy ?? 0, tools.HeavyToolSlots),
    line("All tools", leases?.active_total ?? 0, tools.LightToolSlots),
    `            memory limit of a heavy tool: ${tools.memory_limit}`,
  ];
}

function leaseLines({ leases }: CapacityOverview): string[] {
  if (leases === null) return ["Leases      unknown: no server replied"];
  const more = leases.active.length - MAX_LEASES;
  return [
    `Leases      ${leases.active_total} held, ${leases.waiting} waiting`,
    ...leases.active.slice(0, MAX_LEASES).map(({ id, tool_name, heavy, memory_limit_mb, since }) =>
      `            ${id}  ${tool_name}  ${heavy ? "heavy" : "light"}  since ${since}` +
      (memory_limit_mb === 0 ? "" : `  at most ${formatMB(memory_limit_mb)}`)
    ),
    ...more > 0 ? [`            and ${more} more`] : [],
  ];
}

function tunableLines(tunables: CapacityOverview["tunables"]): string[] {
  const width = Math.max(...tunables.map(({ name }) => name.length));
  return tunables.map(({ name, variable, value, source }, index) =>
    `${index === 0 ? "Tunables    " : " ".repeat(12)}${name.padEnd(width)}  ${value}  (${
      source === "default" ? "default, set by " : "from "
    }${variable})`
  );
}

function formatMB(megabytes: number): string {
  return formatBytes(megabytes * MIB);
}

/** A bar such as `[#####-----]`, at most full. */
function bar(part: number, whole: number): string {
  const share = whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0;
  const filled = Math.round(share * BAR_WIDTH);
  return `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}]`;
}
