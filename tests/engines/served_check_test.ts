import * as assert from "node:assert/strict";
import type { CheckResult } from "../../storage/upkeep/check/check.ts";
import { COMBINATIONS, kindsOf, md5, Rooms } from "../support/checked_rooms.ts";
import type { Client } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const rooms = new Rooms();
Deno.test.afterAll(() => rooms[Symbol.asyncDispose]());
/** The embedded engines have a test of their own. */
const ENGINES = COMBINATIONS.filter(({ inPostgres, inObjects }) => inPostgres || inObjects);
const SHARED = { name: "PostgreSQL and an object store", inPostgres: true, inObjects: true };

/** Uploads, replaces and deletes small and large files, of which others have the same, until it is to end. */
async function work(client: Client, user: number, isOver: () => boolean): Promise<number> {
  let step = 0;
  for (; !isOver(); step++) {
    const files = { small: `${user} ${step}`, shared: "shared", large: noise(70_000, step % 7) };
    assert.equal((await client.upload(`d${step}`, files)).status, 200);
    const replaced = await client.file("PUT", "kept", { body: noise(70_000, user * 1000 + step) });
    assert.ok(replaced.status < 300, replaced.text);
    if (step > 1) await client.remove({ path: `d${step - 2}` });
  }
  return step;
}

for (const engines of ENGINES) {
  Deno.test({
    name: `C 22 and C 23 check with ${engines.name} takes no change by servers for damage`,
    ignore: !Rooms.areInstalled(engines),
    async fn() {
      await using room = await rooms.make(engines);
      await using other = await TempDir.make();
      await using servers = new AsyncDisposableStack();
      const directories = engines.inPostgres && engines.inObjects
        ? [room.dataDir, other.path]
        : [room.dataDir];
      const clients: Client[] = [];
      for (const dataDir of directories) {
        const server = servers.use(await room.serve(dataDir));
        for (const user of [1, 2]) clients.push(await server.as(user + 2 * clients.length));
      }
      let done = false;
      const working = clients.map((client, index) => work(client, index, () => done));
      let results: CheckResult[] = [];
      try {
        await until(async () =>
          Number((await room.rows("SELECT count(*) AS n FROM records"))[0]?.n) >= 15
        );
        for (const readData of [false, true, false]) {
          results = [...results, await room.check({ readData })];
        }
        await assert.rejects(room.check({ repair: true }), /in use/);
      } finally {
        done = true;
        await Promise.all(working);
      }
      for (const { findings, served, records } of results) {
        assert.deepEqual(findings.listed, []);
        assert.ok(served);
        assert.ok(records >= 10);
      }
    },
  });
}

Deno.test({
  name: "C 22 and C 23 check of a served strongroom finds damage, and changes nothing",
  ignore: !Rooms.areInstalled(SHARED),
  async fn() {
    await using room = await rooms.make(SHARED);
    await using server = await room.serve();
    const one = await server.as(1);
    const [missing, damaged] = [noise(100_000, 1), noise(100_000, 2)];
    assert.equal((await one.upload("d", { missing, damaged, orphan: "orphan" })).status, 200);
    await Deno.remove(await room.fileOf(md5(missing)));
    await Deno.truncate(await room.fileOf(md5(damaged)), 99_999);
    const key = await room.put(`ab/${"ab".repeat(16)}`, new Uint8Array(10));
    await room.put("ab/foreign", new Uint8Array(10));
    // Nothing notes that it has lost its record.
    await room.rows("DELETE FROM records WHERE path = 'd/orphan'");
    const result = await room.check();
    const kinds = ["damaged", "missing", "unreferenced", "unreferenced", "usage"];
    assert.deepEqual(kindsOf(result).sort(), kinds);
    assert.equal(result.findings.listed.find(({ object }) => object !== undefined)?.object, key);
    assert.equal(await room.bucket.sizeOf(key), 10);
    assert.equal((await room.rows("SELECT hash FROM quarantine")).length, 0);
    // An upload of the same content repairs it.
    assert.equal((await one.upload("e", { missing, damaged })).status, 200);
    const left = kindsOf(await room.check({ readData: true })).sort();
    assert.deepEqual(left, ["unreferenced", "unreferenced", "usage"]);
  },
});

Deno.test({
  name: "C 22 and C 23 what the next start removes is no damage",
  ignore: !Rooms.areInstalled(SHARED),
  async fn() {
    await using room = await rooms.make(SHARED);
    {
      await using server = await room.serve();
      assert.equal((await (await server.as(1)).upload("", { a: "a", b: "b" })).status, 200);
    }
    // The server died before it collected the content, and while it sent an object.
    await room.rows("DELETE FROM records WHERE path = 'a'; ");
    await room.rows(`INSERT INTO dropped (hash) VALUES ('${md5("a")}')`);
    await room.rows("UPDATE usage SET records = 1, files = 1, bytes = 1");
    await room.rows(
      `INSERT INTO objects (key, state) VALUES ('room/00/${"0".repeat(32)}', 'arriving')`,
    );
    const result = await room.check({ readData: true });
    assert.deepEqual([kindsOf(result), result.pending], [[], 1]);
    await using server = await room.serve();
    await until(async () => (await room.rows("SELECT hash FROM contents")).length === 1);
    assert.deepEqual(kindsOf(await room.check()), []);
    assert.ok(server);
  },
});

Deno.test({
  name: "C 22 and C 23 check refuses settings that name another strongroom",
  ignore: !Rooms.areInstalled(SHARED),
  async fn() {
    await using room = await rooms.make(SHARED, { isEmpty: true });
    await assert.rejects(room.check(), /is empty: there is nothing to check/);
    {
      await using server = await room.serve();
      assert.equal((await (await server.as(1)).upload("", { a: noise(70_000) })).status, 200);
    }
    const content = room.store?.content();
    await assert.rejects(
      room.check({ content }),
      /is in s3:.*: name that in STRONGROOM_CONTENT_URL/,
    );
    await assert.rejects(
      room.check({ database: undefined }),
      /holds no|set STRONGROOM_DATABASE_URL/,
    );
    await using other = await rooms.make(SHARED);
    await using _server = await other.serve();
    const place = `s3://bucket/${other.content?.location.prefix.replace("/", "")}`;
    await room.rows(`UPDATE storage_state SET content_place = '${place}'`);
    const another = room.check({ content: other.content });
    await assert.rejects(another, /holds the content of another strongroom/);
  },
});
