import * as assert from "node:assert/strict";
import {
  autoHeavyToolMemLimitMB,
  effectiveMaxInstancesForAdmissionStats,
  effectiveMaxInstancesForRunningStats,
  effectiveMaxInstancesForStats,
  envFloat,
  envInt64,
  envOptionalInt,
  ErrToolLeaseWaitTimeout,
  LeasePool,
  Level,
  levelName,
  loadTunables,
  maxLevel,
  perInstanceMemoryBudgetMB,
  type SystemStats,
  toolCapacityForStats,
  toolLogLabel,
  toolMemoryLimitLabel,
  toolMemoryLimitMBForStats,
  toolSlotAdmission,
  type Tunables,
} from "../../core/capacity/mod.ts";
import { MIB } from "../../schemas/units.ts";

const NO_VARIABLES = () => undefined;
const HOST: SystemStats = {
  CPUCores: 8,
  LoadAvg1m: 1,
  MemTotalMB: 16384,
  MemAvailableMB: 11000,
  DiskFreeMB: 100_000,
};

function host(reading: Partial<SystemStats>): SystemStats {
  return { ...HOST, ...reading };
}

function tunables(overrides: Partial<Tunables>): Tunables {
  return { ...loadTunables(NO_VARIABLES, HOST), ...overrides };
}

Deno.test("HC 2 levels are ordered and named", () => {
  assert.ok(Level.OK < Level.CAUTION && Level.CAUTION < Level.CRITICAL);
  assert.deepEqual([0, 1, 2, 3, -1, 0.5].map(levelName), [
    "OK",
    "CAUTION",
    "CRITICAL",
    "UNKNOWN",
    "UNKNOWN",
    "UNKNOWN",
  ]);
  for (const a of Object.values(Level)) {
    for (const b of Object.values(Level)) assert.equal(maxLevel(a, b), Math.max(a, b));
  }
});

Deno.test("HC 2 environment helpers", () => {
  const get = (value: string | undefined) => () => value;
  const floats: [string | undefined, number][] = [
    ["2.5", 2.5],
    ["-1e3", -1000],
    [".5", 0.5],
    ["7", 7],
    ["", 1.5],
    [undefined, 1.5],
    ["x", 1.5],
    ["2.5x", 1.5],
    [" 2.5", 1.5],
    ["NaN", 1.5],
    ["Infinity", 1.5],
    ["0x10", 1.5],
    ["1e999", 1.5],
  ];
  for (const [value, expected] of floats) {
    assert.equal(envFloat("F", 1.5, get(value)), expected, value);
  }
  const integers: [string | undefined, number][] = [
    ["42", 42],
    ["-42", -42],
    ["+1", 1],
    ["0", 0],
    ["", 9],
    [undefined, 9],
    ["4.2", 9],
    ["4 ", 9],
    ["four", 9],
    ["99999999999999999999", 9],
  ];
  for (const [value, expected] of integers) {
    assert.equal(envInt64("I", 9, get(value)), expected, value);
  }
  const optional: [string | undefined, number][] = [
    ["", 0],
    [undefined, 0],
    ["3", 3],
    [" 3 ", 3],
    ["0", 0],
    ["-3", 0],
    ["3.5", 0],
    ["three", 0],
  ];
  for (const [value, expected] of optional) {
    assert.equal(envOptionalInt("O", get(value)), expected, value);
  }
});

Deno.test("HC 8 per-instance memory budget", () => {
  const rows: [limitMiB: number, overhead: number, budget: number, result: number][] = [
    [1500, 700, 2048, 2200],
    [0, 128, 2048, 2048],
    [0, 128, 512, 1024],
  ];
  for (const [limit, scanOverheadMB, scanMemoryBudgetMB, result] of rows) {
    const overrides = { HeavyToolMemLimitBytes: limit * MIB, scanOverheadMB, scanMemoryBudgetMB };
    assert.equal(perInstanceMemoryBudgetMB(tunables(overrides)), result);
  }
});

Deno.test("HC 8 automatic heavy-tool limit", () => {
  for (const [hostMB, result] of [[8192, 1664], [4096, 1024]] as const) {
    const overrides = tunables({ scanMemoryBudgetMB: 2048, scanOverheadMB: 384 });
    assert.equal(autoHeavyToolMemLimitMB(hostMB, overrides), result);
  }
});

