import * as assert from "node:assert/strict";
import * as v from "valibot";
import { SERVER_MALLOC } from "../../../cli/supervisor/program.ts";
import { CapacityOverview } from "../../../schemas/capacity.ts";
import { ScanEntry } from "../../../schemas/scans.ts";
import { ChildServer, ROOT } from "../../support/child_server.ts";
import type { Client } from "../../support/client.ts";
import { freePort } from "../../support/ports.ts";
import { childrenOf, isAlive } from "../../support/processes.ts";
import { USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram, run } from "../../support/tools.ts";
import { until } from "../../support/until.ts";

const PRIVILEGES = [...USER_PRIVILEGES, "scans.run", "scans.view", "resources.admin"];
const linux = Deno.build.os === "linux";
/**
 * A list of numbers whose scan takes CPU time for long enough that the process is seen and stopped before its end.
 * A test that has it go on waits for the rest, in a process that leaves the processors to all others.
 */
const SLOW = `(${"I1\n".repeat(300_000)}t.`;

interface Parts {
  readonly child: ChildServer;
  readonly one: Client;
  readonly dataDir: string;
}

async function withServer(
  env: Record<string, string>,
  work: (parts: Parts) => Promise<void>,
): Promise<void> {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  await using child = await ChildServer.start({ dataDir, env });
  await work({ child, one: await child.as(1, PRIVILEGES), dataDir });
}

/** Starts a scan, and stops its scanner process as soon as there is one: the scan then hangs. */
async function hangingScan({ child, one }: Parts): Promise<{ id: number; scanner: number }> {
  await one.upload("d", { "f.pkl": SLOW });
  const { status, text } = await one.json("POST", "/scans/", { path: "d" });
  assert.equal(status, 202, text);
  const id: number = JSON.parse(text).data.id;
  let scanner: number | undefined;
  await until(async () => (scanner = (await child.scanners())[0]) !== undefined);
  assert.ok(scanner !== undefined);
  Deno.kill(scanner, "SIGSTOP");
  return { id, scanner };
}

async function nicenessOf(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may have blanks.
  return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[17]);
}

async function scanOf(one: Client, id: number): Promise<ScanEntry> {
  const { text } = await one.send("GET", `/scans/${id}`);
  return v.parse(v.object({ data: ScanEntry }), JSON.parse(text)).data;
}

async function leasesOf(one: Client): Promise<number | undefined> {
  const { text } = await one.send("GET", "/capacity/");
  const { data } = v.parse(v.object({ data: CapacityOverview }), JSON.parse(text));
  return data.leases?.active_total;
}

Deno.test({
  name: "C 15 a scan that hangs is killed at its time limit, and holds its lease until then",
  ignore: !linux,
  fn: () =>
    withServer({ STRONGROOM_SCAN_FILE_TIMEOUT_S: "3" }, async (parts) => {
      const { one } = parts;
      const { id, scanner } = await hangingScan(parts);
      assert.equal(await leasesOf(one), 1);
      await until(async () => {
        const isHeld = await leasesOf(one) === 1;
        assert.ok(isHeld || !isAlive(scanner), "the lease was released before the process ended");
        return !isHeld;
      });
      await until(async () => (await scanOf(one, id)).status === "failed");
      assert.match((await scanOf(one, id)).error ?? "", /Scan took longer than 12 s/);
    }),
});

Deno.test({
  name: "C 22 scanner processes leave the processors to the server",
  ignore: !linux,
  fn: () =>
    withServer({}, async (parts) => {
      const { scanner } = await hangingScan(parts);
      try {
        // The supervisor lowers it after the start of the process.
        await until(async () => await nicenessOf(scanner) === 10);
      } finally {
        // A stopped process does not notice that its parent has ended.
        Deno.kill(scanner, "SIGKILL");
      }
      assert.equal(await nicenessOf(parts.child.pid), await nicenessOf(Deno.pid));
    }),
});

Deno.test({
  name: "C 15 scanner processes can gain no rights, where setpriv is there",
  ignore: !linux || !await hasProgram("/usr/bin/setpriv", "--no-new-privs", "true"),
  fn: () =>
    withServer({}, async (parts) => {
      await until(() => parts.child.log.includes('"fence":"no_new_privs'));
      const { id, scanner } = await hangingScan(parts);
      // setpriv becomes the scanner. Stopped before that, it has to go on.
      Deno.kill(scanner, "SIGCONT");
      await until(async () => {
        const status = await Deno.readTextFile(`/proc/${scanner}/status`);
        return status.includes("NoNewPrivs:\t1");
      });
      await until(async () => (await scanOf(parts.one, id)).status === "completed");
    }),
});

