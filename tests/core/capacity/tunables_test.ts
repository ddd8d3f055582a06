import * as assert from "node:assert/strict";
import { loadTunables, readTunables } from "../../../core/capacity/mod.ts";

const SIZE = { CPUCores: 2, MemTotalMB: 8000 };

function reading(variables: Readonly<Record<string, string>>) {
  return readTunables((name) => variables[name.replace("STRONGROOM_", "")], SIZE);
}

Deno.test("C 14 each tunable says where it comes from", () => {
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

Deno.test("C 13 and C 14 a bad tunable is complained of, and the default taken", () => {
  const defaults = loadTunables(() => undefined, SIZE);
  const rows: [string, string, RegExp][] = [
    ["CPU_CRITICAL_PCT", "90%", /"90%" .*, 90 is used/],
    ["RAM_CRITICAL_MB", "1.5", /"1.5" .*, 960 is used/],
    ["RAM_CAUTION_MB", " 7", /" 7" .*, 2000 is used/],
    ["DISK_CRITICAL_MB", "much", /"much" .*, 1024 is used/],
    ["MAX_INSTANCES", "-3", /"-3" .*, 0 is used/],
    ["HEAVY_TOOL_MEM_LIMIT_MB", "2G", /"2G" .*, 0 is used/],
    ["HEAVY_TOOL_CPU_LOAD", "NaN", /"NaN" .*, 0.9 is used/],
    ["SCAN_MEMORY_BUDGET_MB", "x".repeat(1000), /"x{100}" .*, 2048 is used/],
  ];
  for (const [name, value, complaint] of rows) {
    const { tunables, origins } = reading({ [name]: value });
    assert.deepEqual(tunables, defaults, name);
    const [told = "", ...others] = origins.flatMap((it) => it.complaint ?? []);
    assert.match(told, complaint);
    assert.ok(told.startsWith(`STRONGROOM_${name}: `), told);
    assert.deepEqual(others, []);
    assert.ok(origins.every(({ source }) => source === "default"));
  }
});

Deno.test("C 14 a tunable below the least value is raised to it, and complained of", () => {
  const { tunables, origins } = reading({ SCAN_OVERHEAD_MB: "5", SCAN_MEMORY_BUDGET_MB: "1023" });
  assert.deepEqual([tunables.scanOverheadMB, tunables.scanMemoryBudgetMB], [128, 1024]);
  const complaints = origins.flatMap(({ complaint }) => complaint ?? []);
  assert.match(complaints[0] ?? "", /SCAN_OVERHEAD_MB: "5" is too low, 128 is used/);
  assert.match(complaints[1] ?? "", /SCAN_MEMORY_BUDGET_MB: "1023" is too low, 1024 is used/);
  assert.deepEqual(
    reading({ SCAN_OVERHEAD_MB: "128" }).origins.flatMap((it) => it.complaint ?? []),
    [],
  );
});
