import type { SystemStats } from "./stats.ts";

/** What decides how much a host carries (HC 2, C 14). MB are 2^20 bytes. */
export interface Tunables {
  /** Percent of the cores from which the load counts as high. */
  readonly cpuCautionPct: number;
  readonly cpuCriticalPct: number;
  /** Available RAM below which it counts as low. */
  readonly ramCautionMB: number;
  readonly ramCriticalMB: number;
  /** Free disk space below which it counts as low. */
  readonly diskCautionMB: number;
  readonly diskCriticalMB: number;
  /** An explicit ceiling of instances; 0 means automatic. */
  readonly manualMaxInstances: number;
  /** The share of a core that a heavy tool takes. */
  readonly heavyToolCPULoad: number;
  /** What an instance takes besides its tool. */
  readonly scanOverheadMB: number;
  readonly scanMemoryBudgetMB: number;
  /** The hard memory limit of a heavy tool in bytes; 0 disables it. */
  readonly HeavyToolMemLimitBytes: number;
}

/** Looks up an environment variable. */
export type GetVariable = (name: string) => string | undefined;

const MIB = 2 ** 20;
const PREFIX = "STRONGROOM_";

/** The number that a variable holds, or `fallback` where it is empty or holds none (HC 2). */
export function envFloat(name: string, fallback: number, get: GetVariable): number {
  const text = get(name) ?? "";
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : fallback;
}

/** The integer that a variable holds, or `fallback` where it holds none (HC 2). */
export function envInt64(name: string, fallback: number, get: GetVariable): number {
  const text = get(name) ?? "";
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : fallback;
}

/** The positive integer that a variable holds, or 0 (HC 2). */
export function envOptionalInt(name: string, get: GetVariable): number {
  const text = (get(name) ?? "").trim();
  return Math.max(0, envInt64(name, 0, () => text));
}

/** The tunables in force: each its variable, or a default that suits the host (C 14). */
export function loadTunables(get: GetVariable, stats: SystemStats): Tunables {
  const { CPUCores: cores, MemTotalMB: total } = stats;
  const integer = (name: string, fallback: number) => envInt64(PREFIX + name, fallback, get);
  return {
    cpuCautionPct: envFloat(`${PREFIX}CPU_CAUTION_PCT`, 70, get),
    cpuCriticalPct: envFloat(`${PREFIX}CPU_CRITICAL_PCT`, 90, get),
    ramCautionMB: integer("RAM_CAUTION_MB", Math.max(512, Math.trunc(total / 4))),
    ramCriticalMB: integer("RAM_CRITICAL_MB", Math.max(256, Math.trunc(total * 12 / 100))),
    diskCautionMB: integer("DISK_CAUTION_MB", 2048),
    diskCriticalMB: integer("DISK_CRITICAL_MB", 1024),
    manualMaxInstances: envOptionalInt(`${PREFIX}MAX_INSTANCES`, get),
    heavyToolCPULoad: envFloat(`${PREFIX}HEAVY_TOOL_CPU_LOAD`, heavyToolLoad(cores), get),
    scanOverheadMB: Math.max(
      128,
      integer("SCAN_OVERHEAD_MB", within(Math.trunc(total / 16), 256, 512)),
    ),
    scanMemoryBudgetMB: Math.max(1024, integer("SCAN_MEMORY_BUDGET_MB", memoryBudgetMB(stats))),
    HeavyToolMemLimitBytes: envOptionalInt(`${PREFIX}HEAVY_TOOL_MEM_LIMIT_MB`, get) * MIB,
  };
}

function heavyToolLoad(cores: number): number {
  if (cores <= 1) return 0.85;
  return cores === 2 ? 0.9 : 1;
}

function memoryBudgetMB({ CPUCores: cores, MemTotalMB: total }: SystemStats): number {
  if (total <= 0) return 1024;
  const reserve = within(Math.trunc(total * 20 / 100), 512, 2048);
  const slots = within(cores, 1, 6);
  return within(Math.trunc(Math.max(1024, total - reserve) / slots), 768, 2048);
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
