import * as assert from "node:assert/strict";
import { LeasePool, readTunables } from "../../../core/capacity/mod.ts";
import { untilAborted } from "../../../core/event_loop.ts";
import { Log } from "../../../core/log.ts";
import { EarlyScan, type EarlyScanOptions } from "../../../core/scans/early_scan.ts";
import { ScanLeases } from "../../../core/scans/scan_leases.ts";
import { SharedScans } from "../../../core/scans/shared_scans.ts";
import { ScanTotals } from "../../../core/scans/totals.ts";
import { MIB } from "../../../schemas/units.ts";
import { plainScan } from "../scanner/plain_scan.ts";

const HOST = {
  CPUCores: 2,
  LoadAvg1m: 0,
  MemTotalMB: 80_000,
  MemAvailableMB: 70_000,
  DiskFreeMB: 50_000,
};
const FILE = { userId: 1, path: "/tmp/1", name: "w.bin", size: 20 * MIB };
const CONTENT = { hash: "a".repeat(32) };
const NEVER = new AbortController().signal;

/** An early scan that reads until it is ended, and what is said of it. */
function scanOf(overrides: Partial<EarlyScanOptions> = {}) {
  const lines: string[] = [];
  const log = new Log({ level: "debug", format: "json", write: (line) => lines.push(line) });
  const host = { stats: () => HOST, ...readTunables(() => undefined, HOST) };
  const leases = new LeasePool({ ...host, log });
  const aborted = Promise.withResolvers<void>();
  let kept = 0;
  const early = new EarlyScan({
    scans: { keepContentResult: () => Promise.resolve(++kept > 0) },
    files: {
      scanArriving(_file, { signal }) {
        signal.addEventListener("abort", () => aborted.resolve());
        return untilAborted(new Promise<never>(() => {}), signal);
      },
    },
    leases: new ScanLeases({ ...host, leases, log }),
    ...{ shared: new SharedScans(), totals: new ScanTotals(), log },
    hasRoom: () => true,
    publish: () => Promise.resolve(),
    ...overrides,
  }, FILE);
  return { early, lines, leases, aborted: aborted.promise, kept: () => kept };
}

Deno.test("C 28 an early scan that waits for too long gives its lease back, and holds up nothing", async () => {
  const { early, leases, lines, aborted, kept } = scanOf({ maxWaitMs: 20 });
  await using _early = early;
  early.arrived(MIB);
  await aborted;
  // It does not begin again.
  early.arrived(2 * MIB);
  early.isWhole(CONTENT);
  await early.stored(NEVER);
  assert.equal(kept(), 0);
  assert.equal(leases.activeTotal, 0);
  assert.deepEqual(lines, []);
});

Deno.test("C 28 a result that cannot be kept is said in the log, and fails nothing", async () => {
  const { early, lines } = scanOf({
    scans: { keepContentResult: () => Promise.reject(new RangeError("the disk is full")) },
    files: { scanArriving: () => Promise.resolve(plainScan(FILE.size)) },
  });
  await using _early = early;
  early.arrived(MIB);
  early.isWhole(CONTENT);
  await early.stored(NEVER);
  assert.match(lines.join(), /Cannot keep a result.*the disk is full/);
});

Deno.test("C 15 an early scan begins when requested scans leave room", async () => {
  for (const hasRoom of [false, true]) {
    const { early, kept } = scanOf({
      hasRoom: () => hasRoom,
      files: { scanArriving: () => Promise.resolve(plainScan(FILE.size)) },
    });
    await using _early = early;
    early.arrived(MIB);
    early.isWhole(CONTENT);
    await early.stored(NEVER);
    assert.equal(kept(), hasRoom ? 1 : 0);
  }
});
