import type { HostSize } from "./stats.ts";
import { MIB } from "../../schemas/units.ts";

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

/** Where the value of a tunable comes from. */
export interface TunableOrigin {
  readonly name: keyof Tunables;
  readonly variable: string;
  /** The value in force. */
  readonly value: number;
  /** What the variable would say for it: of HeavyToolMemLimitBytes that is MB. */
  readonly setting: number;
  readonly source: "environment" | "default";
  /** What is wrong with the variable, where it is not what is in force (C 13). */
  readonly complaint?: string;
}

/** The tunables in force: each its variable, or a default that suits the host (C 14). */
export function loadTunables(get: GetVariable, size: HostSize): Tunables {
  return readTunables(get, size).tunables;
}

/** The tunables in force, and where each comes from. */
export function readTunables(
  get: GetVariable,
  size: HostSize,
): { tunables: Tunables; origins: TunableOrigin[] } {
  const { CPUCores: cores, MemTotalMB: total } = size;
  const origins: TunableOrigin[] = [];
  const tunable = (
    name: keyof Tunables,
    suffix: string,
    fallback: number,
    { read = envInt64, least = -Infinity, unit = 1 }: TunableRule = {},
  ) => {
    const variable = PREFIX + suffix;
    const given = get(variable) ?? "";
    const parsed = read(variable, Number.NaN, get);
    const isGiven = !Number.isNaN(parsed);
    const setting = Math.max(least, isGiven ? parsed : fallback);
    const value = setting * unit;
    const complaint = given === "" || (isGiven && parsed >= least)
      ? {}
      : { complaint: complaintOf(variable, given, isGiven, setting) };
    origins.push({
      name,
      variable,
      value,
      setting,
      source: isGiven ? "environment" : "default",
      ...complaint,
    });
    return value;
  };
  const tunables = {
    cpuCautionPct: tunable("cpuCautionPct", "CPU_CAUTION_PCT", 70, { read: envFloat }),
    cpuCriticalPct: tunable("cpuCriticalPct", "CPU_CRITICAL_PCT", 90, { read: envFloat }),
    ramCautionMB: tunable("ramCautionMB", "RAM_CAUTION_MB", Math.max(512, Math.trunc(total / 4))),
    ramCriticalMB: tunable(
      "ramCriticalMB",
      "RAM_CRITICAL_MB",
      Math.max(256, Math.trunc(total * 12 / 100)),
    ),
    diskCautionMB: tunable("diskCautionMB", "DISK_CAUTION_MB", 2048),
    diskCriticalMB: tunable("diskCriticalMB", "DISK_CRITICAL_MB", 1024),
    manualMaxInstances: tunable("manualMaxInstances", "MAX_INSTANCES", 0, OPTIONAL),
    heavyToolCPULoad: tunable("heavyToolCPULoad", "HEAVY_TOOL_CPU_LOAD", heavyToolLoad(cores), {
      read: envFloat,
    }),
    scanOverheadMB: tunable(
      "scanOverheadMB",
      "SCAN_OVERHEAD_MB",
      within(Math.trunc(total / 16), 256, 512),
      { least: 128 },
    ),
    scanMemoryBudgetMB: tunable("scanMemoryBudgetMB", "SCAN_MEMORY_BUDGET_MB", budgetMB(size), {
      least: 1024,
    }),
    HeavyToolMemLimitBytes: tunable("HeavyToolMemLimitBytes", "HEAVY_TOOL_MEM_LIMIT_MB", 0, {
      ...OPTIONAL,
      unit: MIB,
    }),
  };
  return { tunables, origins };
}

/** How a variable becomes a value. */
interface TunableRule {
  /** The helper that reads it; NaN where it holds nothing valid. */
  readonly read?: (name: string, fallback: number, get: GetVariable) => number;
  /** The least value, which a lower one is raised to. */
  readonly least?: number;
  /** What the value counts in. */
  readonly unit?: number;
}

/** A positive integer, or 0 where there is none. */
const OPTIONAL: TunableRule = {
  read: (name, fallback, get) =>
    /^\s*0+\s*$/.test(get(name) ?? "") ? 0 : envOptionalInt(name, get) || fallback,
};

function complaintOf(variable: string, given: string, isNumber: boolean, used: number): string {
  const why = isNumber ? "is too low" : "is no number that is allowed";
  return `${variable}: ${JSON.stringify(given.slice(0, 100))} ${why}, ${used} is used`;
}

function heavyToolLoad(cores: number): number {
  if (cores <= 1) return 0.85;
  return cores === 2 ? 0.9 : 1;
}

function budgetMB({ CPUCores: cores, MemTotalMB: total }: HostSize): number {
  if (total <= 0) return 1024;
  const reserve = within(Math.trunc(total * 20 / 100), 512, 2048);
  const slots = within(cores, 1, 6);
  return within(Math.trunc(Math.max(1024, total - reserve) / slots), 768, 2048);
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
