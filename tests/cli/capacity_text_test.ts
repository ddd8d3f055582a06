import * as assert from "node:assert/strict";
import { overviewText } from "../../cli/capacity_text.ts";
import {
  capacityOverview,
  type HostCapacity,
  LeasePool,
  readTunables,
  type SystemStats,
} from "../../core/capacity/mod.ts";

const STATS: SystemStats = {
  CPUCores: 2,
  LoadAvg1m: 1.5,
  MemTotalMB: 8000,
  MemAvailableMB: 6000,
  DiskFreeMB: 1500,
};

function host(variables: Readonly<Record<string, string>> = {}): HostCapacity {
  const get = (name: string) => variables[name.replace("STRONGROOM_", "")];
  return { stats: () => STATS, ...readTunables(get, STATS) };
}

Deno.test("overviewText()", async (t) => {
  const quiet = host({ MAX_INSTANCES: "3" });
  const leases = new LeasePool(quiet);
  const signal = new AbortController().signal;
  using _lease = await leases.acquireToolLeaseWithContext(signal, true, "scan");
  const overview = capacityOverview({ ...quiet, leases });
  await t.step("writes one line per reading, ceiling, slot count and lease", () => {
    const text = overviewText(overview, { bars: false });
    for (
      const line of [
        /^Level {7}CAUTION: CPU high: load 1.50 on 2 cores; Disk low/,
        /^CPU {9}load 1.50 on 2 cores$/,
        /^Memory {6}5.9 GiB of 7.8 GiB available$/,
        /^Disk {8}1.5 GiB free, critical below 1.0 GiB$/,
        /^Scans {7}0 running, 3 may run at once$/,
        /^Heavy tools 1 of 2 slots taken$/,
        /^All tools {3}1 of 4 slots taken$/,
        /^Leases {6}1 held, 0 waiting$/,
        /^ {12}1 {2}scan {2}heavy {2}since 20..-..-..T/,
        /^Tunables {4}cpuCautionPct +70 {2}\(default, set by STRONGROOM_CPU_CAUTION_PCT\)$/,
        /^ {12}manualMaxInstances +3 {2}\(from STRONGROOM_MAX_INSTANCES\)$/,
      ]
    ) assert.match(text, new RegExp(line, "m"));
  });
  await t.step("draws bars, and omits tunables at their default", () => {
    const text = overviewText(overview, { bars: true });
    assert.match(text, /^CPU {9}\[#{23}-{7}\] load 1.50/m);
    assert.match(text, /^Memory {6}\[#{8}-{22}\] 5.9 GiB/m);
    assert.match(text, /^Heavy tools \[#{15}-{15}\] 1 of 2/m);
    assert.match(text, /^Tunables {4}manualMaxInstances/m);
    assert.doesNotMatch(text, /default/);
    assert.ok(text.split("\n").length < 20);
  });
  await t.step("fills a bar at most, and limits the list of leases", () => {
    const loaded = { ...overview, readings: { ...overview.readings, LoadAvg1m: 9 } };
    assert.match(overviewText(loaded, { bars: true }), /^CPU {9}\[#{30}\] load 9.00/m);
    assert.ok(overview.leases);
    const active = Array.from({ length: 25 }, () => overview.leases?.active ?? []).flat();
    const many = { ...overview, leases: { ...overview.leases, active } };
    assert.match(overviewText(many, { bars: true }), /^ {12}and 5 more$/m);
  });
  await t.step("shows when no server replied", () => {
    const text = overviewText(capacityOverview(quiet), { bars: false });
    assert.match(text, /^Heavy tools 2 slots$/m);
    assert.match(text, /^Leases {6}unknown: no server replied$/m);
  });
});
