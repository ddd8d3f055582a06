import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  admissionReason,
  autoHeavyToolMemLimitMB,
  currentLevelForStats,
  effectiveMaxInstancesForAdmissionStats,
  type Lease,
  LeasePool,
  Level,
  loadTunables,
  type SystemStats,
  toolCapacityForStats,
  toolLogLabel,
  toolMemoryLimitMBForStats,
  type Tunables,
} from "../../../core/capacity/mod.ts";
import { Log } from "../../../core/log.ts";

const HOST: SystemStats = {
  CPUCores: 4,
  LoadAvg1m: 0,
  MemTotalMB: 8192,
  MemAvailableMB: 6000,
  DiskFreeMB: 50_000,
};
const DEFAULTS = loadTunables(() => undefined, HOST);

const megabytes = fc.nat({ max: 300_000 });
const readings: fc.Arbitrary<SystemStats> = fc.record({
  CPUCores: fc.integer({ min: 1, max: 128 }),
  LoadAvg1m: fc.double({ min: 0, max: 300, noNaN: true }),
  MemTotalMB: megabytes,
  MemAvailableMB: megabytes,
  DiskFreeMB: megabytes,
});
const settings: fc.Arbitrary<Tunables> = fc.record({
  cpuCautionPct: fc.integer({ min: 0, max: 100 }),
  cpuCriticalPct: fc.integer({ min: 0, max: 100 }),
  ramCautionMB: megabytes,
  ramCriticalMB: megabytes,
  diskCautionMB: megabytes,
  diskCriticalMB: megabytes,
  manualMaxInstances: fc.constantFrom(0, 0, 1, 7),
  heavyToolCPULoad: fc.double({ min: 0.1, max: 4, noNaN: true }),
  scanOverheadMB: fc.integer({ min: 128, max: 4096 }),
  scanMemoryBudgetMB: fc.integer({ min: 1024, max: 8192 }),
  HeavyToolMemLimitBytes: fc.nat({ max: 8192 }).map((mb) => mb * 2 ** 20),
});
const more = fc.nat({ max: 50_000 });
const count = fc.nat({ max: 50 });

/** Checks a property on seeded random values. */
function holds<Values extends [unknown, ...unknown[]]>(
  property: fc.IProperty<Values>,
): void {
  fc.assert(property, { seed: 14, numRuns: 2000 });
}

Deno.test("C 14 instance ceilings", async (t) => {
  const ceiling = (stats: SystemStats, running: number, recent: number, tunables: Tunables) =>
    effectiveMaxInstancesForAdmissionStats(stats, running, recent, "", tunables).ceiling;
  await t.step("C 14 more memory never means fewer instances, and none is negative", () => {
    holds(
      fc.property(
        readings,
        settings,
        count,
        count,
        more,
        (stats, tunables, running, recent, mb) => {
          const less = ceiling(stats, running, recent, tunables);
          const richer = { ...stats, MemAvailableMB: stats.MemAvailableMB + mb };
          assert.ok(0 <= less && less <= ceiling(richer, running, recent, tunables));
        },
      ),
    );
  });
  await t.step("C 14 what runs is never beyond an automatic ceiling", () => {
    holds(fc.property(readings, settings, count, count, (stats, tunables, running, recent) => {
      const automatic = { ...tunables, manualMaxInstances: 0 };
      assert.ok(ceiling(stats, running, recent, automatic) >= running);
    }));
  });
  await t.step("C 14 a full disk admits nothing, in either mode", () => {
    holds(fc.property(readings, settings, count, (stats, tunables, running) => {
      fc.pre(tunables.diskCriticalMB > 1);
      const full = { ...stats, DiskFreeMB: 1 };
      assert.equal(ceiling(full, running, 0, tunables), running);
    }));
  });
  await t.step("C 14 counts that make no sense are taken for what is possible", () => {
    assert.equal(ceiling(HOST, -3, 9, DEFAULTS), ceiling(HOST, 0, 0, DEFAULTS));
    assert.equal(ceiling(HOST, 2, -1, DEFAULTS), ceiling(HOST, 2, 0, DEFAULTS));
  });
});

