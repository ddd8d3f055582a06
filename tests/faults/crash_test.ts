import * as assert from "node:assert/strict";
import { recover } from "../../core/upkeep/recover.ts";
import { Log } from "../../core/log.ts";
import { ChildServer } from "../support/child_server.ts";
import type { Client } from "../support/client.ts";
import { Storage } from "../../storage/storage.ts";
import type { UpkeepStore } from "../../core/upkeep/ports.ts";
import { chunksOf, noise, publish } from "../conformance/blob_store_suite.ts";
import { checkInvariants } from "../support/invariants.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

/** The last acknowledged state of each path: its content, or undefined if it was deleted. */
type Acknowledged = Map<string, string | undefined>;

/** Uploads and deletes until the server dies. Records acknowledged and pending paths. */
async function work(
  client: Client,
  acknowledged: Acknowledged,
  pending: Set<string>,
  seed: number,
): Promise<void> {
  for (let step = 0;; step++) {
    const dir = `d${seed}/${step % 5}`;
    const path = `${dir}/f${step}`;
    // Clients share contents, so that uploads and deletions contend for the same blob.
    const content = step % 3 === 0 ? `shared ${step % 7}` : `own ${seed} ${step}`;
    const deleted = step % 2 === 1 ? `d${seed}/${(step - 1) % 5}/f${step - 1}` : undefined;
    pending.add(path);
    if (deleted !== undefined) pending.add(deleted);
    try {
      const body = step % 10 === 9 ? noise(400_000, seed * 1000 + step) : content;
      if ((await client.upload(dir, { [`f${step}`]: body })).status === 200) {
        acknowledged.set(path, typeof body === "string" ? content : "noise");
      }
      pending.delete(path);
      if (deleted !== undefined) {
        if ((await client.remove({ path: deleted })).status === 200) {
          acknowledged.set(deleted, undefined);
        }
        pending.delete(deleted);
      }
    } catch {
      // The server was killed. Pending operations may or may not have happened.
      return;
    }
  }
}

Deno.test("C 5.6 acknowledged changes survive kill -9, and C 5 holds after each restart", async (t) => {
  await using directory = await TempDir.make();
  for (let round = 0; round < 4; round++) {
    await t.step(`round ${round}`, async () => {
      const acknowledged: Acknowledged = new Map();
      const pending = new Set<string>();
      const base = round * 10;
      {
        await using child = await ChildServer.start({ dataDir: directory.path });
        const clients = await Promise.all([1, 2, 3, 4].map((user) => child.as(base + user)));
        const working = clients.map((client, index) =>
          work(client, acknowledged, pending, base + index + 1)
        );
        await until(() => acknowledged.size >= 20 + round * 15);
        await child.end("SIGKILL");
        await Promise.all(working);
      }
      await using server = await TestServer.start({ dataDir: directory.path });
      const records = await checkInvariants(server);
      const byPath = new Map(records.map((record) => [record.path, record]));
      for (const [path, content] of acknowledged) {
        if (pending.has(path)) continue;
        const record = byPath.get(path);
        if (content === undefined) {
          assert.equal(record, undefined, `${path} was deleted`);
          continue;
        }
        assert.ok(record, `${path} was uploaded`);
        const client = await server.as(record.userId);
        const bytes = await client.bytes({ path });
        if (content === "noise") assert.equal(bytes.length, 400_000);
        else assert.equal(new TextDecoder().decode(bytes), content);
      }
    });
  }
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
    await Deno.writeTextFile(`${directory.path}/lock`, crashed ? "12345\n" : "");
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
  for (const seed of [1, 2]) await publish(blobs, [await blobs.stage(chunksOf(noise(10, seed)))]);
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
