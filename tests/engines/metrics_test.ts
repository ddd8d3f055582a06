import * as assert from "node:assert/strict";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Database } from "../../storage/postgres/database.ts";
import { ChildServer, ROOT } from "../support/child_server.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { TempDir } from "../support/temp_dir.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const startedPostgres = sharedPostgres();

Deno.test({
  name: "C 1 and C 23 GET /metrics shows what it can while the database is away",
  ignore: !Postgres.isInstalled,
}, async () => {
  const engine = startedPostgres();
  const databaseUrl = await engine.createDatabase();
  await using server = await TestServer.start({ settings: { databaseUrl, metrics: "open" } });
  const read = async () => {
    const reply = await fetch(`${server.origin}/metrics`);
    const text = await reply.text();
    return [
      reply.status,
      ...["http_request_seconds", "database_connections", "records"]
        .map((name) => text.includes(`# TYPE strongroom_${name} `)),
    ];
  };
  assert.deepEqual(await read(), [200, true, true, true]);
  await using other = await Database.open(databaseAddress(await engine.createDatabase()));
  const name = new URL(databaseUrl).pathname.slice(1);
  await other.use(
    "writes",
    (session) => session.script(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`),
  );
  // What is being committed ends in order.
  await until(async () => {
    const open = await other.all(
      `SELECT state = 'idle' AND pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = :name`,
      { name },
    );
    return open.length === 0;
  });
  assert.deepEqual(await read(), [200, true, true, false]);
});

Deno.test({
  name: "C 31 GET /metrics shows connections, lease and requests to the store",
  ignore: !Postgres.isInstalled || !S3Engine.isInstalled,
}, async () => {
  const engine = startedPostgres();
  await using store = await S3Engine.start();
  await using directory = await TempDir.make();
  await using server = await ChildServer.start({
    dataDir: directory.path,
    env: {
      STRONGROOM_DATABASE_URL: await engine.createDatabase(),
      STRONGROOM_CONTENT_URL: store.contentUrl(),
      STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
      STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
      STRONGROOM_METRICS: "open",
      STRONGROOM_DRAIN: "0",
    },
  });
  const read = async () => {
    const text = await (await fetch(`${server.origin}/metrics`)).text();
    return (name: string) => {
      const line = text.split("\n").find((line) => line.startsWith(`strongroom_${name} `));
      assert.ok(line, `${name}\n${text}`);
      return Number(line.split(" ")[1]);
    };
  };
  const client = await server.as(1);
  const before = await read();
  assert.equal((await client.put("large", "x".repeat(2 ** 17))).status, 201);
  const after = await read();
  const puts = 'store_requests_total{method="PUT"}';
  assert.ok(after(puts) > before(puts));
  assert.ok(after("store_seconds_total") > before("store_seconds_total"));
  assert.ok(after('database_connections{purpose="writes"}') > 0);
  assert.equal(after('database_connections_used{purpose="writes"}'), 0);
  assert.equal(after('database_waiting{purpose="writes"}'), 0);
  const lease = after("lease_seconds");
  assert.ok(lease > 0 && lease <= 30);
  const guide = await Deno.readTextFile(`${ROOT}docs/guides/operating.md`);
  const text = await (await fetch(`${server.origin}/metrics`)).text();
  const served = text.matchAll(/^# TYPE (\w+)/gm).map(([, name]) => name).toArray();
  assert.deepEqual(served.filter((name) => !guide.includes(`\n| \`${name}\``)), []);
  await store.kill();
  assert.equal((await client.put("other", "y".repeat(2 ** 17))).status, 503);
  assert.ok((await read())('store_failures_total{kind="unreachable"}') > 0);
});
