import * as assert from "node:assert/strict";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Database } from "../../storage/postgres/database.ts";
import { Postgres } from "../support/postgres.ts";
import { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

Deno.test({
  name: "C 1 and C 23 GET /metrics shows what it can while the database is away",
  ignore: !Postgres.isInstalled,
}, async () => {
  await using engine = await Postgres.start();
  const databaseUrl = await engine.createDatabase();
  await using server = await TestServer.start({ settings: { databaseUrl, metrics: "open" } });
  const read = async () => {
    const reply = await fetch(`${server.origin}/metrics`);
    const text = await reply.text();
    return [
      reply.status,
      ...["http_request_seconds", "damaged_content_total", "records"]
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
