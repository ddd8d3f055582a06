import * as assert from "node:assert/strict";
import { Log } from "../../core/log.ts";
import type { UpkeepStore } from "../../core/upkeep/ports.ts";
import { recover } from "../../core/upkeep/recover.ts";
import { Connection } from "../../storage/sqlite/connection.ts";
import { Storage } from "../../storage/stores/storage.ts";
import { chunksOf, publish } from "../conformance/blob_store_suite.ts";
import { ChildServer, strongroom } from "../support/child_server.ts";
import type { Client, Reply } from "../support/client.ts";
import { canInjectFaults, InjectedFault } from "../support/injected_fault.ts";
import { checkDataDirectory, checkInvariants } from "../support/invariants.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { storedHashes } from "../support/stored_content.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { kills, killsWithHistory } from "./kills.ts";

/** Content large enough for a file. */
const LARGE = "large".repeat(20_000);

Deno.test("C 5.6 acknowledged changes survive kill -9, and C 5 holds after each restart", async () => {
  const { tried, acknowledged } = await kills({ count: 4, seed: 20261122 });
  assert.equal(tried, 4);
  assert.ok(acknowledged > tried, String(acknowledged));
});

Deno.test("C 26 every version that is kept survives kill -9, while history is given up and purged", async () => {
  const { tried, acknowledged } = await killsWithHistory({ count: 3, seed: 20261128 });
  assert.equal(tried, 3);
  assert.ok(acknowledged > tried, String(acknowledged));
});

Deno.test("C 5.4 and C 12 a start after a crash moves only unreferenced content away", async () => {
  await using directory = await TempDir.make();
  {
    await using server = await TestServer.start({ dataDir: directory.path });
    const one = await server.as(1);
    assert.equal((await one.upload("", { kept: "kept" })).status, 200);
  }
  const orphan = "0123456789abcdef0123456789abcdef";
  const leaveOrphans = async (crashed: boolean) => {
    await Deno.mkdir(`${directory.path}/blobs/01/23`, { recursive: true });
    await Deno.writeTextFile(`${directory.path}/blobs/01/23/${orphan}`, "orphan");
    await Deno.writeTextFile(`${directory.path}/blobs/01/README`, "not ours");
    await Deno.writeTextFile(`${directory.path}/tmp/half`, "half an upload");
    if (crashed) await Deno.writeTextFile(`${directory.path}/lock`, "12345\n");
  };
  await leaveOrphans(true);
  {
    await using server = await TestServer.start({ dataDir: directory.path });
    assert.equal((await server.storedHashes()).includes(orphan), false);
    assert.equal((await server.storedHashes()).includes("README"), true);
    assert.deepEqual(await server.temporaryFiles(), []);
    assert.equal(await quarantined(directory.path, orphan), "orphan");
    const line = server.log.find((it) => it.includes("quarantine")) ?? "{}";
    const { level, count, bytes } = JSON.parse(line);
    assert.deepEqual({ level, count, bytes }, { level: "warn", count: 1, bytes: 6 });
    await Deno.remove(`${directory.path}/blobs/01/README`);
    await checkInvariants(server);
  }
  // After a clean stop there is nothing to sweep.
  assert.match(await Deno.readTextFile(`${directory.path}/lock`), /^stopped /);
  await leaveOrphans(false);
  await using server = await TestServer.start({ dataDir: directory.path });
  assert.equal((await server.storedHashes()).includes(orphan), true);
  assert.deepEqual(await server.temporaryFiles(), []);
});

Deno.test("C 5.4 a start completes a removal of content whose commit failed", async () => {
  await using directory = await TempDir.make();
  await using storage = await Storage.open(directory.path, { reserveMB: 0 });
  const { records, blobs } = storage;
  const contents = [noise(10), noise(100_000)];
  const staged = await Promise.all(contents.map((content) => blobs.stage(chunksOf(content))));
  await publish(storage, staged);
  const removing = records.write(async (transaction) => {
    await blobs.remove(staged.map(({ hash }) => hash), transaction);
    throw new Error("the commit fails");
  }, { alone: true });
  await assert.rejects(removing, /the commit fails/);
  assert.equal((await storedHashes(directory.path)).length, 2);
  blobs.needsSweep = true;
  const log = new Log({ level: "error", format: "text", write: () => {} });
  await recover({ records, blobs, log });
  assert.deepEqual(await storedHashes(directory.path), []);
});

/** Starts a server, lets it be killed at a system call, and waits until its supervisor has restarted it. */
async function killAt(
  call: string,
  { dataDir, path, during }: {
    dataDir: string;
    path?: string;
    during: (client: Client) => Promise<unknown>;
  },
): Promise<void> {
  // History would keep deleted content.
  await using child = await ChildServer.start({ dataDir, env: { STRONGROOM_HISTORY: "off" } });
  const one = await child.as(1);
  assert.equal((await one.upload("", { kept: LARGE })).status, 200);
  {
    await using _fault = await InjectedFault.start(
      child.pid,
      path,
      `${call}:signal=SIGKILL:when=1`,
    );
    await during(one).catch(() => {});
    await until(() => child.starts === 2);
  }
  await child.end("SIGTERM");
}