Deno.test("HC 8 instance ceilings", async (t) => {
  const first = {
    HeavyToolMemLimitBytes: 1500 * MIB,
    scanOverheadMB: 500,
    scanMemoryBudgetMB: 2048,
    ramCriticalMB: 1000,
  };
  await t.step("HC 8 ForStats: automatic", () => {
    const { ceiling } = effectiveMaxInstancesForStats(host({}), "OK", tunables(first));
    assert.equal(ceiling, 4);
  });
  await t.step("HC 8 ForStats: manual 3", () => {
    const overrides = tunables({ ...first, manualMaxInstances: 3 });
    assert.equal(effectiveMaxInstancesForStats(host({}), "OK", overrides).ceiling, 3);
  });
  await t.step("HC 8 ForStats: no RAM", () => {
    const { ceiling } = effectiveMaxInstancesForStats(
      host({ MemAvailableMB: 500 }),
      "RAM critical",
      tunables(first),
    );
    assert.equal(ceiling, 0);
  });
  const second = {
    HeavyToolMemLimitBytes: 0,
    scanOverheadMB: 256,
    scanMemoryBudgetMB: 1280,
    ramCriticalMB: 2800,
  };
  const large = host({ MemTotalMB: 23500, MemAvailableMB: 9200, DiskFreeMB: 100_000 });
  const running: [string, Partial<SystemStats>, Partial<Tunables>, string, number][] = [
    ["6 running plus 5 headroom", {}, {}, "OK", 11],
    ["manual 8", {}, { manualMaxInstances: 8 }, "OK", 8],
    [
      "manual 20 under RAM pressure",
      { MemAvailableMB: 2000 },
      { manualMaxInstances: 20 },
      "RAM critical",
      20,
    ],
    [
      "manual 20 with a full disk",
      { MemAvailableMB: 2000, DiskFreeMB: 500 },
      { manualMaxInstances: 20 },
      "RAM critical; Disk critical",
      6,
    ],
  ];
  for (const [name, reading, overrides, reason, expected] of running) {
    await t.step(`HC 8 ForRunningStats: ${name}`, () => {
      const { ceiling } = effectiveMaxInstancesForRunningStats(
        { ...large, ...reading },
        6,
        reason,
        tunables({ ...second, ...overrides }),
      );
      assert.equal(ceiling, expected);
    });
  }
  await t.step("HC 8 ForAdmissionStats: manual 20", () => {
    const { ceiling, detail } = effectiveMaxInstancesForAdmissionStats(
      host({ MemAvailableMB: 2000 }),
      5,
      3,
      "RAM critical",
      tunables({
        scanMemoryBudgetMB: 2048,
        scanOverheadMB: 256,
        ramCriticalMB: 2800,
        diskCriticalMB: 1024,
        manualMaxInstances: 20,
      }),
    );
    assert.equal(ceiling, 20);
    assert.match(detail, /capacity_mode=manual/);
    assert.match(detail, /manual_capacity=20/);
  });
  await t.step("HC 8 ForAdmissionStats: headroom is not counted twice", () => {
    for (let n = 0; n <= 5; n++) {
      const { ceiling } = effectiveMaxInstancesForAdmissionStats(
        host({ MemAvailableMB: 9200 }),
        6 + n,
        n,
        "OK",
        tunables(second),
      );
      assert.equal(ceiling, 11);
    }
  });
  await t.step("C 14 the detail lists every input", () => {
    const { detail } = effectiveMaxInstancesForAdmissionStats(large, 7, 1, "OK", tunables(second));
    assert.equal(
      detail,
      "OK; capacity_mode=adaptive, running=7, ram_headroom_slots=5, unreflected_admissions=1, " +
        "available_slots=4, total_ceiling=11, scan_budget=1280MB",
    );
  });
});

const TOOLS = {
  HeavyToolMemLimitBytes: 1024 * MIB,
  ramCriticalMB: 512,
  cpuCriticalPct: 90,
  heavyToolCPULoad: 0.85,
  scanMemoryBudgetMB: 4096,
  scanOverheadMB: 512,
};
const PRESSED = host({ CPUCores: 4, LoadAvg1m: 4.6, MemTotalMB: 7938, MemAvailableMB: 2500 });

