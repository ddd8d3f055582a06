import type { HostSize } from "./host_size.ts";
import { MIB } from "../../schemas/units.ts";

/** The tunables of the capacity rules (HC 2, C 14). MB are 2^20 bytes. */
export interface Tunables {
  /** The load, in percent of the cores, from which the CPU is high. */
  readonly cpuCautionPct: number;
  /** The load, in percent of the cores, from which the CPU is critical. */
  readonly cpuCriticalPct: number;
  /** RAM is low if less than this is available. */
  readonly ramCautionMB: number;
  /** RAM is critical if less than this is available. */
  readonly ramCriticalMB: number;
  /** The disk is low if less than this is free. */
  readonly diskCautionMB: number;
  /** The disk is critical if less than this is free. */
  readonly diskCriticalMB: number;
  /** A fixed ceiling of instances; 0 means automatic. */
  readonly manualMaxInstances: number;
  /** The load of one heavy tool, in cores. */
  readonly heavyToolCPULoad: number;
  /** The memory of an instance besides its tool. */
  readonly scanOverheadMB: number;
  /** The memory budget of an instance. */
  readonly scanMemoryBudgetMB: number;
  /** The hard memory limit of a heavy tool, in bytes; 0 disables it. */
  readonly HeavyToolMemLimitBytes: number;
}

/** Looks up an environment variable. */
export type GetVariable = (name: string) => string | undefined;

const PREFIX = "STRONGROOM_";

/** The number in a variable, or `fallback` if it is empty or invalid (HC 2). */
export function envFloat(name: string, fallback: number, get: GetVariable): number {
  const text = get(name) ?? "";
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : fallback;
}

/** The integer in a variable, or `fallback` if it is empty or invalid (HC 2). */
export function envInt64(name: string, fallback: number, get: GetVariable): number {
  const text = get(name) ?? "";
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : fallback;
}

/** The positive integer in a variable, or 0 (HC 2). */
export function envOptionalInt(name: string, get: GetVariable): number {
  const text = (get(name) ?? "").trim();
  return Math.max(0, envInt64(name, 0, () => text));
}

/** The value of a tunable and its source. */
export interface TunableOrigin {
  readonly name: keyof Tunables;
  readonly variable: string;
  /** The value in force. */
  readonly value: number;
  /** The value in the unit of the variable: MB for HeavyToolMemLimitBytes. */
  readonly setting: number;
  readonly source: "environment" | "default";
  /** Why the value of the variable is not in force, if it is not (C 13). */
  readonly warning?: string;
}

/** The tunables in force, from variables or defaults for the host (C 14). */
export function loadTunables(get: GetVariable, size: HostSize): Tunables {
  return readTunables(get, size).tunables;
}

/** The tunables in force, and the source of each. */
export function readTunables(
  get: GetVariable,
  size: HostSize,
): { tunables: Tunables; origins: TunableOrigin[] } {
  const { CPUCores: cores, MemTotalMB: total } = size;
  const reader = new TunableReader(get);
  const tunable = reader.read.bind(reader);
  const tunables = {
    cpuCautionPct: tunable("cpuCautionPct", "CPU_CAUTION_PCT", 70, FLOAT),
    cpuCriticalPct: tunable("cpuCriticalPct", "CPU_CRITICAL_PCT", 90, FLOAT),
    ramCautionMB: tunable("ramCautionMB", "RAM_CAUTION_MB", Math.max(512, Math.trunc(total / 4))),
    ramCriticalMB: tunable(
      "ramCriticalMB",
      "RAM_CRITICAL_MB",
      Math.max(256, Math.trunc(total * 12 / 100)),
    ),
    diskCautionMB: tunable("diskCautionMB", "DISK_CAUTION_MB", 2048),
    diskCriticalMB: tunable("diskCriticalMB", "DISK_CRITICAL_MB", 1024),
    manualMaxInstances: tunable("manualMaxInstances", "MAX_INSTANCES", 0, OPTIONAL),
    heavyToolCPULoad: tunable(
      "heavyToolCPULoad",
      "HEAVY_TOOL_CPU_LOAD",
      heavyToolLoad(cores),
      FLOAT,
    ),
    scanOverheadMB: tunable(
      "scanOverheadMB",
      "SCAN_OVERHEAD_MB",
      clamp(Math.trunc(total / 16), 256, 512),
      { minimum: 128 },
    ),
    scanMemoryBudgetMB: tunable("scanMemoryBudgetMB", "SCAN_MEMORY_BUDGET_MB", budgetMB(size), {
      minimum: 1024,
    }),
    HeavyToolMemLimitBytes: tunable("HeavyToolMemLimitBytes", "HEAVY_TOOL_MEM_LIMIT_MB", 0, {
      ...OPTIONAL,
      unit: MIB,
    }),
  };
  return { tunables, origins: reader.origins };
}

/** How to read a variable. */
interface TunableRule {
  /** The helper that parses it. @default envInt64 */
  readonly parse?: (name: string, fallback: number, get: GetVariable) => number;
  /** A lower value is raised to this. @default none */
  readonly minimum?: number;
  /** The factor from the unit of the variable to that of the tunable. @default 1 */
  readonly unit?: number;
}

const FLOAT: TunableRule = { parse: envFloat };

/** A positive integer, or 0. */
const OPTIONAL: TunableRule = {
  parse: (name, fallback, get) =>
    /^\s*0+\s*$/.test(get(name) ?? "") ? 0 : envOptionalInt(name, get) || fallback,
};

/** Reads tunables from variables, and records the source of each. */
class TunableReader {
  readonly origins: TunableOrigin[] = [];
  readonly #get: GetVariable;

  constructor(get: GetVariable) {
    this.#get = get;
  }

  /** The value in force of the tunable whose variable ends in `suffix`. */
  read(
    name: keyof Tunables,
    suffix: string,
    fallback: number,
    { parse = envInt64, minimum = -Infinity, unit = 1 }: TunableRule = {},
  ): number {
    const variable = PREFIX + suffix;
    const given = this.#get(variable) ?? "";
    const parsed = parse(variable, Number.NaN, this.#get);
    const isValid = !Number.isNaN(parsed);
    const setting = Math.max(minimum, isValid ? parsed : fallback);
    const value = setting * unit;
    const source = isValid ? "environment" : "default";
    const warning = given === "" || (isValid && parsed >= minimum)
      ? {}
      : { warning: warningOf(variable, given, isValid, setting) };
    this.origins.push({ name, variable, value, setting, source, ...warning });
    return value;
  }
}

function warningOf(variable: string, given: string, isNumber: boolean, used: number): string {
  const problem = isNumber ? "is too low" : "is not a valid number";
  return `${variable}: ${JSON.stringify(given.slice(0, 100))} ${problem}; using ${used}`;
}

function heavyToolLoad(cores: number): number {
  if (cores <= 1) return 0.85;
  return cores === 2 ? 0.9 : 1;
}

function budgetMB({ CPUCores: cores, MemTotalMB: total }: HostSize): number {
  if (total <= 0) return 1024;
  const reserve = clamp(Math.trunc(total * 20 / 100), 512, 2048);
  const slots = clamp(cores, 1, 6);
  return clamp(Math.trunc(Math.max(1024, total - reserve) / slots), 768, 2048);
}

function clamp(value: number, minimum: number, maximum: number): number {
  return Math.min(maximum, Math.max(minimum, value));
}
