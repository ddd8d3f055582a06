import * as assert from "node:assert/strict";
import { plainScan } from "../../core/scanner/plain_scan.ts";
import {
  ErrToolLeaseWaitTimeout,
  LeasePool,
  loadTunables,
  type SystemStats,
} from "../../../core/capacity/mod.ts";
import { ScanFailure } from "../../../core/scans/ports.ts";
import { ProgressBar, progressLine } from "../../../cli/scan/progress_bar.ts";
import { scanFiles, type ScanProgress } from "../../../cli/scan/scan_files.ts";

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
    const reported: ScanProgress[] = [];
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
      async scan(path, onProgress) {
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

Deno.test("ProgressBar", async (t) => {
  const view = {
    done: { files: 3, bytes: 250_000_000 },
    total: { files: 12, bytes: 1_000_000_000 },
    seconds: 2,
    width: 200,
  };
  await t.step("shows the share, the rate and the remaining time", () => {
    assert.equal(
      progressLine(view),
      "[######------------------] 3/12 files, 238.4 MiB of 953.7 MiB, 119.2 MiB/s, 6 s left",
    );
    assert.equal(
      progressLine({ ...view, seconds: 2000 }).split(", ").at(-1),
      "1 h 40 min left",
    );
    assert.match(progressLine({ ...view, seconds: 200 }), /10 min 0 s left/);
  });
  await t.step("shows no bytes, no files and a narrow terminal", () => {
    const none = { files: 0, bytes: 0 };
    assert.equal(
      progressLine({ ...view, done: none, seconds: 0 }),
      "[------------------------] 0/12 files, 0 bytes of 953.7 MiB, 0 bytes/s",
    );
    assert.match(progressLine({ ...view, total: none }), /^\[#{24}\]/);
    assert.equal(progressLine({ ...view, width: 10 }).length, 10);
  });
  await t.step("draws one line, and erases it", () => {
    const written: string[] = [];
    const bar = new ProgressBar([{ path: "a", size: 4 }, { path: "b", error: "no" }], {
      write: (text) => written.push(text),
      columns: () => 80,
    });
    bar.show({ files: 1, bytes: 2 });
    bar.show({ files: 1, bytes: 3 });
    bar.clear();
    assert.equal(written.length, 2);
    const begin = `\r\x1b[K[${"#".repeat(12)}${"-".repeat(12)}] 1/2 files, 2 bytes of 4 bytes`;
    assert.equal(written[0]?.slice(0, begin.length), begin);
    assert.equal(written[1], "\r\x1b[K");
    // Without a terminal it writes nothing.
    new ProgressBar([], undefined).show({ files: 0, bytes: 0 });
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