Deno.test("HC 8 tool capacity", async (t) => {
  const small = host({ CPUCores: 1, LoadAvg1m: 0.05, MemTotalMB: 4096, MemAvailableMB: 3500 });
  await t.step("HC 8 one core", () => {
    const { HeavyToolSlots } = toolCapacityForStats(small, Level.OK, "OK", 0, 0, tunables(TOOLS));
    assert.equal(HeavyToolSlots, 1);
  });
  await t.step("HC 8 one core with critical CPU", () => {
    const pressed = { ...small, LoadAvg1m: 0.95 };
    const capacity = toolCapacityForStats(
      pressed,
      Level.CRITICAL,
      "CPU critical",
      0,
      0,
      tunables(TOOLS),
    );
    assert.deepEqual([capacity.HeavyToolSlots, capacity.LightToolSlots], [1, 1]);
    assert.match(capacity.Reason, /CPU critical/);
  });
  await t.step("HC 8 four cores, limited by memory", () => {
    const four = host({ CPUCores: 4, LoadAvg1m: 0.1, MemTotalMB: 8192, MemAvailableMB: 1800 });
    const { HeavyToolSlots } = toolCapacityForStats(four, Level.OK, "OK", 0, 0, tunables(TOOLS));
    assert.equal(HeavyToolSlots, 1);
  });
  await t.step("HC 8 CPU pressure takes no slots that RAM allows", () => {
    const overrides = tunables({ ...TOOLS, ramCriticalMB: 1985 });
    const capacity = toolCapacityForStats(PRESSED, Level.CRITICAL, "CPU critical", 0, 0, overrides);
    assert.ok(capacity.HeavyToolSlots >= 1);
    assert.ok(capacity.LightToolSlots >= capacity.HeavyToolSlots);
    for (const heavy of [false, true]) {
      assert.equal(toolSlotAdmission(heavy, capacity, 0, 0).admitted, true);
    }
  });
});

Deno.test("HC 8 slot admission", () => {
  const capacity = { HeavyToolSlots: 1, LightToolSlots: 4, Reason: "OK" };
  const total = toolSlotAdmission(true, capacity, 4, 0);
  assert.deepEqual(total, { admitted: false, reason: "tool slots full: 4/4 (OK)" });
  const heavy = toolSlotAdmission(true, capacity, 3, 1);
  assert.deepEqual(heavy, { admitted: false, reason: "heavy tool slots full: 1/1 (OK)" });
});

Deno.test("HC 8 hard per-tool memory limit", () => {
  assert.equal(
    toolMemoryLimitMBForStats(HOST, true, 1, 1, Level.OK, tunables({ HeavyToolMemLimitBytes: 0 })),
    0,
  );
  assert.equal(toolMemoryLimitLabel(tunables({ HeavyToolMemLimitBytes: 0 })), "disabled");
  const overrides = tunables({ HeavyToolMemLimitBytes: 2048 * MIB, ramCriticalMB: 512 });
  const four = host({ CPUCores: 4, MemTotalMB: 8192, MemAvailableMB: 4608 });
  assert.equal(toolMemoryLimitMBForStats(four, true, 1, 1, Level.OK, overrides), 2048);
  assert.equal(toolMemoryLimitMBForStats(four, true, 2, 2, Level.OK, overrides), 2048);
  const less = { ...four, MemAvailableMB: 3000 };
  assert.ok(toolMemoryLimitMBForStats(less, true, 2, 2, Level.OK, overrides) < 2048);
  assert.equal(toolMemoryLimitLabel(overrides), "2048MB");
});

