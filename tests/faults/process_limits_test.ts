import * as assert from "node:assert/strict";
import { ChildServer, ROOT } from "../support/child_server.ts";
import { freePort } from "../support/ports.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";
import { until } from "../support/until.ts";

const linux = Deno.build.os === "linux";

Deno.test({
  name: "the server survives more connections than open files are allowed",
  ignore: !await hasProgram("prlimit", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    await using child = await ChildServer.start({
      dataDir: `${directory.path}/data`,
      under: ["prlimit", "--nofile=200"],
    });
    const one = await child.as(1);
    const { hostname, port } = new URL(child.origin);
    const idle: Deno.TcpConn[] = [];
    for (let count = 0; count < 300; count++) {
      // Refused while the server pauses before it listens again.
      await Deno.connect({ hostname, port: Number(port) }).then((it) => idle.push(it), () => {});
    }
    assert.ok(idle.length > 100, "the limit was not reached");
    for (const connection of idle) connection.close();
    await until(() => one.list().then(({ status }) => status === 200, () => false));
    assert.equal((await one.upload("", { f: "content" })).status, 200);
    assert.deepEqual((await child.end("SIGTERM")).code, 0);
  },
});

Deno.test({
  name: "C 13 the server survives a full disk for its log",
  ignore: !linux,
  async fn() {
    await using directory = await TempDir.make();
    const port = freePort();
    const process = new Deno.Command("sh", {
      args: ["-c", `exec "$0" run -A main.ts serve 2> /dev/full`, Deno.execPath()],
      cwd: ROOT,
      env: { STRONGROOM_DATA_DIR: `${directory.path}/data`, STRONGROOM_PORT: String(port) },
      stdout: "null",
    }).spawn();
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then((reply) => reply.text(), () => "");
    await until(async () => (await answers()).includes("healthy"));
    for (let request = 0; request < 3; request++) assert.match(await answers(), /healthy/);
    process.kill("SIGTERM");
    assert.equal((await process.status).code, 0);
  },
});

Deno.test({
  name: "C 12 temporary files of SQLite are in the data directory",
  ignore: !linux,
  async fn() {
    await using directory = await TempDir.make();
    const dataDir = `${await Deno.realPath(directory.path)}/data`;
    await using child = await ChildServer.start({ dataDir });
    const one = await child.as(1);
    const names = Array.from({ length: 1000 }, (_, index) => [`a rather long name ${index}`, "x"]);
    assert.equal((await one.upload("d/0", Object.fromEntries(names))).status, 200);
    for (let copy = 1; copy < 30; copy++) {
      await one.copy({ source: "d/0", destination: `d/${copy}` });
    }
    const response = await one.download({ path: "d", compression: "store" });
    const reader = response.body?.getReader();
    await reader?.read();
    const open = Array.from(Deno.readDirSync(`/proc/${child.pid}/fd`), ({ name }) => {
      try {
        return Deno.readLinkSync(`/proc/${child.pid}/fd/${name}`);
      } catch {
        return "already closed";
      }
    }).filter((path) => path.includes("etilqs"));
    assert.ok(open.length > 0, "no temporary file is open");
    assert.deepEqual(open.filter((path) => !path.startsWith(`${dataDir}/tmp/`)), []);
    await reader?.cancel();
  },
});

Deno.test("C 13 a bad setting stops the start with one line", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "start"],
    cwd: ROOT,
    env: { STRONGROOM_PORT: "none" },
    stdin: "null",
  }).output();
  const lines = new TextDecoder().decode(stderr).trim().split("\n");
  assert.deepEqual([code, lines.length], [2, 1], lines.join("\n"));
  assert.match(lines[0] ?? "", /STRONGROOM_PORT.*"none"/);
});
