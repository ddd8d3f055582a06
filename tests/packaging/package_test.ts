import * as assert from "node:assert/strict";
import { ChildServer, ROOT } from "../support/child_server.ts";
import { childrenOf, isAlive } from "../support/processes.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { until } from "../support/until.ts";

/** Builds the package, packs it, and installs the tarball into an empty prefix. Returns the prefix. */
async function installed(parent: string): Promise<string> {
  const prefix = `${parent}/a b $HOME`;
  const steps: [string, ...string[]][] = [
    [Deno.execPath(), "task", "-q", "package", `--output=${parent}/built`],
    ["npm", "pack", "--silent", `${parent}/built`],
    ["npm", "install", "--silent", "--global", "--prefix", prefix, `${parent}/${TARBALL}`],
  ];
  for (const [program, ...args] of steps) {
    const cwd = program === "npm" ? parent : ROOT;
    const { code, stdout, stderr } = await run(program, args, { cwd });
    assert.equal(code, 0, `${args}: ${stdout}${stderr}`);
  }
  return prefix;
}

const { version } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
const TARBALL = `strongroom-${version}.tgz`;
const FLAGS = ["--fetch-retries=0", "--fetch-timeout=5000"];

Deno.test({
  name: "C 25 the npm package runs from any directory",
  // Without the registry, npm cannot install the runtime.
  ignore: Deno.build.os !== "linux" || !await hasProgram("npm", "ping", ...FLAGS),
  async fn(t) {
    await using directory = await TempDir.make();
    const prefix = await installed(directory.path);
    const cwd = `${directory.path}/caller`;
    await Deno.mkdir(cwd);
    const command = `${prefix}/bin/strongroom`;
    const strongroom = (...args: string[]) =>
      run(command, args, { cwd, env: { STRONGROOM_DATA_DIR: "of a $caller" } });

    await t.step("C 25 it has the version, the help and the scanner", async () => {
      assert.equal((await strongroom("--version")).stdout, `strongroom ${version}\n`);
      const licenses = `${prefix}/lib/node_modules/strongroom/THIRD_PARTY_LICENSES`;
      assert.match(await Deno.readTextFile(licenses), /^hono\/[\s\S]+^valibot\/[\s\S]+^fzstd\//m);
      assert.match((await strongroom("scan", "--help")).stdout, /\nExamples:\n/);
      await Deno.copyFile(
        `${ROOT}tests/fixtures/models/pickle/hostile/eval.pkl`,
        `${cwd}/bad.pkl`,
      );
      const { code, stdout } = await strongroom("scan", "--format", "text", "bad.pkl");
      assert.equal(code, 1);
      assert.match(stdout, /^CRITICAL S104 [\s\S]*bad\.pkl/);
    });
    await t.step("C 25 it names no directory of the machine that built it", async () => {
      const modules = `${prefix}/lib/node_modules/strongroom/lib`;
      const home = Deno.env.get("HOME")?.slice(1) || "home";
      const paths = [`/${home}/.`, ROOT, "/.cache/deno/"].flatMap((path) => ["-e", path]);
      const { code, stdout } = await run("grep", ["-rlF", ...paths, modules]);
      assert.deepEqual([code, stdout], [1, ""]);
    });
    await t.step("C 25 SIGTERM stops the server, and nothing is left", async () => {
      const dataDir = `${cwd}/of a $caller`;
      await using child = await ChildServer.start({ dataDir, command: [command, "serve"] });
      assert.equal(child.supervisorPid, child.process.pid);
      const port = new URL(child.origin).port;
      const env = { STRONGROOM_DATA_DIR: "of a $caller", STRONGROOM_PORT: port };
      const token = await run(command, ["token", "--user", "1", "--admin"], { cwd, env });
      assert.equal(token.code, 0, token.stderr);
      const headers = { Authorization: `Bearer ${token.stdout.trim()}` };
      const form = new FormData();
      form.append("files", new Blob(["text ".repeat(100_000)]), "f");
      const api = `${child.origin}/api/v1`;
      const upload = await fetch(`${api}/resources/`, { method: "POST", headers, body: form });
      assert.equal(upload.status, 200, await upload.text());
      const body = JSON.stringify({ path: "f" });
      const scan = await fetch(`${api}/scans/?wait=60`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body,
      });
      assert.equal((await scan.json()).data.status, "completed");
      const capacity = await run(command, ["capacity"], { cwd, env });
      assert.match(capacity.stdout, new RegExp(`^Answer +of the server at ${child.origin}\n`));
      const check = await run(command, ["check", "--read-data"], { cwd, env });
      assert.deepEqual([check.code, check.stdout.endsWith(": sound\n")], [0, true], check.stderr);
      const page = await (await fetch(child.origin)).text();
      const scanner = /<meta name="scanner" content="([^"]+)">/.exec(page)?.[1] ?? "";
      const module = await (await fetch(`${child.origin}${scanner}`)).text();
      assert.match(module, /^export \{\n {2}scan\n\};/m);
      const processes = [child.pid, ...(await childrenOf(child.supervisorPid)).keys()];
      assert.ok(processes.length >= 2);
      child.process.kill("SIGTERM");
      assert.equal((await child.ended()).code, 0);
      await until(() => !processes.some(isAlive));
    });
    await t.step("C 25 it runs where a path has a comma", async () => {
      const moved = `${directory.path}/a,b`;
      await Deno.rename(prefix, moved);
      const { code, stdout, stderr } = await run(`${moved}/bin/strongroom`, [
        ...["token", "--user", "1", "--admin"],
      ], { cwd, env: { STRONGROOM_DATA_DIR: "of a $caller" } });
      assert.deepEqual([code, stdout.split(".").length], [0, 3], stderr);
    });
  },
});

Deno.test("C 25 deno install makes the command, which needs no network then", async () => {
  await using directory = await TempDir.make();
  const { code, stderr } = await run(Deno.execPath(), [
    ...["install", "--global", "--quiet", "--allow-all", "--frozen=false", "--name=strongroom"],
    ...[`--root=${directory.path}`, `--config=${ROOT}deno.json`, `${ROOT}main.ts`],
  ]);
  assert.equal(code, 0, stderr);
  const path = `${Deno.execPath().replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH")}`;
  const config = await run(`${directory.path}/bin/strongroom`, ["config"], {
    cwd: directory.path,
    env: { PATH: path, STRONGROOM_PORT: "9000" },
  });
  assert.equal(config.code, 0, config.stderr);
  assert.match(config.stdout, /^STRONGROOM_PORT=9000$/m);
});