Deno.test("C 14 tool slots", async (t) => {
  const slots = (stats: SystemStats, tunables: Tunables) =>
    toolCapacityForStats(stats, Level.OK, "", 0, 0, tunables);
  await t.step("C 14 heavy ones are never more than light ones, and none is negative", () => {
    holds(fc.property(readings, settings, (stats, tunables) => {
      const { HeavyToolSlots, LightToolSlots } = slots(stats, tunables);
      assert.ok(0 <= HeavyToolSlots && HeavyToolSlots <= LightToolSlots);
      assert.ok(Number.isInteger(HeavyToolSlots) && Number.isInteger(LightToolSlots));
    }));
  });
  await t.step("C 14 more memory or less load never means fewer", () => {
    holds(fc.property(readings, settings, more, (stats, tunables, mb) => {
      const before = slots(stats, tunables);
      for (
        const better of [
          { ...stats, MemAvailableMB: stats.MemAvailableMB + mb },
          { ...stats, LoadAvg1m: stats.LoadAvg1m / 2 },
        ]
      ) {
        const after = slots(better, tunables);
        assert.ok(after.HeavyToolSlots >= before.HeavyToolSlots);
        assert.ok(after.LightToolSlots >= before.LightToolSlots);
      }
    }));
  });
  await t.step("C 14 one core runs one heavy tool, two run two, others leave one free", () => {
    const rows = [[1, 1], [2, 2], [3, 2], [4, 3], [16, 15]];
    for (const [cores = 1, wanted] of rows) {
      const large = { ...HOST, CPUCores: cores, MemTotalMB: 900_000, MemAvailableMB: 800_000 };
      const tunables = { ...DEFAULTS, heavyToolCPULoad: 0.5 };
      assert.equal(slots(large, tunables).HeavyToolSlots, wanted, `${cores} cores`);
    }
  });
});

Deno.test("C 14 tool memory limits", async (t) => {
  await t.step("C 14 they lie between 128 and the limit, and shrink with more tools", () => {
    holds(fc.property(readings, settings, fc.boolean(), count, (stats, tunables, heavy, tools) => {
      const limit = Math.trunc(tunables.HeavyToolMemLimitBytes / 2 ** 20);
      const of = (total: number) =>
        toolMemoryLimitMBForStats(stats, heavy, total, total, Level.OK, tunables);
      if (limit === 0) assert.equal(of(tools), 0);
      else {
        assert.ok(of(tools) >= 128 && of(tools) <= Math.max(256, limit));
        assert.ok(of(tools + 1) <= of(tools));
      }
    }));
  });
  await t.step("C 14 caution takes a quarter", () => {
    const tunables = { ...DEFAULTS, ramCriticalMB: 2000, HeavyToolMemLimitBytes: 2 ** 40 };
    const of = (level: Level) => toolMemoryLimitMBForStats(HOST, true, 1, 1, level, tunables);
    assert.deepEqual([of(Level.OK), of(Level.CAUTION), of(Level.CRITICAL)], [4000, 3000, 4000]);
  });
  await t.step("C 14 the automatic limit is a quarter of the host, within bounds", () => {
    const roomy = { ...DEFAULTS, scanMemoryBudgetMB: 100_000 };
    const rows = [[0, 256], [2000, 500], [8192, 2048], [1_000_000, 4096]];
    for (const [hostMB = 0, wanted] of rows) {
      assert.equal(autoHeavyToolMemLimitMB(hostMB, roomy), wanted);
    }
    const tight = { ...DEFAULTS, scanMemoryBudgetMB: 1024, scanOverheadMB: 900 };
    assert.equal(autoHeavyToolMemLimitMB(8192, tight), 2048);
  });
});

Deno.test("C 14 levels", async (t) => {
  const tunables = {
    ...DEFAULTS,
    ramCautionMB: 2000,
    ramCriticalMB: 1000,
    diskCautionMB: 2048,
    diskCriticalMB: 1024,
  };
  const rows: [Partial<SystemStats>, Level, string, string][] = [
    [{}, Level.OK, "OK", "OK"],
    [{ LoadAvg1m: 2.8 }, Level.CAUTION, "CPU high: load 2.80 on 4 cores", "OK"],
    [{ LoadAvg1m: 3.6 }, Level.CRITICAL, "CPU critical: load 3.60 on 4 cores", "OK"],
    [
      { MemAvailableMB: 1999 },
      Level.CAUTION,
      "RAM low: 1999 MB available, below 2000 MB",
      "RAM low: 1999 MB available, below 2000 MB",
    ],
    [
      { MemAvailableMB: 999, DiskFreeMB: 2000 },
      Level.CRITICAL,
      "RAM critical: 999 MB available, below 1000 MB; Disk low: 2000 MB free, below 2048 MB",
      "RAM critical: 999 MB available, below 1000 MB",
    ],
    [
      { DiskFreeMB: 1023 },
      Level.CRITICAL,
      "Disk critical: 1023 MB free, below 1024 MB",
      "Disk critical: 1023 MB free, below 1024 MB",
    ],
    [{ LoadAvg1m: 2.79, MemAvailableMB: 2000, DiskFreeMB: 2048 }, Level.OK, "OK", "OK"],
  ];
  for (const [reading, level, reason, admission] of rows) {
    await t.step(`C 14 ${reason}`, () => {
      const stats = { ...HOST, ...reading };
      assert.deepEqual(currentLevelForStats(stats, tunables), { level, reason });
      assert.equal(admissionReason(stats, tunables), admission);
    });
  }
});