const UNSHARE = ["/usr/bin/unshare", "--net", "--ipc"];
if (linux && Deno.uid() !== 0) UNSHARE.push("--user", "--map-current-user");

Deno.test({
  name: "C 15 scanner processes have no network, where unshare works",
  ignore: !linux || !await hasProgram("/usr/bin/setpriv", "--no-new-privs", ...UNSHARE, "true"),
  fn: () =>
    withServer({}, async (parts) => {
      await until(() => parts.child.log.includes('"fence":"no_new_privs,no_network"'));
      const { id, scanner } = await hangingScan(parts);
      // unshare becomes the scanner. Stopped before that, it has to go on.
      Deno.kill(scanner, "SIGCONT");
      const networkOf = (pid: number) => Deno.readLink(`/proc/${pid}/ns/net`);
      const own = await networkOf(Deno.pid);
      await until(async () => await networkOf(scanner) !== own);
      assert.equal(await networkOf(parts.child.pid), own);
      await until(async () => (await scanOf(parts.one, id)).status === "completed");
    }),
});

Deno.test({
  name: "the supervisor has the server give memory back that it has freed",
  ignore: !linux,
  fn: () =>
    withServer({}, async ({ child }) => {
      const environment = (await Deno.readTextFile(`/proc/${child.pid}/environ`)).split("\0");
      const variables = Object.entries(SERVER_MALLOC).map(([name, value]) => `${name}=${value}`);
      assert.deepEqual(environment.filter((it) => it.startsWith("MALLOC_")).sort(), variables);
    }),
});

Deno.test({
  name: "C 15 canceling a scan ends its process, and then releases its lease",
  ignore: !linux,
  fn: () =>
    withServer({}, async (parts) => {
      const { one } = parts;
      const { id, scanner } = await hangingScan(parts);
      assert.equal((await one.send("DELETE", `/scans/${id}`)).status, 200);
      assert.equal(isAlive(scanner), false);
      assert.equal(await leasesOf(one), 0);
      assert.equal((await scanOf(one, id)).status, "cancelled");
    }),
});

Deno.test({
  name: "C 15 a stop ends all scanner processes, and the next start continues the scan",
  ignore: !linux,
  fn: () =>
    withServer({}, async (parts) => {
      const { child, one, dataDir } = parts;
      const { id, scanner } = await hangingScan(parts);
      assert.equal((await child.end("SIGTERM")).code, 0);
      assert.equal(isAlive(scanner), false);
      await using again = await ChildServer.start({ dataDir });
      const client = await again.as(1, PRIVILEGES);
      await until(async () => (await scanOf(client, id)).status === "completed");
      assert.equal(again.log.includes("starting it again"), false);
      await again.end("SIGTERM");
      assert.ok(one);
    }),
});

Deno.test({
  name: "C 15 the death of the supervisor ends the server and its scanner processes",
  ignore: !linux,
  fn: () =>
    withServer({}, async (parts) => {
      const { child, dataDir } = parts;
      const { id, scanner } = await hangingScan(parts);
      const server = child.pid;
      Deno.kill(child.supervisorPid, "SIGKILL");
      Deno.kill(scanner, "SIGCONT");
      await child.ended();
      await until(() => !isAlive(server) && !isAlive(scanner));
      assert.match(child.log, /"msg":"Stopping","signal":"end of the supervisor"/);
      // The scan was interrupted: no file of it has failed.
      await using again = await ChildServer.start({ dataDir });
      const client = await again.as(1, PRIVILEGES);
      await until(async () => (await scanOf(client, id)).status === "completed");
      assert.equal((await scanOf(client, id)).error, null);
      await again.end("SIGTERM");
    }),
});

Deno.test({
  name: "C 15 a server that was killed is started again, and continues its scans",
  ignore: !linux,
  fn: () =>
    withServer({}, async (parts) => {
      const { child, one } = parts;
      const { id, scanner } = await hangingScan(parts);
      const killed = child.pid;
      Deno.kill(killed, "SIGKILL");
      await until(() => child.pid !== killed);
      assert.equal(isAlive(scanner), false);
      await until(async () => (await scanOf(one, id)).status === "completed");
      assert.match(child.log, /"level":"error","msg":"The server died; starting it again"/);
      assert.equal((await child.end("SIGTERM")).code, 0);
    }),
});

