import * as assert from "node:assert/strict";
import { CACHED_ONLY, programArguments } from "../../../cli/supervisor/program.ts";
import { ChildServer, ROOT } from "../../support/child_server.ts";
import { USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { run } from "../../support/tools.ts";
import { until } from "../../support/until.ts";

const PROGRAM = [
  "cli",
  "core",
  "routes",
  "schemas",
  "storage",
  "main.ts",
  "deno.json",
  "deno.lock",
];

const START = [Deno.execPath(), "task", "start"];

/** Copies the program to a new directory below `parent`. */
async function copyCheckout(parent: string, name: string): Promise<string> {
  const root = `${parent}/${name}`;
  await Deno.mkdir(root);
  const { code, stderr } = await run("cp", ["-r", ...PROGRAM.map((it) => ROOT + it), root]);
  assert.equal(code, 0, stderr);
  return root;
}

function task(name: string, args: readonly string[], env: Record<string, string>, cwd = ROOT) {
  return run(Deno.execPath(), ["task", "--quiet", name, ...args], { cwd, env });
}

/** The arguments of a process. */
async function argumentsOf(pid: number): Promise<string[]> {
  return (await Deno.readTextFile(`/proc/${pid}/cmdline`)).split("\0");
}

Deno.test("C 13 a checkout and a data directory may have any name", async (t) => {
  await using directory = await TempDir.make();
  for (const name of ["a,b", "--allow-run a 'b\" $HOME #%20é"]) {
    await t.step(`C 13 ${name}`, async () => {
      const root = await copyCheckout(directory.path, name);
      const dataDir = `${root}/data of ${name}`;
      await using child = await ChildServer.start({ dataDir, root });
      const one = await child.as(1, [...USER_PRIVILEGES, "scans.run", "scans.view"]);
      assert.equal((await one.upload("d", { f: "text ".repeat(100_000) })).status, 200);
      assert.equal((await one.bytes({ path: "d" })).length > 0, true);
      const scan = await one.json("POST", "/scans/?wait=60", { path: "d" });
      assert.deepEqual([scan.status, JSON.parse(scan.text).data.status], [202, "completed"]);
      const flags = await argumentsOf(child.pid);
      assert.equal(flags.some((it) => /^(-A|--allow-all|--allow-run|--allow-ffi)/.test(it)), false);
      const token = await task("cli", ["token", "--user", "1", "--admin"], {
        STRONGROOM_DATA_DIR: dataDir,
      }, root);
      assert.deepEqual([token.code, token.stdout.split(".").length], [0, 3], token.stderr);
      assert.equal((await child.end("SIGTERM")).code, 0);
      assert.deepEqual(
        (await Array.fromAsync(Deno.readDir(root))).map((it) => it.name).sort(),
        [...PROGRAM, `data of ${name}`, "dist"].sort(),
      );
    });
  }
});

Deno.test("C 13 a hostile setting reaches no flag of the runtime", async (t) => {
  await using directory = await TempDir.make();
  const cases: [string, string][] = [
    ["HOST", "x --allow-run"],
    ["HOST", "x,y"],
    ["PORT", "1 --allow-run"],
    ["JWKS_URL", "http://x,y/ --allow-run"],
    ["DATA_DIR", "x\n--allow-run"],
  ];
  for (const [name, value] of cases) {
    await t.step(`C 13 ${name}=${JSON.stringify(value)}`, async () => {
      const env = { STRONGROOM_DATA_DIR: directory.path, [`STRONGROOM_${name}`]: value };
      for (const [program, ...args] of [["start"], ["cli", "config"]] as const) {
        const { code, stderr } = await task(program, args, env);
        assert.deepEqual([code, stderr.trim().split("\n").length], [2, 1], stderr);
        assert.match(stderr, new RegExp(`^strongroom: Invalid STRONGROOM_${name} `));
      }
    });
  }
});

Deno.test("deno task start and deno task cli", async (t) => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  await t.step("return the exit code of the command", async () => {
    const { code, stdout, stderr } = await task("cli", ["fly"], { STRONGROOM_DATA_DIR: dataDir });
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^strongroom: Unknown command "fly"/);
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    await t.step(`pass ${signal} on, once`, async () => {
      await using child = await ChildServer.start({ dataDir, command: START });
      child.process.kill(signal);
      assert.equal((await child.ended()).code, 0);
      assert.match(await child.printed(), new RegExp(`"Stopping","signal":"${signal}"`));
    });
  }
  await t.step("stop the server when the launcher is killed", async () => {
    await using child = await ChildServer.start({ dataDir, command: START });
    Deno.kill(child.supervisorPid, "SIGKILL");
    await child.ended();
    await until(async () => (await child.printed()).includes('"msg":"Stopped"'));
  });
});

Deno.test("C 22 the server and its scanners can fetch no code", async () => {
  const entry = "tests/cli/supervisor/fetches_code";
  using program = programArguments({
    permissions: { net: [], read: [], write: [] },
    runtimeFlags: CACHED_ONLY,
    entry,
  });
  const { code, stdout, stderr } = await run(Deno.execPath(), [...program.args]);
  assert.equal(code, 0, stderr);
  const [permission, ...refusals] = stdout.trim().split("\n");
  // By default, the runtime allows some hosts.
  assert.equal(permission, "denied", stdout);
  assert.equal(refusals.length, 2, stdout);
  for (const refusal of refusals) assert.match(refusal, /import access|--cached-only/);
  assert.doesNotMatch(stderr, /Download/);
  await using directory = await TempDir.make();
  await using child = await ChildServer.start({ dataDir: directory.path });
  const flags = await argumentsOf(child.pid);
  assert.ok(flags.includes("--deny-import") && flags.includes("--cached-only"), flags.join(" "));
  await child.end("SIGTERM");
});
