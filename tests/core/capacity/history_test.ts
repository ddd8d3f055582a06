import * as assert from "node:assert/strict";
import {
  CapacityHistory,
  type HostCapacity,
  readTunables,
  type SystemStats,
} from "../../../core/capacity/mod.ts";

const STATS: SystemStats = {
  CPUCores: 4,
  LoadAvg1m: 1,
  MemTotalMB: 8192,
  MemAvailableMB: 4096,
  DiskFreeMB: 4096,
};

function host(stats: HostCapacity["stats"]): HostCapacity {
  return { stats, ...readTunables(() => undefined, STATS) };
}

Deno.test("C 24 a history keeps the last 120 readings, and adds one of now", async () => {
  let load = 0;
  const reached = Promise.withResolvers<void>();
  using history = new CapacityHistory({
    host: host(() => {
      if (load === 130) reached.resolve();
      return { ...STATS, LoadAvg1m: load++ };
    }),
    queued: () => Promise.resolve(7),
    intervalMs: 1,
  });
  await reached.promise;
  // The reading that was being made is kept by then.
  await new Promise((resolve) => setTimeout(resolve));
  const readings = await history.readings();
  const loads = readings.map(({ readings }) => readings.LoadAvg1m);
  assert.equal(loads.length, 121);
  const [first = 0] = loads;
  assert.ok(first > 0);
  assert.deepEqual(loads, loads.map((_, index) => first + index));
  assert.equal(readings.at(-1)?.waiting, 7);
});

Deno.test("C 24 a history tells of the host while the queue of scans cannot be read", async () => {
  using history = new CapacityHistory({
    host: host(() => STATS),
    queued: () => Promise.reject(new Error("The database is away")),
  });
  const [reading, ...others] = await history.readings();
  assert.deepEqual(others, []);
  assert.deepEqual([reading?.readings, reading?.waiting], [STATS, undefined]);
});
