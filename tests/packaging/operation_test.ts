import * as assert from "node:assert/strict";
import { dirname, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { WORKERS } from "../../storage/threads/workers.ts";
import { ROOT } from "../support/child_server.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

Deno.test({
  name: "the unit of systemd is valid and leaves the service few rights",
  ignore: !await hasProgram("systemd-analyze", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    const shipped = await Deno.readTextFile(`${ROOT}packaging/systemd/strongroom.service`);
    const unit = `${directory.path}/strongroom.service`;
    // systemd looks for the program, which is not installed here.
    await Deno.writeTextFile(unit, shipped.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"));
    const verified = await run("systemd-analyze", ["verify", unit]);
    assert.deepEqual([verified.code, verified.stdout, verified.stderr], [0, "", ""]);
    const options = ["--offline=yes", "--threshold=20", "--no-pager"];
    const rated = await run("systemd-analyze", ["security", ...options, unit]);
    assert.equal(rated.code, 0, rated.stdout);
  },
});

Deno.test("the unit of systemd starts the command by the name that npm gives it", async () => {
  const unit = await Deno.readTextFile(`${ROOT}packaging/systemd/strongroom.service`);
  const { bin } = JSON.parse(await Deno.readTextFile(`${ROOT}packaging/npm/package.json`));
  // npm links it in /usr/bin or /usr/local/bin; systemd looks for a name in both.
  const started = /^ExecStart=(\S+) serve$/m.exec(unit)?.[1];
  assert.deepEqual(Object.keys(bin), [started]);
});

Deno.test("the container fetches the packages of all threads", async () => {
  const dockerfile = await Deno.readTextFile(`${ROOT}packaging/container/Dockerfile`);
  const modules = /deno cache --frozen (.+)$/m.exec(dockerfile)?.[1] ?? "";
  const { stdout } = await run("sh", ["-c", `ls ${modules}`], { cwd: ROOT });
  const workers = Object.values(WORKERS).map((it) => relative(ROOT, fileURLToPath(it)));
  assert.deepEqual(stdout.trim().split("\n").sort(), workers.sort());
});

Deno.test("the container has all that its commands need", async () => {
  await using directory = await TempDir.make();
  const dockerfile = await Deno.readTextFile(`${ROOT}packaging/container/Dockerfile`);
  for (const [, sources = ""] of dockerfile.matchAll(/^COPY (.+) \S+$/gm)) {
    for (const source of sources.split(" ")) {
      const { code, stderr } = await run("cp", ["-r", `${ROOT}${source}`, directory.path]);
      assert.equal(code, 0, stderr);
    }
  }
  const entry: unknown = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(dockerfile)?.[1] ?? "");
  assert.ok(Array.isArray(entry) && entry[0] === "deno");
  const secret = crypto.randomUUID().repeat(2);
  const env = {
    STRONGROOM_DATA_DIR: `${directory.path}/data`,
    STRONGROOM_JWT_SECRET: secret,
    PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`,
  };
  const start = (...args: string[]) =>
    run(Deno.execPath(), [...entry.slice(1).map(String), ...args], { cwd: directory.path, env });
  const minted = await start("token", "--user", "1", "--admin");
  assert.equal(minted.code, 0, minted.stderr);
  // The server with its workers; the scanner with its own.
  const checked = await start("check");
  assert.ok(checked.code === 0 || checked.code === 2, checked.stderr);
  const scanned = await start("scan", `${ROOT}LICENSE`);
  assert.equal(scanned.code, 0, scanned.stderr);
});

/** Metrics that a server has with PostgreSQL or an object store. */
const OF_SHARED_ENGINES = /^strongroom_(?:database_(?:connections|waiting)|lease|store)_?/;

Deno.test("C 1 docs/guides/operating.md describes every metric, and the dashboard shows no others", async () => {
  await using server = await TestServer.start({ app: { openMetrics: true } });
  // The first request is in the metrics that the second one reads.
  await (await fetch(`${server.origin}/metrics`)).text();
  const metrics = await (await fetch(`${server.origin}/metrics`)).text();
  const served = metrics.matchAll(/^# TYPE (\w+)/gm).map(([, name]) => name).toArray();
  const guide = await Deno.readTextFile(`${ROOT}docs/guides/operating.md`);
  const described = guide.matchAll(/^\| `((?:strongroom|process)_\w+)`/gm)
    .map(([, name = ""]) => name).toArray();
  assert.deepEqual(described.filter((name) => served.includes(name)), served);
  const others = described.filter((name) => !served.includes(name));
  assert.deepEqual(others.filter((name) => !OF_SHARED_ENGINES.test(name)), []);
  const dashboard = await Deno.readTextFile(`${ROOT}packaging/grafana/strongroom.json`);
  const shown = new Set(dashboard.match(/\b(strongroom|process)_\w+/g));
  assert.ok(shown.size > 20);
  for (const name of shown) {
    assert.ok(served.includes(name.replace(/_(bucket|count|sum)$/, "")), `${name} is not served`);
  }
});
