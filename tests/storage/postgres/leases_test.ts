import * as assert from "node:assert/strict";
import { databaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { holdServers, requireNoServer } from "../../../storage/postgres/servers.ts";
import { ServerLease } from "../../../storage/postgres/server_lease.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { TcpProxy } from "../../support/tcp_proxy.ts";
import { until } from "../../support/until.ts";

const startedPostgres = sharedPostgres();

Deno.test({ name: "leases of servers", ignore: !Postgres.isInstalled }, async (t) => {
  const engine = startedPostgres();

  async function openDatabase() {
    const url = await engine.createDatabase();
    const database = await Database.open(databaseAddress(url));
    const run = (sql: string) => database.use("writes", (session) => session.run(sql));
    return {
      url,
      database,
      run,
      endLeases: () => run("SELECT end_leases()"),
      isLive: async (id: string) =>
        await database.get("SELECT 1 FROM servers WHERE id = :id", { id }) !== undefined,
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  }

  await t.step("C 23 no lease ends while the engine recovers from a crash", async () => {
    await using room = await openDatabase();
    await using proxy = new TcpProxy(engine.port);
    const proxied = room.url.replace(`:${engine.port}/`, `:${proxy.port}/`);
    await using behind = await Database.open(databaseAddress(proxied));
    let isLost = false;
    const options = { leaseMs: 1500, onLost: () => isLost = true };
    await using lease = await ServerLease.take(behind, "one", options);
    proxy.rule = () => "cut";
    proxy.cutAll();
    // The main process of the engine ends all others then, and goes on itself.
    const pid = (await room.database.get("SELECT pg_backend_pid() AS pid"))?.pid;
    Deno.kill(Number(pid), "SIGKILL");
    const hasRunOut = "SELECT 1 FROM servers WHERE expires_at < clock_timestamp()";
    await until(() => room.database.get(hasRunOut).then((row) => row !== undefined, () => false));
    await room.endLeases();
    assert.equal(await room.isLive("one"), true);
    proxy.rule = () => "pass";
    await until(() => lease.isHeld);
    assert.equal(isLost, false);
  });

  await t.step("C 23 servers have time after an outage, whichever comes back first", async () => {
    await using room = await openDatabase();
    await using _first = await ServerLease.take(room.database, "first", { leaseMs: 3000 });
    await room.run(
      `INSERT INTO servers (id, expires_at, results_version)
       VALUES ('later', clock_timestamp() + interval '30 seconds', '')`,
    );
    await room.run(
      `UPDATE servers SET expires_at = expires_at - interval '1 minute',
         renewed_at = renewed_at - interval '1 minute', steady_since = steady_since - interval '1 hour'`,
    );
    await until(async () =>
      await room.database.get(
        "SELECT 1 FROM servers WHERE id = 'first' AND expires_at > clock_timestamp()",
      ) !== undefined
    );
    await room.endLeases();
    assert.equal(await room.isLive("later"), true);
    await until(async () => {
      // As if half a minute had passed.
      await room.run(
        "UPDATE servers SET steady_since = steady_since - interval '30 seconds' WHERE id = 'first'",
      );
      await room.endLeases();
      return !await room.isLive("later");
    });
    assert.equal(await room.isLive("first"), true);
  });

  await t.step("C 23 a server that has yet to renew its lease ends none of others", async () => {
    await using room = await openDatabase();
    await room.run(
      `INSERT INTO servers (id, renewed_at, expires_at, steady_since, results_version)
       SELECT id, clock_timestamp() - ago, clock_timestamp() - ago + interval '30 seconds',
         clock_timestamp() - interval '1 hour', ''
       FROM (VALUES ('first', interval '25 seconds'), ('later', interval '31 seconds')) AS it (id, ago)`,
    );
    await room.endLeases();
    assert.equal(await room.isLive("later"), true);
    await room.run(
      `UPDATE servers SET renewed_at = clock_timestamp(),
         expires_at = clock_timestamp() + interval '30 seconds' WHERE id = 'first'`,
    );
    await room.endLeases();
    assert.deepEqual([await room.isLive("first"), await room.isLive("later")], [true, false]);
  });

  await t.step("C 23 a lease is renewed while all writers are busy", async () => {
    await using room = await openDatabase();
    await using busy = await Database.open(databaseAddress(room.url), { connections: 1 });
    await using _lease = await ServerLease.take(busy, "one", { leaseMs: 1500 });
    const renewedAt = async () =>
      (await room.database.get("SELECT renewed_at::text AS time FROM servers"))?.time;
    await busy.use("writes", async () => {
      const before = await renewedAt();
      await until(async () => await renewedAt() !== before);
    });
  });

  await t.step("C 23 a server that has just opened the database is held, too", async () => {
    await using room = await openDatabase();
    let isTaken = false;
    let taking: Promise<ServerLease>;
    {
      await using _held = await holdServers(room.database);
      taking = ServerLease.take(room.database, "late").then((lease) => {
        isTaken = true;
        return lease;
      });
      const isWaiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      await until(async () => isTaken || await room.database.get(isWaiting) !== undefined);
      assert.equal(isTaken, false);
    }
    await using _lease = await taking;
    assert.equal(await room.isLive("late"), true);
  });
  await t.step("C 22 and C 23 a repair waits for servers that an outage has cut off", async () => {
    await using room = await openDatabase();
    const insert = (lease: string) =>
      room.run(
        `INSERT INTO servers (id, renewed_at, expires_at, results_version)
         VALUES ('one', clock_timestamp() - interval '1 hour',
           clock_timestamp() - interval '1 hour' + interval '${lease}', '')`,
      );
    await insert("30 seconds");
    const refused = assert.rejects(requireNoServer(room.database, "db"), /in use by 1 server,/);
    // It comes back after it was looked for.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await room.run(
      "UPDATE servers SET renewed_at = clock_timestamp(), expires_at = clock_timestamp() + interval '1 hour'",
    );
    await refused;
    await room.run("DELETE FROM servers");
    await insert("300 milliseconds");
    await requireNoServer(room.database, "db");
    assert.equal(await room.isLive("one"), false);
  });
});
