import * as assert from "node:assert/strict";
import {
  LeasePool,
  loadTunables,
  type MemoryLimiter,
  PRLIMIT,
  type SystemStats,
  ToolRunner,
  type ToolRunnerOptions,
  ULIMIT,
} from "../../../core/capacity/mod.ts";
import { Log } from "../../../core/log.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram } from "../../support/tools.ts";
import { until } from "../../support/until.ts";

const HOST: SystemStats = {
  CPUCores: 2,
  LoadAvg1m: 0,
  MemTotalMB: 80_000,
  MemAvailableMB: 70_000,
  DiskFreeMB: 50_000,
};
const GRACE_MS = 20;
const never = new AbortController().signal;
const heavy = { signal: never, heavy: true };

/** A runner on a host that never changes, with a hard limit of so many MB. */
function runner(limitMB = 0, options: Partial<ToolRunnerOptions> = {}) {
  const tunables = {
    ...loadTunables(() => undefined, HOST),
    HeavyToolMemLimitBytes: limitMB * 2 ** 20,
  };
  const lines: string[] = [];
  const log = new Log({ level: "warn", format: "json", write: (line) => lines.push(line) });
  const leases = new LeasePool({ tunables, stats: () => HOST });
  const tools = new ToolRunner({ leases, log, graceMs: GRACE_MS, ...options });
  return { leases, lines, tools };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

/** Whether a process runs; one that has ended and waits for its parent does not. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    return !/^\d+ \(.*\) Z/.test(await Deno.readTextFile(`/proc/${pid}/stat`));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test("a tool runs under a lease, which it gives back", async (t) => {
  await t.step("C 14 with its exit code and its output", async () => {
    const { tools, leases } = runner();
    const running = tools.run(["sh", "-c", "echo out; echo err >&2; exit 7"], heavy);
    const [lease] = leases.active;
    assert.deepEqual([lease?.toolName, lease?.heavy], ["shell", true]);
    const outcome = await running;
    assert.deepEqual([outcome.code, outcome.signal, outcome.truncated], [7, null, false]);
    assert.deepEqual([text(outcome.stdout), text(outcome.stderr)], ["out", "err"]);
    assert.equal(leases.activeTotal, 0);
  });
  await t.step("C 14 known by its label", async () => {
    const { tools, leases } = runner();
    const running = tools.run(["env", "TOKEN=it's a secret", "true"], heavy);
    assert.deepEqual(leases.active.map(({ toolName }) => toolName), ["true"]);
    await running;
  });
  await t.step("finds nothing of this process's environment, and what it is given", async () => {
    const { tools } = runner();
    const { stdout } = await tools.run(["env"], { ...heavy, env: { MODEL: "x" }, cwd: "/" });
    assert.deepEqual(text(stdout).split("\n").map((line) => line.split("=")[0]).sort(), [
      "MODEL",
      "PATH",
    ]);
  });
  await t.step("keeps no more output than it may, and reads the rest", async () => {
    const { tools } = runner();
    const outcome = await tools.run(["head", "-c", "1000000", "/dev/zero"], {
      ...heavy,
      maxOutputBytes: 1000,
    });
    assert.deepEqual([outcome.code, outcome.stdout.length, outcome.truncated], [0, 1000, true]);
  });
  await t.step("a program that is not there leaves no lease behind", async () => {
    const { tools, leases } = runner();
    await assert.rejects(tools.run(["no-such-program"], heavy), Deno.errors.NotFound);
    assert.equal(leases.activeTotal, 0);
  });
});

Deno.test("C 14 a tool has the hard memory limit of its lease", async (t) => {
  const limiters: [string, MemoryLimiter][] = [["prlimit", PRLIMIT], ["ulimit", ULIMIT]];
  for (const [name, limiter] of limiters) {
    const ignore = name === "prlimit" && !await hasProgram("prlimit", "--version");
    await t.step({
      name: `by ${name}`,
      ignore,
      fn: async () => {
        const { tools, lines } = runner(300, { limiters: [limiter] });
        const { stdout } = await tools.run(["sh", "-c", "ulimit -H -v; ulimit -S -v"], heavy);
        assert.equal(text(stdout), "307200\n307200");
        // The last line of what has none is all of it.
        const hog = "head -c 1000000000 /dev/zero | tail -n 1 | wc -c";
        const outcome = await tools.run(["sh", "-c", hog], heavy);
        assert.notEqual(text(outcome.stdout), "1000000000");
        assert.deepEqual(lines, []);
      },
    });
  }
  await t.step("and arguments that a shell would take for its own stay as they are", async () => {
    const { tools } = runner(300, { limiters: [ULIMIT] });
    const odd = `$(echo no); 'x' "y" \\`;
    const { stdout } = await tools.run(["printf", "%s|%s", odd, "-v"], heavy);
    assert.equal(text(stdout), `${odd}|-v`);
  });
  await t.step("or runs without one, which is said once", async () => {
    const missing: MemoryLimiter = { ...PRLIMIT, probe: ["no-such-program"] };
    const { tools, lines } = runner(300, { limiters: [missing] });
    for (let run = 0; run < 2; run++) {
      const { stdout } = await tools.run(["sh", "-c", "ulimit -v"], heavy);
      assert.equal(text(stdout), "unlimited");
    }
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /without a memory limit/);
  });
  await t.step("and none where the limit is disabled", async () => {
    const { tools } = runner();
    const { stdout } = await tools.run(["sh", "-c", "ulimit -v"], heavy);
    assert.equal(text(stdout), "unlimited");
  });
});

Deno.test("the whole process group of a tool ends", async (t) => {
  /** Starts a script that prints the pid of a child of its own, then aborts it. */
  const aborted = async (script: string) => {
    await using directory = await TempDir.make();
    const file = `${directory.path}/pid`;
    const { tools, leases } = runner();
    const controller = new AbortController();
    const running = tools.run(["sh", "-c", script, file], {
      signal: controller.signal,
      heavy: true,
    });
    const outcome = assert.rejects(running, (error) => {
      assert.ok(error instanceof Error);
      assert.match(error.message, /^shell was cancelled while it ran$/);
      assert.equal(error.cause, "enough");
      return true;
    });
    await until(async () => (await Deno.readTextFile(file).catch(() => "")).endsWith("\n"));
    const pid = Number(await Deno.readTextFile(file));
    assert.equal(await isRunning(pid), true);
    controller.abort("enough");
    await outcome;
    await until(async () => !await isRunning(pid));
    assert.equal(leases.activeTotal, 0);
  };
  await t.step("C 14 when the signal aborts", async () => {
    await aborted('sleep 1000 & echo $! > "$0"; wait');
  });
  await t.step("with time to clear up", async () => {
    await using directory = await TempDir.make();
    const [ready, cleared] = [`${directory.path}/ready`, `${directory.path}/cleared`];
    const script = `trap 'touch "$0"; exit' TERM; touch "$1"; while :; do sleep 0.01; done`;
    const { tools } = runner(0, { graceMs: 2 ** 30 });
    const controller = new AbortController();
    const running = tools.run(["sh", "-c", script, cleared, ready], {
      signal: controller.signal,
      heavy: false,
    });
    await until(() => exists(ready));
    controller.abort();
    await assert.rejects(running);
    assert.ok(await exists(cleared));
  });
  await t.step("also where it would not", async () => {
    await aborted(
      `trap "" TERM; sh -c 'trap "" TERM; while :; do sleep 0.01; done' & echo $! > "$0"; ` +
        "while :; do sleep 0.01; done",
    );
  });
  await t.step("what it leaves running ends with it", async () => {
    const { tools } = runner();
    const { code, stdout } = await tools.run(["sh", "-c", "sleep 1000 & echo $!"], heavy);
    assert.equal(code, 0);
    const pid = Number(text(stdout));
    assert.ok(pid > 0);
    await until(async () => !await isRunning(pid));
  });
  await t.step("and what has left the group holds nobody up", async () => {
    if (!await hasProgram("setsid", "--version")) return;
    const { tools } = runner();
    const script = "setsid sh -c 'echo $$; exec sleep 1000' & sleep 0.05";
    const { code, stdout } = await tools.run(["sh", "-c", script], heavy);
    assert.equal(code, 0);
    Deno.kill(Number(text(stdout)), "SIGKILL");
  });
  await t.step("C 14 a signal that aborts before the start starts nothing", async () => {
    const { tools, leases } = runner();
    await assert.rejects(
      tools.run(["no-such-program"], { signal: AbortSignal.abort("no"), heavy: false }),
      /was cancelled while waiting/,
    );
    assert.deepEqual([leases.activeTotal, leases.waiting], [0, 0]);
  });
});
