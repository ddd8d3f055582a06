import * as assert from "node:assert/strict";
import { loadTunables, readTunables, type Tunables } from "../../../core/capacity/mod.ts";
import { DEFAULTS, HOST } from "./arbitraries.ts";

const SIZE = { CPUCores: 2, MemTotalMB: 8000 };

function reading(variables: Readonly<Record<string, string>>) {
  return readTunables((name) => variables[name.replace("STRONGROOM_", "")], SIZE);
}

Deno.test("C 14 readTunables() reports the source of each tunable", () => {
  const { tunables, origins } = reading({
    CPU_CAUTION_PCT: "55.5",
    HEAVY_TOOL_MEM_LIMIT_MB: "512",
    MAX_INSTANCES: "0",
  });
  assert.deepEqual(
    Object.fromEntries(origins.map(({ name, value }) => [name, value])),
    { ...tunables },
  );
  assert.deepEqual(
    origins.filter(({ source }) => source === "environment"),
    [
      {
        name: "cpuCautionPct",
        variable: "STRONGROOM_CPU_CAUTION_PCT",
        value: 55.5,
        setting: 55.5,
        source: "environment",
      },
      {
        name: "manualMaxInstances",
        variable: "STRONGROOM_MAX_INSTANCES",
        value: 0,
        setting: 0,
        source: "environment",
      },
      {
        name: "HeavyToolMemLimitBytes",
        variable: "STRONGROOM_HEAVY_TOOL_MEM_LIMIT_MB",
        value: 512 * 2 ** 20,
        setting: 512,
        source: "environment",
      },
    ],
  );
  assert.equal(new Set(origins.map(({ variable }) => variable)).size, 11);
});

Deno.test("C 13 and C 14 an invalid tunable gives a warning and the default", () => {
  const defaults = loadTunables(() => undefined, SIZE);
  const rows: [string, string, RegExp][] = [
    ["CPU_CRITICAL_PCT", "90%", /"90%" is not a valid number; using 90$/],
    ["RAM_CRITICAL_MB", "1.5", /"1.5" is not a valid number; using 960$/],
    ["RAM_CAUTION_MB", " 7", /" 7" is not a valid number; using 2000$/],
    ["DISK_CRITICAL_MB", "much", /"much" is not a valid number; using 1024$/],
    ["MAX_INSTANCES", "-3", /"-3" is not a valid number; using 0$/],
    ["HEAVY_TOOL_MEM_LIMIT_MB", "2G", /"2G" is not a valid number; using 0$/],
    ["HEAVY_TOOL_CPU_LOAD", "NaN", /"NaN" is not a valid number; using 0.9$/],
    ["SCAN_MEMORY_BUDGET_MB", "x".repeat(1000), /"x{100}" is not a valid number; using 2048$/],
  ];
  for (const [name, value, warning] of rows) {
    const { tunables, origins } = reading({ [name]: value });
    assert.deepEqual(tunables, defaults, name);
    const [shown = "", ...others] = origins.flatMap((it) => it.warning ?? []);
    assert.match(shown, warning);
    assert.ok(shown.startsWith(`STRONGROOM_${name}: `), shown);
    assert.deepEqual(others, []);
    assert.ok(origins.every(({ source }) => source === "default"));
  }
});

Deno.test("C 14 a tunable below its minimum is raised to it, with a warning", () => {
  const { tunables, origins } = reading({ SCAN_OVERHEAD_MB: "5", SCAN_MEMORY_BUDGET_MB: "1023" });
  assert.deepEqual([tunables.scanOverheadMB, tunables.scanMemoryBudgetMB], [128, 1024]);
  const warnings = origins.flatMap(({ warning }) => warning ?? []);
  assert.match(warnings[0] ?? "", /SCAN_OVERHEAD_MB: "5" is too low; using 128/);
  assert.match(warnings[1] ?? "", /SCAN_MEMORY_BUDGET_MB: "1023" is too low; using 1024/);
  assert.deepEqual(
    reading({ SCAN_OVERHEAD_MB: "128" }).origins.flatMap((it) => it.warning ?? []),
    [],
  );
});

Deno.test("C 14 loadTunables() derives defaults from the host", () => {
  const of = (CPUCores: number, MemTotalMB: number) =>
    loadTunables(() => undefined, { ...HOST, CPUCores, MemTotalMB });
  const rows: [number, number, Partial<Tunables>][] = [
    [1, 1000, {
      ramCautionMB: 512,
      ramCriticalMB: 256,
      heavyToolCPULoad: 0.85,
      scanOverheadMB: 256,
      scanMemoryBudgetMB: 1024,
    }],
    [2, 8000, {
      ramCautionMB: 2000,
      ramCriticalMB: 960,
      heavyToolCPULoad: 0.9,
      scanOverheadMB: 500,
      scanMemoryBudgetMB: 2048,
    }],
    [16, 16_000, {
      ramCautionMB: 4000,
      ramCriticalMB: 1920,
      heavyToolCPULoad: 1,
      scanOverheadMB: 512,
      scanMemoryBudgetMB: 2048,
    }],
    [4, 0, { scanMemoryBudgetMB: 1024, scanOverheadMB: 256 }],
    [6, 8000, { scanMemoryBudgetMB: 1066 }],
  ];
  for (const [cores, total, expected] of rows) {
    const loaded = of(cores, total);
    assert.deepEqual({ ...loaded, ...expected }, loaded, `${cores} cores, ${total} MB`);
  }
  const { cpuCautionPct, cpuCriticalPct, diskCautionMB, diskCriticalMB, manualMaxInstances } =
    DEFAULTS;
  assert.deepEqual(
    [cpuCautionPct, cpuCriticalPct, diskCautionMB, diskCriticalMB, manualMaxInstances],
    [70, 90, 2048, 1024, 0],
  );
  const low = loadTunables((name) => name.endsWith("_MB") ? "1" : undefined, HOST);
  assert.deepEqual([low.scanOverheadMB, low.scanMemoryBudgetMB], [128, 1024]);
  assert.equal(low.HeavyToolMemLimitBytes, 2 ** 20);
});
