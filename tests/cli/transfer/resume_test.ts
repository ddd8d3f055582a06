import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { MIB } from "../../../schemas/units.ts";
import { databasePath } from "../../../storage/disk/data_directory.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { ChildServer } from "../../support/child_server.ts";
import { CountingProxy, type Direction } from "../../support/counting_proxy.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const SIZE = 120 * MIB;
const HELD = 96 * MIB;
/** How much a server receives before it keeps it. */
const KEPT = 64 * MIB;
/** What may pass twice: what was on its way, and what a killed server had not kept yet. */
const SLACK = KEPT + 16 * MIB;

/** Bytes without repetition, so that a part at a wrong place changes the whole. */
function randomBytes(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let start = 0; start < size; start += 65536) {
    crypto.getRandomValues(bytes.subarray(start, Math.min(size, start + 65536)));
  }
  return bytes;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

function portOf(origin: string): number {
  return Number(new URL(origin).port);
}

/** Ends a process at once, and waits for it. */
async function kill(child: Deno.ChildProcess): Promise<void> {
  Deno.kill(child.pid, "SIGKILL");
  await child.stdin.close();
  await child.output();
}

/** How much of an unfinished upload stays if the server is killed, in bytes. */
function keptBytes(dataDir: string): number {
  using database = new Connection(databasePath(dataDir), { readOnly: true });
  const row = database.get("SELECT max(received) AS kept FROM uploads WHERE completed_at IS NULL");
  return Number(row?.kept);
}

/** All files below a directory, by their names. */
function namesIn(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map(({ name }) => name);
}

Deno.test("C 25 a transfer that was killed or cut continues where it was", async (t) => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  await using server = await ChildServer.start({ dataDir });
  const { token } = await server.as(1);
  await using proxy = new CountingProxy(portOf(server.origin));
  const client = new RemoteClient({
    HOME: directory.path,
    STRONGROOM_URL: proxy.origin,
    STRONGROOM_TOKEN: token,
  });
  const local = `${directory.path}/large.bin`;
  const target = `${directory.path}/target`;
  const bytes = randomBytes(SIZE);
  await Deno.writeFile(local, bytes);
  await Deno.mkdir(target);

  /** Runs a command until so much has passed, then something happens. Returns the rest that passed. */
  const interrupted = async (
    args: readonly string[],
    direction: Direction,
    event: (child: Deno.ChildProcess) => Promise<void>,
  ) => {
    proxy.holdAfter(direction, HELD);
    const before = proxy.passed[direction];
    const child = client.spawn(args, { narrow: false });
    await until(() => proxy.isHeld);
    await event(child);
    return before;
  };
  const passesOnce = (direction: Direction, before: number) => {
    const passed = proxy.passed[direction] - before;
    assert.ok(passed >= SIZE && passed < SIZE + SLACK, `${passed} bytes passed`);
  };

  await t.step("C 25 put after kill -9", async () => {
    const args = ["put", local, "up/"];
    const before = await interrupted(args, "up", kill);
    proxy.cut();
    proxy.release();
    const again = await client.run(args);
    assert.deepEqual([again.code, again.stderr], [0, ""]);
    passesOnce("up", before);
    assert.deepEqual(namesIn(`${directory.path}/.local/state/strongroom/uploads`), []);
  });
  await t.step("C 25 get after kill -9, and no file has its name before it is whole", async () => {
    const args = ["get", "up/large.bin", `${target}/`];
    const before = await interrupted(args, "down", kill);
    assert.match(namesIn(target).join(), /^\.strongroom-[0-9a-f]{32}\.part$/);
    proxy.cut();
    proxy.release();
    const again = await client.run(args);
    assert.deepEqual([again.code, again.stderr], [0, ""]);
    passesOnce("down", before);
    assert.deepEqual(namesIn(target), ["large.bin"]);
    assert.equal(sha256(await Deno.readFile(`${target}/large.bin`)), sha256(bytes));
  });
  for (const direction of ["up", "down"] as const) {
    const isUp = direction === "up";
    await t.step(`C 25 ${isUp ? "put" : "get"} while the server is killed`, async () => {
      const args = isUp
        ? ["put", "--name", "again.bin", local, "up"]
        : ["get", "--name", "again.bin", "up/large.bin", target];
      let output: Promise<Deno.CommandOutput> | undefined;
      const before = await interrupted(args, direction, async (child) => {
        await child.stdin.close();
        output = child.output();
        // A busy disk may take its time.
        if (isUp) await until(() => keptBytes(dataDir) >= KEPT);
        Deno.kill(server.pid, "SIGKILL");
        proxy.cut();
        proxy.release();
        await until(() => server.starts > (isUp ? 1 : 2));
      });
      const ended = await output;
      assert.equal(ended?.code, 0, new TextDecoder().decode(ended?.stderr));
      passesOnce(direction, before);
    });
  }
  await t.step("C 25 a partial file whose content is wrong is received again", async () => {
    const args = ["get", "--name", "third.bin", "up/large.bin", target];
    await interrupted(args, "down", kill);
    const [partial = ""] = namesIn(target).filter((name) => name.endsWith(".part"));
    using file = await Deno.open(`${target}/${partial}`, { write: true });
    await file.write(new Uint8Array(1000));
    proxy.cut();
    proxy.release();
    const refused = await client.run(args);
    assert.deepEqual([refused.code, namesIn(target).includes("third.bin")], [1, false]);
    assert.equal((await client.run(args)).code, 0);
    assert.equal(sha256(await Deno.readFile(`${target}/third.bin`)), sha256(bytes));
  });
  assert.equal((await client.run(["sync", "--dry-run", target, ":up"])).code, 0);
});

Deno.test("C 25 stdout continues where the connection was cut", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  await using proxy = new CountingProxy(portOf(server.origin));
  const bytes = randomBytes(SIZE);
  const one = await server.as(1);
  assert.equal((await one.file("PUT", "large", { body: bytes })).status, 201);
  const token = await mintToken({ userId: 1, privileges: USER_PRIVILEGES });
  const client = new RemoteClient({
    HOME: directory.path,
    STRONGROOM_URL: proxy.origin,
    STRONGROOM_TOKEN: token,
  });
  proxy.holdAfter("down", HELD);
  const child = client.spawn(["get", "large", "-"]);
  await child.stdin.close();
  const output = child.output();
  await until(() => proxy.isHeld);
  proxy.cut();
  proxy.release();
  const { code, stdout } = await output;
  assert.deepEqual([code, sha256(stdout)], [0, sha256(bytes)]);
  assert.ok(proxy.passed.down < SIZE + SLACK, `${proxy.passed.down}`);
});

Deno.test("C 25 a busy server is asked again, when it says, and a refusal is not repeated", async () => {
  await using directory = await TempDir.make();
  let requests = 0;
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    requests++;
    const isBusy = requests < 3;
    return Response.json({ status: "error", code: "ErrUnavailable", msg: "Busy" }, {
      status: isBusy ? 503 : 404,
      headers: isBusy ? { "Retry-After": "0" } : {},
    });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const client = await RemoteClient.of({ origin }, directory.path);
  const { code, stderr } = await client.run(["get", "x", "-"]);
  assert.deepEqual([code, requests, stderr], [1, 3, "strongroom: Busy (ErrUnavailable)\n"]);
});
