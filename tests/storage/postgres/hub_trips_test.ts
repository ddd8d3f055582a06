import * as assert from "node:assert/strict";
import { HubClient, jsonOf } from "../../support/hub.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { RoundTrips } from "../../support/round_trips.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { TestServer } from "../../support/server.ts";

const startedPostgres = sharedPostgres();

/** Both have more files than a page. */
const LIMIT = 500;
const FILES = { fewer: 1200, more: 3600 };
/** For the repository, its version, the records of the page, and the ids of their contents. */
const TRIPS = 4;
/** How often a request is sent at most: what servers do besides adds to some of them, on a slow machine to most. */
const MAX_REPETITIONS = 50;

/** What reads the records of which a commit id is made. */
const DIGESTS = /contents\.sha256,\s+NULL AS hash/;

Deno.test({
  name:
    "C 31 a page of the hub costs the same whatever its repository holds, after changes elsewhere",
  ignore: !Postgres.isInstalled,
}, async () => {
  const engine = startedPostgres();
  const url = await engine.createDatabase();
  await using proxy = new RoundTrips(engine.port);
  await using server = await TestServer.start({
    settings: { databaseUrl: url.replace(`:${engine.port}/`, `:${proxy.port}/`) },
    pollIntervalMs: 600_000,
  });
  const client = await server.as(1);
  const hub = new HubClient(server, client);
  const trips = new Map<string, number>();
  for (const [name, count] of Object.entries(FILES)) {
    const names = Array.from({ length: count }, (_, index) => [`file${index}`, `${index}`]);
    await client.upload(`models/team/${name}`, Object.fromEntries(names));
    const path = `/api/models/team/${name}/tree/main?limit=${LIMIT}`;
    const page = async () => jsonOf(await hub.send("GET", path));
    await page();
    let least = Infinity;
    for (let index = 0; index < MAX_REPETITIONS && least !== TRIPS; index++) {
      await client.put(`elsewhere/${name} ${index}`, "");
      proxy.take();
      await page();
      least = Math.min(least, proxy.take().length);
    }
    trips.set(name, least);
  }
  assert.deepEqual(Object.fromEntries(trips), { fewer: TRIPS, more: TRIPS });
});

Deno.test({
  name: "C 31 the first page of a large repository after a start costs no more than later ones",
  ignore: !Postgres.isInstalled,
}, async () => {
  const engine = startedPostgres();
  const url = await engine.createDatabase();
  await using data = await TempDir.make();
  await using proxy = new RoundTrips(engine.port);
  const start = () =>
    TestServer.start({
      dataDir: data.path,
      settings: { databaseUrl: url.replace(`:${engine.port}/`, `:${proxy.port}/`) },
      pollIntervalMs: 600_000,
    });
  const names = Array.from({ length: FILES.more }, (_, index) => [`file${index}`, `${index}`]);
  /** The commit id, and how many pages were read to compute it. */
  const firstPage = async (server: TestServer) => {
    const hub = new HubClient(server, await server.as(1));
    proxy.take();
    const page = await hub.send("GET", `/api/models/team/large/tree/main?limit=${LIMIT}`);
    assert.equal(page.status, 200);
    const statements = proxy.take().flat().filter((statement) => DIGESTS.test(statement));
    return { id: page.headers.get("X-Repo-Commit"), read: statements.length };
  };
  let before;
  {
    await using server = await start();
    await (await server.as(1)).upload("models/team/large", Object.fromEntries(names));
    before = await firstPage(server);
    assert.ok(before.read > 1);
  }
  await using again = await start();
  assert.deepEqual(await firstPage(again), { id: before.id, read: 0 });
  // A change in it counts.
  await (await again.as(1)).put("models/team/large/file0", "changed");
  const changed = await firstPage(again);
  assert.equal(changed.read, before.read);
  assert.notEqual(changed.id, before.id);
});