Deno.test("C 14 the defaults of the tunables suit the host", () => {
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
  for (const [cores, total, wanted] of rows) {
    const loaded = of(cores, total);
    assert.deepEqual({ ...loaded, ...wanted }, loaded, `${cores} cores, ${total} MB`);
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

Deno.test("C 14 no argument is ever in a label", () => {
  const secret = "S3CRET";
  const value = fc.constantFrom(
    secret,
    `"${secret} ${secret}"`,
    `'${secret}'`,
    `'"${secret} '`,
    `a\\ ${secret}`,
    `$(cat ${secret} x)`,
    `"$(cat ${secret} x)"`,
    `\`${secret} b\``,
    `<(${secret} b)`,
    `$\{${secret}}`,
  );
  const wrappers: Record<string, string[]> = {
    "sudo": ["-E", "-nE", "-u V", "--user V", "--user=V", "-uV", "-Ep V", "--new V", "-Z V"],
    "/usr/bin/env": ["-i", "-u V", "--unset=V", "-S V"],
    "time": ["-p", "-f V", "--output V", "-pf V"],
    "nice": ["-n V", "-5", "--adjustment V"],
    "command": ["-p"],
    "nohup": ["--new V"],
    "timeout": ["-k V", "--signal=V", "--foreground"],
  };
  const assignment = value.map((it) => `TOKEN=${it}`);
  const wrapper = fc.constantFrom(...Object.keys(wrappers)).chain((name) =>
    fc.array(fc.constantFrom(...wrappers[name] ?? []), { maxLength: 3 }).chain((options) =>
      fc.array(value, { minLength: 3, maxLength: 3 }).map((values) => {
        const given = options.map((option, at) => option.replace("V", () => values[at] ?? ""));
        return [name, ...given, ...name === "timeout" ? ["2.5s"] : []].join(" ");
      })
    )
  );
  const line = fc.tuple(
    fc.array(fc.oneof(assignment, wrapper), { maxLength: 5 }),
    fc.constantFrom("prog", "/opt/bin/prog", "bash -c", '"prog"', "-- prog"),
    fc.array(value, { maxLength: 3 }),
    fc.constantFrom(" ", "  ", "\t", "\n"),
  ).map(([before, program, values, space]) => [...before, program, ...values].join(space));
  const labels = new Map<string, number>();
  holds(fc.property(line, fc.nat(), (command, cut) => {
    const label = toolLogLabel(command);
    labels.set(label, (labels.get(label) ?? 0) + 1);
    assert.ok(["prog", "shell", "tool", "--"].includes(label), `${label} of ${command}`);
    // Cut off anywhere it is no command line any more, and tells no more.
    const part = command.slice(0, cut % command.length);
    assert.doesNotMatch(toolLogLabel(part), /S3CRET/, part);
  }));
  for (const label of ["prog", "shell", "tool"]) assert.ok((labels.get(label) ?? 0) > 100, label);
});

Deno.test("C 14 leases", async (t) => {
  const never = new AbortController().signal;
  const IDLE = 2 ** 30;
  /** Two cores carry two heavy tools and four light ones. */
  const reading = { ...HOST, CPUCores: 2, MemTotalMB: 80_000, MemAvailableMB: 70_000 };
  const options = { tunables: loadTunables(() => undefined, reading), stats: () => reading };

  await t.step("C 14 first come, first served, among heavy and among light ones", async () => {
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
  });
  await t.step("C 14 ten thousand waiters, some of whom give up", async () => {
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
  await t.step("C 14 a change of the host is seen at the next look", async () => {
    let available = 100;
    const stats = () => ({ ...reading, MemAvailableMB: available });
    const pool = new LeasePool({ ...options, stats });
    const waiting = pool.acquireToolLeaseWithContext(never, false, "x", 1, 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(pool.waiting, 1);
    available = 70_000;
    (await waiting).release();
  });
  await t.step("C 14 a host that can't be read admits nobody, and is said in the log", async () => {
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
    "C 14 a lease says its memory limit, with the tools that run beside it",
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
