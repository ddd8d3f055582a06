import * as assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { getHostSize, getStats } from "../../../core/capacity/mod.ts";
import { ROOT } from "../../support/child_server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { run } from "../../support/tools.ts";

const MIB = 2 ** 20;

/** A temporary directory with these files. */
async function layOut(files: Readonly<Record<string, string>>): Promise<TempDir> {
  const directory = await TempDir.make();
  for (const [path, text] of Object.entries(files)) {
    const whole = `${directory.path}/${path}`;
    await Deno.mkdir(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(whole, text);
  }
  return directory;
}

Deno.test("HC 2 live readings are above zero, and C 14 those of the runtime", async () => {
  await using directory = await TempDir.make();
  const stats = getStats(directory.path);
  assert.ok(stats.CPUCores >= 1 && stats.CPUCores <= navigator.hardwareConcurrency);
  assert.ok(stats.LoadAvg1m >= 0);
  assert.ok(stats.MemTotalMB > 0 && stats.MemTotalMB <= Deno.systemMemoryInfo().total / MIB);
  assert.ok(stats.MemAvailableMB > 0 && stats.MemAvailableMB <= stats.MemTotalMB);
  assert.ok(stats.DiskFreeMB > 0);
  for (const value of [stats.CPUCores, stats.MemTotalMB, stats.MemAvailableMB, stats.DiskFreeMB]) {
    assert.ok(Number.isInteger(value));
  }
  assert.deepEqual(getHostSize(), { CPUCores: stats.CPUCores, MemTotalMB: stats.MemTotalMB });
  assert.throws(() => getStats(`${directory.path}/missing`), /ENOENT/);
});

Deno.test("C 14 limits that another process has read replace readings", () => {
  const limits = { cores: 1, memoryBytes: 100 * MIB, availableBytes: 60 * MIB };
  const { CPUCores, MemTotalMB, MemAvailableMB } = getStats("/", "/nowhere", limits);
  assert.deepEqual([CPUCores, MemTotalMB, MemAvailableMB], [1, 100, 60]);
});

Deno.test("C 14 lower limits of a container replace readings", async (t) => {
  const host = getStats("/", "/nowhere");
  const rows: [string, Record<string, string>, Partial<typeof host>][] = [
    ["C 14 no cgroups", {}, {}],
    ["C 14 version 2, as a container sees it", {
      "proc/self/cgroup": "0::/\n",
      "sys/fs/cgroup/memory.max": `${300 * MIB}\n`,
      "sys/fs/cgroup/memory.current": `${250 * MIB}\n`,
      "sys/fs/cgroup/memory.stat": `anon 1\nfile_mapped ${20 * MIB}\ninactive_file ${
        50 * MIB
      }\nactive_file ${20 * MIB}\n`,
      "sys/fs/cgroup/cpu.max": "150000 100000\n",
    }, { CPUCores: 1, MemTotalMB: 300, MemAvailableMB: 100 }],
    ["C 14 version 2, limits of the group and the groups above it", {
      "proc/self/cgroup": "0::/user.slice/room.service\n",
      "sys/fs/cgroup/user.slice/memory.max": `${200 * MIB}`,
      "sys/fs/cgroup/user.slice/memory.current": `${150 * MIB}`,
      "sys/fs/cgroup/user.slice/room.service/memory.max": `${400 * MIB}`,
      "sys/fs/cgroup/user.slice/room.service/memory.current": `${10 * MIB}`,
      "sys/fs/cgroup/user.slice/room.service/cpu.max": "max 100000",
    }, { MemTotalMB: 200, MemAvailableMB: 50 }],
    ["C 14 version 1, seen from within its group", {
      "proc/self/cgroup": "5:memory:/docker/1f\n3:cpu,cpuacct:/docker/1f\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": `${512 * MIB}`,
      "sys/fs/cgroup/memory/memory.usage_in_bytes": `${500 * MIB}`,
      "sys/fs/cgroup/memory/memory.stat": `inactive_file 3\ntotal_inactive_file ${
        80 * MIB
      }\ntotal_active_file ${10 * MIB}\ntotal_mapped_file ${2 * MIB}\n`,
      "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "50000",
      "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
    }, { CPUCores: 1, MemTotalMB: 512, MemAvailableMB: 100 }],
    ["C 14 version 1 without limits", {
      "proc/self/cgroup": "5:memory:/\n3:cpu:/\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
      "sys/fs/cgroup/memory/memory.usage_in_bytes": "1",
      "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
      "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
    }, {}],
    ["C 14 a mixture of both", {
      "proc/self/cgroup": "5:memory:/a\n0::/../b\n",
      "sys/fs/cgroup/memory/a/memory.limit_in_bytes": `${100 * MIB}`,
      "sys/fs/cgroup/unified/b/cpu.max": "1000 1000",
    }, { CPUCores: 1, MemTotalMB: 100, MemAvailableMB: 100 }],
    ["C 14 a group that uses more than its limit", {
      "proc/self/cgroup": "0::/",
      "sys/fs/cgroup/memory.max": `${100 * MIB}`,
      "sys/fs/cgroup/memory.current": `${120 * MIB}`,
    }, { MemTotalMB: 100, MemAvailableMB: 1 }],
    ["C 14 files without valid values", {
      "proc/self/cgroup": "nonsense\n0::/x\n::\n",
      "sys/fs/cgroup/x/memory.max": "much",
      "sys/fs/cgroup/x/cpu.max": "0 0",
    }, {}],
  ];
  for (const [name, files, limits] of rows) {
    await t.step(name, async () => {
      await using root = await layOut(files);
      const { CPUCores, MemTotalMB, MemAvailableMB } = getStats(root.path, root.path);
      const found = { CPUCores, MemTotalMB, MemAvailableMB };
      if (!("MemAvailableMB" in limits)) found.MemAvailableMB = host.MemAvailableMB;
      const expected = { CPUCores: host.CPUCores, MemTotalMB: host.MemTotalMB };
      assert.deepEqual(found, {
        ...expected,
        MemAvailableMB: host.MemAvailableMB,
        ...limits,
      });
    });
  }
});

/** The permissions of the server, as flags. */
const SERVER_FLAGS = [
  "--allow-read=.",
  "--allow-sys=statfs,loadavg,systemMemoryInfo",
  "--no-prompt",
];

/** Writes a script that prints the readings. */
async function readingScript(directory: TempDir): Promise<string> {
  const script = `${directory.path}/read.ts`;
  await Deno.writeTextFile(
    script,
    `import { getStats } from "${pathToFileURL(`${ROOT}core/capacity/stats.ts`)}";
    console.log(JSON.stringify(getStats(".")));`,
  );
  return script;
}

Deno.test("C 14 getStats() works with the permissions of the server", async () => {
  await using directory = await TempDir.make();
  const args = ["run", ...SERVER_FLAGS, await readingScript(directory)];
  const { stdout, stderr } = await run(Deno.execPath(), args, { cwd: ROOT });
  assert.ok(stdout !== "", stderr);
  const { CPUCores, MemTotalMB, MemAvailableMB } = JSON.parse(stdout);
  assert.deepEqual({ CPUCores, MemTotalMB }, getHostSize());
  assert.ok(MemAvailableMB > 0 && MemAvailableMB <= MemTotalMB);
});

/** A control group with a memory limit, or undefined if this process may not make one. */
async function limitedGroup(limitBytes: number): Promise<string | undefined> {
  const versions = [["/sys/fs/cgroup", "memory.max"], [
    "/sys/fs/cgroup/memory",
    "memory.limit_in_bytes",
  ]];
  for (const [mount = "", limit = ""] of versions) {
    const group = `${mount}/strongroom-test-${Deno.pid}`;
    try {
      await Deno.mkdir(group);
    } catch {
      continue;
    }
    try {
      await Deno.stat(`${group}/${limit}`);
      await Deno.writeTextFile(`${group}/${limit}`, String(limitBytes), { create: false });
      return group;
    } catch {
      await Deno.remove(group);
    }
  }
  return undefined;
}

Deno.test("C 14 in a real container, memory is that of the container", async (t) => {
  const group = await limitedGroup(1024 * MIB);
  await using directory = await TempDir.make();
  const script = await readingScript(directory);
  const rows: [string, string[]][] = [
    ["C 14 with the permissions of the server", SERVER_FLAGS],
    ["C 14 with all permissions", ["--allow-all"]],
  ];
  for (const [name, flags] of rows) {
    await t.step({
      name,
      ignore: group === undefined,
      async fn() {
        // The shell joins the group, then becomes the program.
        const { stdout, stderr } = await run("sh", [
          "-c",
          'echo $$ > "$0/cgroup.procs" && exec "$@"',
          group ?? "",
          Deno.execPath(),
          "run",
          ...flags,
          script,
        ], { cwd: ROOT });
        assert.ok(stdout !== "", stderr);
        const { MemTotalMB, MemAvailableMB } = JSON.parse(stdout);
        assert.equal(MemTotalMB, 1024);
        assert.ok(MemAvailableMB > 512 && MemAvailableMB < 1024, `${MemAvailableMB} MB available`);
      },
    });
  }
  if (group !== undefined) await Deno.remove(group);
});