for (
  const { name, call, during } of [
    {
      name: "renamed content, and before its record",
      call: "fsync",
      during: (one: Client) => one.upload("", { lost: `${LARGE}lost` }),
    },
    {
      name: "deleted a record, and before its content",
      call: "unlink,unlinkat",
      during: (one: Client) => one.remove({ path: "kept" }),
    },
  ]
) {
  Deno.test({
    name:
      `C 5.4 a server that is killed after it has ${name} leaves no content, without a look at all`,
    ignore: !canInjectFaults,
    async fn() {
      await using directory = await TempDir.make();
      const dataDir = `${await Deno.realPath(directory.path)}/data`;
      // Content that no server has put there. Only a comparison of everything finds it.
      const foreign = "0123456789abcdef0123456789abcdef";
      await killAt(call, {
        dataDir,
        ...call === "fsync" && { path: `${dataDir}/blobs` },
        async during(one) {
          await Deno.mkdir(`${dataDir}/blobs/01/23`, { recursive: true });
          await Deno.writeTextFile(`${dataDir}/blobs/01/23/${foreign}`, "foreign");
          await during(one);
        },
      });
      const checked = await strongroom(["check", "--json"], { STRONGROOM_DATA_DIR: dataDir });
      assert.deepEqual(
        JSON.parse(checked.stdout).findings.map((it: { hash: string }) => it.hash),
        [foreign],
      );
      await Deno.remove(`${dataDir}/blobs/01/23/${foreign}`);
      await checkDataDirectory(dataDir);
    },
  });
}

/** The text of content in quarantine, or undefined if it is not there. */
async function quarantined(dataDir: string, hash: string): Promise<string | undefined> {
  for await (const { name: day } of Deno.readDir(`${dataDir}/quarantine`)) {
    try {
      return await Deno.readTextFile(`${dataDir}/quarantine/${day}/${hash}`);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return undefined;
}

Deno.test("C 5.4 a recovery that cannot read the records removes nothing", async () => {
  await using directory = await TempDir.make();
  await using storage = await Storage.open(directory.path, { reserveMB: 0 });
  const { records, blobs } = storage;
  for (const seed of [1, 2]) await publish(storage, [await blobs.stage(chunksOf(noise(10, seed)))]);
  const log = new Log({ level: "error", format: "text", write: () => {} });
  const unreadable = () => Promise.reject(new Error("half of the records are unreadable"));
  const { upkeep } = records;
  const write: typeof records.write = (work, options) =>
    records.write((transaction) => work({ ...transaction, unreferenced: unreadable }), options);
  const count = async () =>
    (await Array.fromAsync(blobs.hashes())).flatMap(({ hashes }) => hashes).length;
  for (
    const broken of [
      { write, upkeep },
      { write: records.write.bind(records), upkeep: brokenUpkeep(upkeep, unreadable) },
    ]
  ) {
    blobs.needsSweep = true;
    await assert.rejects(recover({ records: broken, blobs, log }), /half of the records/);
    assert.equal(await count(), 2);
    assert.equal(blobs.needsSweep, true);
  }
  await recover({ records: { write: records.write.bind(records), upkeep }, blobs, log });
  assert.equal(await count(), 0);
});

function brokenUpkeep(upkeep: UpkeepStore, findGap: UpkeepStore["findGap"]): UpkeepStore {
  return new Proxy(upkeep, {
    get: (target, name) => name === "findGap" ? findGap : Reflect.get(target, name).bind(target),
  });
}

Deno.test("C 5 kill -9 in the middle of a large change leaves the former state", async (t) => {
  await using directory = await TempDir.make();
  const prepared = `${directory.path}/prepared`;
  const files = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${index}`, "x"]));
  {
    await using server = await TestServer.start({ dataDir: prepared });
    const one = await server.as(1);
    assert.equal((await one.upload("all/0", files)).status, 200);
    for (let part = 1; part < 40; part++) {
      const destination = `all/${part}`;
      assert.equal((await one.copy({ source: "all/0", destination })).status, 200);
    }
  }
  const under = (path: string) => `SELECT 1 FROM records WHERE path LIKE '${path}/%' LIMIT 1`;
  const changes: Record<string, { sign: string; change: (client: Client) => Promise<Reply> }> = {
    copy: {
      sign: under("copied"),
      change: (client) => client.copy({ source: "all", destination: "copied" }),
    },
    move: {
      sign: under("moved"),
      change: (client) => client.move({ source: "all", destination: "moved" }),
    },
    delete: {
      sign: "SELECT 1 FROM former_records LIMIT 1",
      change: (client) => client.remove({ path: "all" }),
    },
  };
  for (const [name, { sign, change }] of Object.entries(changes)) {
    await t.step(name, async () => {
      let [dataDir, before, isMidway] = ["", "", false];
      for (let attempt = 1; !isMidway; attempt++) {
        dataDir = `${directory.path}/${name}-${attempt}`;
        assert.equal((await run("cp", ["-r", prepared, dataDir])).code, 0);
        await using server = await ChildServer.start({ dataDir });
        const one = await server.as(1);
        before = (await one.list({ recursive: "true" })).text;
        // It may be faster than this process: then there is another try.
        let hasEnded = false;
        const reply = change(one).catch(() => undefined).finally(() => hasEnded = true);
        {
          using database = new Connection(`${dataDir}/strongroom.db`, { readOnly: true });
          await until(() => hasEnded || database.get(sign) !== undefined);
        }
        await server.end("SIGKILL");
        isMidway = await reply === undefined;
      }
      await using restarted = await TestServer.start({ dataDir });
      const after = await (await restarted.as(1)).list({ recursive: "true" });
      assert.equal(after.text, before);
      await checkInvariants(restarted);
    });
  }
});
