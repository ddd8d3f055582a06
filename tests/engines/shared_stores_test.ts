import * as assert from "node:assert/strict";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Database } from "../../storage/postgres/database.ts";
import { Storage } from "../../storage/stores/storage.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { S3Engine } from "../support/s3.ts";
import { TempDir } from "../support/temp_dir.ts";
import { TestServer } from "../support/server.ts";

const startedPostgres = sharedPostgres();

Deno.test({ name: "storage over PostgreSQL", ignore: !Postgres.isInstalled }, async (t) => {
  const engine = startedPostgres();
  const open = (dataDir: string, url: string, acceptDamage = false) =>
    Storage.open(dataDir, { database: databaseAddress(url), acceptDamage, reserveMB: 0 });
  const start = (dataDir: string, databaseUrl: string, acceptDamage = false) =>
    TestServer.start({ dataDir, acceptDamage, settings: { databaseUrl } });

  await t.step("C 23 a database has its content in one directory", async () => {
    const url = await engine.createDatabase();
    await using one = await TempDir.make();
    await using other = await TempDir.make();
    await (await open(one.path, url))[Symbol.asyncDispose]();
    await assert.rejects(open(other.path, url), /content of the database is in another data/);
    // The refusal has left nothing that makes the directory that of this database.
    await using another = await open(other.path, await engine.createDatabase());
    assert.ok(another);
    await (await open(one.path, url))[Symbol.asyncDispose]();
  });

  await t.step(
    "C 23 of several servers that start at once with a new database, one has it",
    async () => {
      const url = await engine.createDatabase();
      await using directories = new AsyncDisposableStack();
      const paths: string[] = [];
      for (let index = 0; index < 4; index++) {
        paths.push(directories.use(await TempDir.make()).path);
      }
      const opened = await Promise.allSettled(paths.map((path) => open(path, url)));
      const stores = opened.flatMap((it) => it.status === "fulfilled" ? [it.value] : []);
      for (const store of stores) await store[Symbol.asyncDispose]();
      assert.equal(stores.length, 1);
      for (const it of opened) {
        if (it.status === "rejected") assert.match(String(it.reason), /in ano/);
      }
    },
  );

  await t.step("C 23 a directory belongs to one database", async () => {
    const [url, other] = [await engine.createDatabase(), await engine.createDatabase()];
    await using directory = await TempDir.make();
    await (await open(directory.path, url))[Symbol.asyncDispose]();
    await assert.rejects(open(directory.path, other), /belongs to another database/);
    await assert.rejects(Storage.open(directory.path), /set STRONGROOM_DATABASE_URL/);
    await (await open(directory.path, url))[Symbol.asyncDispose]();
  });

  await t.step("C 23 a directory with other records or content is refused, and kept", async () => {
    await using directory = await TempDir.make();
    const large = new Uint8Array(100_000);
    {
      // With SQLite, whatever engine other tests use.
      await using storage = await Storage.open(directory.path, { reserveMB: 0 });
      await using staged = await storage.blobs.stage((async function* () {
        yield await Promise.resolve(large);
      })());
      await storage.blobs.announce([staged]);
      await storage.records.write((transaction) => storage.blobs.publish([staged], transaction));
    }
    const url = await engine.createDatabase();
    await assert.rejects(open(directory.path, url), /has its records in strongroom.db/);
    await Deno.rename(`${directory.path}/strongroom.db`, `${directory.path}/aside.db`);
    await assert.rejects(open(directory.path, url), /holds content, but STRONGROOM_DATABASE_URL/);
    await Deno.rename(`${directory.path}/aside.db`, `${directory.path}/strongroom.db`);
    await using storage = await Storage.open(directory.path, { reserveMB: 0 });
    assert.equal(
      (await Array.fromAsync(storage.blobs.hashes())).flatMap((it) => it.hashes).length,
      1,
    );
  });

  await t.step("C 23 two servers never share a directory", async () => {
    const url = await engine.createDatabase();
    await using directory = await TempDir.make();
    await using _one = await open(directory.path, url);
    await assert.rejects(open(directory.path, url), /in use by process/);
  });

  await t.step("C 23 the server of a copy takes the lease of the directory", async () => {
    const url = await engine.createDatabase();
    await using directory = await TempDir.make();
    await using copy = await TempDir.make();
    await using _one = await open(directory.path, url);
    await Deno.copyFile(`${directory.path}/database.id`, `${copy.path}/database.id`);
    await using _other = await open(copy.path, url);
    await using database = await Database.open(databaseAddress(url), { connections: 1 });
    assert.equal((await database.get("SELECT count(*) AS n FROM servers"))?.n, 1);
  });

  await t.step({
    name: "C 23 all servers of a database name the same object store",
    ignore: !S3Engine.isInstalled,
    fn: async () => {
      await using store = await S3Engine.start();
      const [url, other] = [await engine.createDatabase(), await engine.createDatabase()];
      await using one = await TempDir.make();
      await using two = await TempDir.make();
      const openAt = (dataDir: string, database: string, room: string) =>
        Storage.open(dataDir, {
          database: databaseAddress(database),
          content: store.content(store.contentUrl(room)),
          reserveMB: 0,
        });
      await using _first = await openAt(one.path, url, "room");
      await assert.rejects(openAt(two.path, url, "elsewhere"), /is in s3:.*room: name that/);
      await assert.rejects(open(two.path, url), /is in s3:.*room: name that/);
      await assert.rejects(openAt(two.path, other, "room"), /content of another strongroom/);
      await using _second = await openAt(two.path, url, "room");
    },
  });

  await t.step("C 22 and C 23 lost content is refused until it is accepted", async () => {
    const url = await engine.createDatabase();
    await using directory = await TempDir.make();
    await using empty = await TempDir.make();
    {
      await using server = await start(directory.path, url);
      const one = await server.as(1);
      assert.equal((await one.upload("", { small: "s", large: "l".repeat(100_000) })).status, 200);
    }
    await assert.rejects(start(empty.path, url), /serve --accept-damage/);
    await using server = await start(empty.path, url, true);
    const one = await server.as(1);
    assert.equal((await one.file("GET", "small")).text, "s");
    assert.notEqual((await one.file("GET", "large")).status, 200);
    await assert.rejects(start(directory.path, url), /content of the database is in another data/);
  });
});
