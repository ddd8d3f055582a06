import * as assert from "node:assert/strict";
import { type Lease, LeasePool, loadTunables } from "../../../core/capacity/mod.ts";
import { Log } from "../../../core/log.ts";
import { HOST } from "./arbitraries.ts";

Deno.test("C 14 leases", async (t) => {
  const never = new AbortController().signal;
  const IDLE = 2 ** 30;
  /** Two cores carry two heavy tools and four light ones. */
  const reading = { ...HOST, CPUCores: 2, MemTotalMB: 80_000, MemAvailableMB: 70_000 };
  const options = { tunables: loadTunables(() => undefined, reading), stats: () => reading };

  await t.step(
    "C 14 are granted in order of arrival, for heavy and light tools separately",
    async () => {
      const pool = new LeasePool(options);
      const order: string[] = [];
      const held: Lease[] = [];
      const work = [..."hlhlhlhlhlhl"].map(async (kind, index) => {
        const heavy = kind === "h";
        const lease = await pool.acquireToolLeaseWithContext(
          never,
          heavy,
          `${kind}${index}`,
          IDLE,
          0,
        );
        order.push(lease.toolName);
        held.push(lease);
        assert.ok(pool.activeHeavy <= 2 && pool.activeTotal <= 4);
      });
      for (let released = 0; released < work.length; released++) {
        while (held.length === 0) await Promise.resolve();
        held.shift()?.release();
      }
      await Promise.all(work);
      for (const kind of ["h", "l"]) {
        const own = order.filter((name) => name.startsWith(kind)).map((name) =>
          Number(name.slice(1))
        );
        assert.deepEqual(own, own.toSorted((a, b) => a - b), order.join());
      }
      assert.deepEqual([pool.waiting, pool.activeTotal, pool.activeHeavy], [0, 0, 0]);
    },
  );
  await t.step("C 14 are granted to ten thousand waiters, a third of which abort", async () => {
    const pool = new LeasePool(options);
    const first = await pool.acquireToolLeaseWithContext(never, true, "x", IDLE, 0);
    const second = await pool.acquireToolLeaseWithContext(never, true, "x", IDLE, 0);
    const controllers = Array.from({ length: 10_000 }, () => new AbortController());
    let granted = 0;
    const waiting = controllers.map(async ({ signal }) => {
      using _lease = await pool.acquireToolLeaseWithContext(signal, true, "x", IDLE, 0);
      granted++;
    });
    assert.equal(pool.waiting, 10_000);
    for (const [index, controller] of controllers.entries()) {
      if (index % 3 === 0) controller.abort();
    }
    first.release();
    second.release();
    const outcomes = await Promise.allSettled(waiting);
    assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 3334);
    assert.equal(granted, 6666);
    assert.deepEqual([pool.waiting, pool.activeTotal, pool.activeHeavy], [0, 0, 0]);
  });
  await t.step("C 14 are granted when a poll finds the host changed", async () => {
    let available = 100;
    const stats = () => ({ ...reading, MemAvailableMB: available });
    const pool = new LeasePool({ ...options, stats });
    const waiting = pool.acquireToolLeaseWithContext(never, false, "x", 1, 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(pool.waiting, 1);
    available = 70_000;
    (await waiting).release();
  });
  await t.step("C 14 are not granted while the host cannot be read, which is logged", async () => {
    const lines: string[] = [];
    let broken = true;
    const pool = new LeasePool({
      ...options,
      stats() {
        if (broken) throw new Error("no statfs");
        return reading;
      },
      log: new Log({ level: "info", format: "json", write: (line) => lines.push(line) }),
    });
    const waiting = pool.acquireToolLeaseWithContext(never, false, "x", 1, 0);
    assert.equal(pool.activeTotal, 0);
    broken = false;
    (await waiting).release();
    assert.match(lines.join("\n"), /no statfs/);
  });
  await t.step(
    "C 14 have a memory limit that depends on the other active tools",
    async () => {
      const limited = { ...options.tunables, HeavyToolMemLimitBytes: 50_000 * 2 ** 20 };
      const pool = new LeasePool({ ...options, tunables: limited });
      const first = await pool.acquireToolLeaseWithContext(never, true, "x", IDLE, 0);
      const second = await pool.acquireToolLeaseWithContext(never, true, "x", IDLE, 0);
      assert.equal(first.memoryLimitMB, 50_000);
      assert.ok(second.memoryLimitMB < 35_000 && second.memoryLimitMB > 25_000);
      assert.deepEqual(pool.active.map(({ id }) => id), [first.id, second.id]);
    },
  );
});
