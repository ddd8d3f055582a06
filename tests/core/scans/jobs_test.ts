import * as assert from "node:assert/strict";
import { plainScan } from "../scanner/plain_scan.ts";
import { LeasePool, readTunables, type SystemStats } from "../../../core/capacity/mod.ts";
import { DamageLog } from "../../../core/damage.ts";
import { untilAborted } from "../../../core/event_loop.ts";
import { Log } from "../../../core/log.ts";
import { ScanLeases } from "../../../core/scans/scan_leases.ts";
import { SharedScans } from "../../../core/scans/shared_scans.ts";
import { ScanTotals } from "../../../core/scans/totals.ts";
import { LocalQueue } from "../../../core/scans/local_queue.ts";
import { ScanJobs } from "../../../core/scans/jobs.ts";
import { type Scan, ScanFailure, type ScanStore } from "../../../core/scans/ports.ts";

const HOST: SystemStats = {
  CPUCores: 2,
  LoadAvg1m: 0,
  MemTotalMB: 80_000,
  MemAvailableMB: 70_000,
  DiskFreeMB: 50_000,
};

const QUEUED: Scan = {
  id: 1,
  userId: 1,
  requestedBy: 1,
  status: "queued",
  paths: ["a"],
  pathsTotal: 1,
  skip: [],
  createdAt: 0,
  startedAt: null,
  finishedAt: null,
  filesTotal: 3,
  filesScanned: 0,
  bytesTotal: 30,
  bytesScanned: 0,
  issues: { critical: 0, warning: 0, info: 0, debug: 0 },
  error: null,
};

/** Jobs on a fake store: every scan has three files, and the scan of the last one never ends. */
function jobsOn(stats: SystemStats, overrides: Partial<ScanStore> = {}) {
  const scans: ScanStore = {
    create: () => Promise.resolve(QUEUED),
    find: () => Promise.resolve(QUEUED),
    paths: () => Promise.resolve(QUEUED.paths),
    list: () => Promise.resolve([]),
    requeue: () => Promise.resolve([]),
    start: () => Promise.resolve(),
    async *files() {
      for (const name of ["1", "2", "endless"]) {
        yield [{ userId: 1, path: name, name, hash: name.padStart(32, "0"), size: 10 }];
      }
    },
    hasResult: () => Promise.resolve(false),
    prospectOf: () => Promise.resolve({ isHeld: true, sha256: undefined, former: undefined }),
    beginAttempt: () => Promise.resolve("begun"),
    endAttempt: () => Promise.resolve(),
    withdrawAttempt: () => Promise.resolve(),
    keepResult: () => Promise.resolve(true),
    keepContentResult: () => Promise.resolve(true),
    failContent: () => Promise.resolve(true),
    failFile: () => Promise.resolve(true),
    complete: (id) => Promise.resolve({ ...QUEUED, id, status: "completed" }),
    end: (scan, status) => Promise.resolve({ ...QUEUED, ...scan, status }),
    report: () => Promise.resolve(undefined),
    sarif: () => Promise.resolve(undefined),
    remove: () => Promise.resolve(),
    removeEnded: () => Promise.resolve(0),
    ...overrides,
  };
  const host = { stats: () => stats, ...readTunables(() => undefined, stats) };
  const endless = Promise.withResolvers<void>();
  const log = new Log({ level: "error", format: "json", write() {} });
  const jobs = new ScanJobs({
    scans,
    queue: new LocalQueue(scans),
    contents: {
      async scan({ hash, name }, { signal }) {
        if (name === "endless") {
          endless.resolve();
          await untilAborted(new Promise<never>(() => {}), signal);
        }
        return plainScan(10, hash);
      },
    },
    host,
    leases: new ScanLeases({ ...host, leases: new LeasePool(host), log }),
    events: { publish() {} },
    shared: new SharedScans(),
    totals: new ScanTotals(),
    log,
    damage: new DamageLog(log),
  });
  return { jobs, endless: endless.promise };
}

const NO_MEMORY = { ...HOST, MemAvailableMB: 1 };
const NEVER = new AbortController().signal;

Deno.test("C 15 cancel()", async (t) => {
  await t.step("C 15 keeps the progress of a running scan", async () => {
    const { jobs, endless } = jobsOn(HOST);
    await using _jobs = jobs;
    const finished = jobs.finished(1, NEVER);
    jobs.enqueue(QUEUED);
    await endless;
    while ((jobs.current(QUEUED)).filesScanned < 2) await Promise.resolve();
    assert.equal(await jobs.cancel(1), true);
    const { status, filesScanned, bytesScanned } = await finished ?? QUEUED;
    assert.deepEqual([status, filesScanned, bytesScanned], ["cancelled", 2, 20]);
    assert.deepEqual(jobs.instances, { running: 0, recentAdmissions: 0 });
  });
  await t.step("C 15 ends a scan whose report is being built", async () => {
    const building = Promise.withResolvers<void>();
    const { jobs } = jobsOn(HOST, {
      async *files() {},
      complete: (_id, _now, signal) => {
        building.resolve();
        return untilAborted(new Promise<never>(() => {}), signal);
      },
    });
    await using _jobs = jobs;
    const finished = jobs.finished(1, NEVER);
    jobs.enqueue(QUEUED);
    await building.promise;
    assert.equal(await jobs.cancel(1), true);
    assert.equal((await finished)?.status, "cancelled");
  });
  await t.step("C 15 ends a queued scan, and returns true to two calls at once", async () => {
    const { jobs } = jobsOn(NO_MEMORY);
    await using _jobs = jobs;
    jobs.enqueue(QUEUED);
    assert.deepEqual(await Promise.all([jobs.cancel(1), jobs.cancel(1)]), [true, true]);
    assert.equal(await jobs.cancel(1), false);
  });
  await t.step("leaves a scan in the queue when the store fails", async () => {
    const end = () => Promise.reject(new Error("The disk is full"));
    const { jobs } = jobsOn(NO_MEMORY, { end });
    await using _jobs = jobs;
    for (const id of [1, 2, 3]) jobs.enqueue({ ...QUEUED, id });
    await assert.rejects(jobs.cancel(2), /full/);
    assert.equal(await jobs.queued(), 3);
    await assert.rejects(jobs.cancel(2), /full/);
  });
});

Deno.test("C 15 a failed scan shows its owner the reason, but no internals", async (t) => {
  const rows: [Error, string][] = [
    [new ScanFailure("The report is too large"), "The report is too large"],
    [new Error("/data/x is damaged"), "Internal error; see the log"],
  ];
  for (const [failure, shown] of rows) {
    await t.step(shown, async () => {
      const { jobs } = jobsOn(HOST, {
        async *files() {},
        complete: () => Promise.reject(failure),
        end: (scan, status, _, error) =>
          Promise.resolve({ ...QUEUED, ...scan, status, error: error ?? null }),
      });
      await using _jobs = jobs;
      const finished = jobs.finished(1, NEVER);
      jobs.enqueue(QUEUED);
      const { status, error } = await finished ?? QUEUED;
      assert.deepEqual([status, error], ["failed", shown]);
    });
  }
});

Deno.test("stop() ends the wait for queued scans, and later waits at once", async () => {
  const { jobs } = jobsOn(NO_MEMORY);
  jobs.enqueue(QUEUED);
  const before = jobs.finished(1, NEVER);
  await jobs.stop();
  assert.deepEqual([await before, await jobs.finished(1, NEVER)], [undefined, undefined]);
});
