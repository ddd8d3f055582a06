/** Servers whose database is behind PgBouncer in transaction mode. */

import * as assert from "node:assert/strict";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Database } from "../../storage/postgres/database.ts";
import { dataOf } from "../support/client.ts";
import { PgBouncer } from "../support/pgbouncer.ts";
import { Postgres } from "../support/postgres.ts";
import { noise } from "../support/random.ts";
import { S3Engine } from "../support/s3.ts";
import { TestServer, type TestServerOptions, USER_PRIVILEGES } from "../support/server.ts";
import { until } from "../support/until.ts";

const PRIVILEGES = [...USER_PRIVILEGES, "scans.run", "scans.view"];

Deno.test({
  name: "C 31 servers over PgBouncer in transaction mode",
  ignore: ![Postgres.isInstalled, PgBouncer.isInstalled, S3Engine.isInstalled].every((it) => it),
}, async (t) => {
  await using engine = await Postgres.start();
  // Fewer connections than the servers would have by themselves.
  await using pooler = await PgBouncer.start(engine, { connections: 3 });
  await using store = await S3Engine.start();
  const url = await engine.createDatabase();
  const content = store.content();
  const start = (options: TestServerOptions = {}) =>
    TestServer.start({
      content,
      ...options,
      settings: {
        databaseUrl: pooler.urlOf(url),
        databaseDirectUrl: url,
        ...options.settings,
      },
    });
  await using one = await start();
  await using two = await start();
  const here = await one.as(1, ...PRIVILEGES);
  const there = await two.as(1, ...PRIVILEGES);
  await using beside = await Database.open(databaseAddress(url), { connections: 1 });
  const count = async (sql: string) => Number((await beside.get(sql))?.count);

  await t.step("what an upload sends is that of its server, and is not given up", async () => {
    const bytes = noise(20_000_000);
    const sent = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<void>();
    const uploading = here.put(
      "large",
      new ReadableStream({
        async start(controller) {
          controller.enqueue(bytes.subarray(0, 9_000_000));
          sent.resolve();
          await rest.promise;
          controller.enqueue(bytes.subarray(9_000_000));
          controller.close();
        },
      }),
    );
    await sent.promise;
    const arriving = "SELECT count(*) FROM objects WHERE state = 'arriving'";
    await until(async () => await count(arriving) === 1);
    assert.equal(await count(`${arriving} AND server IN (SELECT id FROM servers)`), 1);
    // Each looks for what servers have left that are gone.
    for (const server of [one, two]) await server.tree.sweeper.finish();
    rest.resolve();
    assert.equal((await uploading).status, 201);
    assert.deepEqual(await there.bytes({ path: "large" }), bytes);
  });

  await t.step("scans run, also those that another server takes", async () => {
    await here.upload("", { "m.json": "{}" });
    for (const client of [here, there]) {
      const { text } = await client.json("POST", "/scans/?wait=60", { path: "m.json" });
      assert.equal(JSON.parse(text).data.status, "completed");
    }
  });

  await t.step("servers listen over connections of their own, and events come", async () => {
    const listening = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
    assert.equal(await count(listening), 2);
    await using events = await there.events();
    await here.mkdir("a");
    assert.deepEqual(await events.take(1), ["added a"]);
  });

  await t.step("large changes, lists, archives and many requests at once", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1500 }, (_, index) => [`f${index}`, `${index}`]),
    );
    assert.equal((await here.upload("many", files)).status, 200);
    const moved = await there.move({ source: "many", destination: "moved" });
    assert.equal(moved.status, 200, moved.text);
    assert.equal((await here.tree()).filter((path) => path.startsWith("moved/")).length, 1500);
    const path = "moved";
    const archive = await there.download({ path });
    assert.equal(archive.status, 200);
    assert.ok((await archive.bytes()).length > 100_000);
    const puts = await Promise.all(
      Array.from(
        { length: 60 },
        (_, index) => (index % 2 === 0 ? here : there).put(`at once ${index}`, noise(1000, index)),
      ),
    );
    assert.deepEqual(new Set(puts.map(({ status }) => status)), new Set([201]));
  });

  await t.step("servers are ready, and again when the pooler was killed", async () => {
    const ready = async () => (await fetch(`${one.origin}/readyz`)).status === 200;
    assert.ok(await ready());
    await pooler.kill();
    await until(async () => !await ready());
    assert.equal((await here.put("no", noise(10))).status, 503);
    await pooler.restart();
    await until(ready);
    assert.equal((await here.put("yes", noise(10))).status, 201);
    dataOf(await there.list());
  });
});

Deno.test({
  name: "C 31 no transaction waits for a second connection, which a pooler may not have",
  ignore: ![Postgres.isInstalled, PgBouncer.isInstalled, S3Engine.isInstalled].every((it) => it),
}, async (t) => {
  await using engine = await Postgres.start();
  await using pooler = await PgBouncer.start(engine, { connections: 1 });
  await using store = await S3Engine.start();
  const url = await engine.createDatabase();
  await using server = await TestServer.start({
    content: store.content(),
    settings: { databaseUrl: pooler.urlOf(url), databaseDirectUrl: url },
    // Of more records than this, a change is large.
    maxDirectRecords: 3,
  });
  const client = await server.as(1, ...PRIVILEGES);
  const put = async (path: string, size: number) =>
    assert.equal((await client.put(path, noise(size, path.length))).status, 201, path);

  await t.step("in the first change of a run of the engine", () => put("d/first", 10));
  await t.step("in that after a crash, and in others at once", async () => {
    await engine.restart();
    await until(async () => (await fetch(`${server.origin}/readyz`)).status === 200);
    await Promise.all(["a", "bb", "ccc"].map((path) => put(path, 10)));
  });
  await t.step("in changes of all kinds", async () => {
    await put("d/large", 300_000);
    await put("d/in parts", 20_000_000);
    for (const name of ["few", "many", "more"]) await put(`d/e/${name}`, 100);
    const copied = await client.copy({ source: "d", destination: "copied" });
    assert.equal(copied.status, 200, copied.text);
    const moved = await client.move({ source: "copied", destination: "moved" });
    assert.equal(moved.status, 200, moved.text);
    assert.equal((await client.download({ path: "moved" })).status, 200);
    dataOf(await client.remove({ path: "moved" }));
    dataOf(await client.list({ path: "d" }));
    await server.tree.sweeper.finish();
  });
});