Deno.test("HC 8 log label", () => {
  const rows: [string, string][] = [
    ["curl -u me:secret https://me:secret@example/", "curl"],
    ["TOKEN=secret KEY='a b' /usr/local/bin/ffmpeg -i secret", "ffmpeg"],
    ["bash -c 'curl -H \"$(cat secret)\"'", "shell"],
    ["/bin/sh -c secret", "shell"],
    ["browser_action secret", "browser_action"],
    ["", "tool"],
    ["   ", "tool"],
    ["timeout 30 x", "x"],
    ["sudo -u root x", "x"],
    ["nice -n 5 x", "x"],
    ["sudo -E nice -5 env -i A=secret nohup timeout -k 5 --signal=KILL 30 time -p command x", "x"],
    ["sudo -- x secret", "x"],
    ["sudo --new-option secret", "tool"],
    ["A=$(cat secret) x", "tool"],
    ["A=`cat secret` x", "tool"],
    ["A=", "tool"],
    ["timeout 30", "tool"],
    ["x;secret", "tool"],
    ['"/opt/my tool/run" secret', "run"],
    ["dir/", "tool"],
  ];
  for (const [command, label] of rows) assert.equal(toolLogLabel(command), label, command);
});

Deno.test("HC 3, 7 and 8 leases", async (t) => {
  const never = new AbortController().signal;
  const pool = (overrides: Partial<Tunables> = {}, reading: Partial<SystemStats> = {}) =>
    new LeasePool({ tunables: tunables(overrides), stats: () => host(reading) });
  /** A pool with one core, which runs one tool at a time. */
  const single = () => pool({ ramCriticalMB: 512 }, { CPUCores: 1, LoadAvg1m: 0 });

  await t.step("HC 8 grants a light tool a lease when none is active", async () => {
    const leases = pool({ cpuCriticalPct: 0 });
    using lease = await leases.acquireToolLeaseWithContext(never, false, "x secret", 10, 0);
    assert.deepEqual([lease.toolName, lease.heavy], ["x", false]);
    assert.deepEqual([leases.activeTotal, leases.activeHeavy], [1, 0]);
  });
  await t.step("HC 3 a release frees the slot once", async () => {
    const leases = pool();
    const heavy = await leases.acquireToolLeaseWithContext(never, true, "h", 10, 0);
    const light = await leases.acquireToolLeaseWithContext(never, false, "l", 10, 0);
    assert.deepEqual([leases.activeTotal, leases.activeHeavy], [2, 1]);
    light.release();
    light.release();
    assert.deepEqual([leases.activeTotal, leases.activeHeavy], [1, 1]);
    heavy.release();
    heavy[Symbol.dispose]();
    assert.deepEqual([leases.activeTotal, leases.activeHeavy], [0, 0]);
  });
  await t.step("HC 7 refuses when the context ends", async () => {
    const leases = single();
    using _held = await leases.acquireToolLeaseWithContext(never, true, "h", 10, 0);
    const cause = new Error("the caller left");
    const controller = new AbortController();
    const waiting = leases.acquireToolLeaseWithContext(controller.signal, true, "w secret", 10, 0);
    assert.equal(leases.waiting, 1);
    controller.abort(cause);
    await assert.rejects(waiting, (error: Error) => {
      assert.match(
        error.message,
        /^w was canceled while waiting for a slot: heavy tool slots full: 1\/1/,
      );
      assert.doesNotMatch(error.message, /refus|secret/i);
      assert.equal(error.cause, cause);
      return true;
    });
    const ended = leases.acquireToolLeaseWithContext(AbortSignal.abort(), false, "w", 10, 0);
    await assert.rejects(ended, /canceled/);
    const late = leases.acquireToolLeaseWithContext(AbortSignal.timeout(1), true, "w", 10_000, 0);
    await assert.rejects(late, /timed out while waiting/);
    assert.deepEqual([leases.waiting, leases.activeTotal], [0, 1]);
  });
  await t.step("HC 7 and 8 refuses after the maximum wait", async () => {
    const leases = single();
    using _held = await leases.acquireToolLeaseWithContext(never, true, "h", 10, 0);
    const waiting = leases.acquireToolLeaseWithContext(never, true, "w", 10_000, 1);
    await assert.rejects(waiting, ErrToolLeaseWaitTimeout);
    assert.deepEqual([leases.waiting, leases.activeTotal], [0, 1]);
  });
  await t.step("HC 8 a maximum wait of 0 waits until a slot is free", async () => {
    const leases = single();
    const held = await leases.acquireToolLeaseWithContext(never, true, "h", 10, 0);
    const waiting = leases.acquireToolLeaseWithContext(never, true, "w", 2 ** 30, 0);
    held.release();
    // The release wakes the waiter: the next poll of the host is days away.
    (await waiting).release();
  });
});
