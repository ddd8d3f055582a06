import * as assert from "node:assert/strict";
import { plainScan } from "../../core/scanner/plain_scan.ts";
import {
  ErrToolLeaseWaitTimeout,
  LeasePool,
  loadTunables,
  type SystemStats,
} from "../../../core/capacity/mod.ts";
import { ScanFailure } from "../../../core/scans/ports.ts";
import type { Progress } from "../../../cli/progress_bar.ts";
import { scanFiles } from "../../../cli/scan/scan_files.ts";

const HOST: SystemStats = {
  CPUCores: 2,
  LoadAvg1m: 0,
  MemTotalMB: 80_000,
  MemAvailableMB: 70_000,
  DiskFreeMB: 50_000,
};
const { signal } = new AbortController();
const MIB = 2 ** 20;

Deno.test("scanFiles() scans each file under a lease", async (t) => {
  const tunables = loadTunables(() => undefined, HOST);
  const leases = new LeasePool({ tunables, stats: () => HOST });

  await t.step("C 15 returns the outcomes in order, including failures", async () => {
    const reported: Progress[] = [];
    const outcomes = await scanFiles([
      { path: "slow", size: 10 },
      { path: "bad", size: 5 },
      { path: "missing", error: "No such file" },
      { path: "large", size: 64 * MIB },
    ], {
      leases,
      concurrency: 3,
      signal,
      onProgress: (progress) => reported.push(progress),
      async scan({ path }, { onProgress }) {
        if (path === "bad") throw new ScanFailure("Unreadable");
        assert.ok(leases.activeTotal > leases.activeHeavy || path === "large");
        if (path === "large") assert.equal(leases.activeHeavy, 1);
        onProgress(4);
        for (let turn = 0; path === "slow" && turn < 50; turn++) await Promise.resolve();
        return plainScan(path.length);
      },
    });
    assert.deepEqual(outcomes.map((it) => ("error" in it ? it : [it.path, it.scan.size])), [
      ["slow", 4],
      { path: "bad", error: "Unreadable" },
      { path: "missing", error: "No such file" },
      ["large", 5],
    ]);
    assert.deepEqual(reported.at(-1), { files: 4, bytes: 15 + 64 * MIB });
    assert.ok(reported.every(({ bytes }, at) => bytes >= (reported[at - 1]?.bytes ?? 0)));
    assert.deepEqual([leases.activeTotal, leases.waiting], [0, 0]);
  });
  await t.step("runs at most the given number of scans at once", async () => {
    let running = 0;
    let maximum = 0;
    await scanFiles(Array.from({ length: 9 }, (_, at) => ({ path: `${at}`, size: 1 })), {
      leases,
      concurrency: 2,
      signal,
      async scan() {
        maximum = Math.max(maximum, ++running);
        await Promise.resolve();
        running--;
        return plainScan(1);
      },
    });
    assert.equal(maximum, 2);
  });
  await t.step("rejects on an error that the file did not cause", async () => {
    const scanning = scanFiles([{ path: "x", size: 1 }], {
      leases,
      concurrency: 1,
      signal,
      scan: () => Promise.reject(new Error("no worker")),
    });
    await assert.rejects(scanning, /no worker/);
  });
});

Deno.test("C 15 reports a file that gets no lease in time as unscanned", async () => {
  class FullPool extends LeasePool {
    override acquireToolLeaseWithContext(): Promise<never> {
      return Promise.reject(new ErrToolLeaseWaitTimeout("timed out waiting for a lease"));
    }
  }
  const tunables = loadTunables(() => undefined, HOST);
  const leases = new FullPool({ tunables, stats: () => HOST });
  const outcomes = await scanFiles([{ path: "a", size: 1 }, { path: "b", size: 1 }], {
    leases,
    concurrency: 1,
    signal,
    scan: () => Promise.reject(new Error("Must not run")),
  });
  const error = "timed out waiting for a lease";
  assert.deepEqual(outcomes, [{ path: "a", error }, { path: "b", error }]);
});