Deno.test({
  name: "C 15 a server whose event loop stands still is killed and started again",
  ignore: !linux,
  async fn() {
    await using directory = await TempDir.make();
    await using child = await ChildServer.start({
      dataDir: `${directory.path}/data`,
      command: [
        Deno.execPath(),
        "run",
        "--allow-all",
        `${ROOT}tests/cli/supervisor/impatient_supervisor.ts`,
      ],
    });
    const hanging = child.pid;
    Deno.kill(hanging, "SIGSTOP");
    await until(() => child.pid !== hanging);
    assert.match(child.log, /"level":"error","msg":"The server does not respond; killing it"/);
    assert.equal(
      (await fetch(`${child.origin}/healthz`).then((it) => it.json())).status,
      "success",
    );
    assert.equal((await child.end("SIGTERM")).code, 0);
  },
});

Deno.test({
  name: "C 15 a server that dies at once each time is given up",
  ignore: !linux,
  async fn() {
    await using directory = await TempDir.make();
    await using child = await ChildServer.start({ dataDir: `${directory.path}/data` });
    for (const pids = new Set<number>(); !child.log.includes("giving up");) {
      await until(() => !pids.has(child.pid) || child.log.includes("giving up"));
      if (pids.has(child.pid)) break;
      pids.add(child.pid);
      Deno.kill(child.pid, "SIGKILL");
      assert.ok(pids.size <= 5);
    }
    assert.equal((await child.ended()).code, 137);
    assert.match(child.log, /"msg":"The server died too often; giving up","reason":"SIGKILL"/);
  },
});

Deno.test({
  name: "C 15 the server may not run programs, and its scanners know no secret",
  ignore: !linux,
  fn: () =>
    withServer(
      { STRONGROOM_JWT_SECRET: "a secret of more than 32 bytes, for tests" },
      async (parts) => {
        const { child } = parts;
        const { scanner } = await hangingScan(parts);
        const children = await childrenOf(child.supervisorPid);
        const flags = (pid: number) => children.get(pid)?.filter((it) => it.startsWith("--allow"));
        assert.match(String(flags(child.pid)), /--allow-net/);
        assert.doesNotMatch(String(flags(child.pid)), /--allow-(run|all|ffi)|-A\b/);
        assert.equal(flags(scanner)?.length, 1);
        assert.match(String(flags(scanner)), /^--allow-read=/);
        assert.doesNotMatch(
          await Deno.readTextFile(`/proc/${scanner}/environ`),
          /STRONGROOM|secret/,
        );
        // The supervisor raises it after the start of the process.
        const score = () => Deno.readTextFile(`/proc/${scanner}/oom_score_adj`);
        await until(async () => (await score()).trim() === "1000");
        // A stopped process would outlive its supervisor.
        await child.end("SIGTERM");
      },
    ),
});

Deno.test("C 15 with STRONGROOM_SCAN_ISOLATION=thread, scans run in threads, with a warning", () =>
  withServer({ STRONGROOM_SCAN_ISOLATION: "thread" }, async ({ child, one }) => {
    assert.match(child.log, /"level":"warn","msg":"Scans run in threads, /);
    await one.upload("d", { f: "content" });
    const { text } = await one.json("POST", "/scans/?wait=60", { path: "d" });
    assert.equal(JSON.parse(text).data.status, "completed");
    if (linux) assert.deepEqual(await child.scanners(), []);
  }));

Deno.test("C 15 serve and scan without the permission to run programs name the way out", async () => {
  const env = { STRONGROOM_PORT: String(freePort()) };
  const cases: [string[], RegExp][] = [
    [["serve"], /use the command strongroom serve, or set STRONGROOM_SCAN_ISOLATION=thread\n$/],
    [
      ["scan", "README.md"],
      /use the command strongroom scan, or set STRONGROOM_SCAN_ISOLATION=thread\n$/,
    ],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await run(Deno.execPath(), [
      "run",
      "--no-prompt",
      "--allow-read",
      "--allow-env",
      "--allow-sys",
      "main.ts",
      ...args,
    ], { cwd: ROOT, env });
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, message);
  }
});
