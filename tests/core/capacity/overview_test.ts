import * as assert from "node:assert/strict";
import * as v from "valibot";
import {
  capacityOverview,
  type HostCapacity,
  LeasePool,
  readTunables,
  type SystemStats,
} from "../../../core/capacity/mod.ts";
import { CapacityOverview } from "../../../schemas/capacity.ts";

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

Deno.test("C 14 capacityOverview() has the readings, what they allow, and the leases", async () => {
  const quiet = host({ MAX_INSTANCES: "3" });
  const leases = new LeasePool(quiet);
  const signal = new AbortController().signal;
  using lease = await leases.acquireToolLeaseWithContext(signal, true, "TOKEN=s3cret /bin/scan -x");
  const overview = capacityOverview({
    ...quiet,
    leases,
    instances: () => ({ running: 2, recentAdmissions: 1 }),
  });
  v.assert(CapacityOverview, overview);
  assert.deepEqual(overview.readings, STATS);
  assert.equal(overview.level, "CAUTION");
  assert.match(overview.reason, /^CPU high: .*; Disk low: 1500 MB free/);
  assert.deepEqual([overview.instances.running, overview.instances.ceiling], [2, 3]);
  assert.match(overview.instances.detail, /^OK; capacity_mode=manual, running=2,.*admissions=1,/);
  const { HeavyToolSlots, LightToolSlots, Reason, memory_limit } = overview.tools;
  assert.deepEqual([HeavyToolSlots, LightToolSlots, memory_limit], [2, 4, "disabled"]);
  assert.match(Reason, /active=1, active_heavy=1/);
  assert.deepEqual(overview.leases, {
    active_total: 1,
    active_heavy: 1,
    waiting: 0,
    active: [{
      id: lease.id,
      tool_name: "scan",
      heavy: true,
      memory_limit_mb: 0,
      since: new Date(lease.since).toISOString(),
    }],
  });
  assert.equal(overview.tunables.length, 11);
  assert.deepEqual(overview.tunables.find(({ name }) => name === "manualMaxInstances"), {
    name: "manualMaxInstances",
    variable: "STRONGROOM_MAX_INSTANCES",
    value: 3,
    source: "environment",
  });
  assert.equal(capacityOverview(quiet).leases, null);
});
