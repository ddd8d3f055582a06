import * as assert from "node:assert/strict";
import { databaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { ServerLease } from "../../../storage/postgres/server_lease.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { newRecord } from "../../support/seed.ts";
import { TcpProxy } from "../../support/tcp_proxy.ts";
import { until } from "../../support/until.ts";

const OWN = { userId: 1, everyone: false };
const decoder = new TextDecoder();

/** An engine whose machine is gone, or a firewall that forgets connections, says nothing any more. */
Deno.test({ name: "a silent engine", ignore: !Postgres.isInstalled }, async (t) => {
  await using engine = await Postgres.start();
  const url = await engine.createDatabase();
  await using direct = await openPostgresStore(url);
  await using proxy = new TcpProxy(engine.port);
  const proxied = url.replace(`:${engine.port}/`, `:${proxy.port}/`);
  const fatal: Error[] = [];
  const onFatal = (error: Error) => void fatal.push(error);
  /** Has nothing pass any more over the connection on which a text is sent next. */
  const loseAt = (text: string) => {
    proxy.rule = (bytes) => {
      if (!decoder.decode(bytes).includes(text)) return "pass";
      proxy.rule = () => "pass";
      return "lose";
    };
  };
  const add = (path: string) =>
    store.write((transaction) => transaction.insert([newRecord(`${path}/`)]));
  const has = async (path: string) => (await direct.findByPath(OWN, [path])).has(path);
  await using store = await openPostgresStore(proxied, { silenceMs: 500, onFatal });

  await t.step("C 23 a read whose connection says nothing is sent again over another", async () => {
    await direct.write((transaction) => transaction.insert([newRecord("read/")]));
    loseAt("unnest");
    assert.equal((await store.findByPath(OWN, ["read"])).has("read"), true);
  });
  await t.step("C 23 a write whose connection says nothing at first runs again", async () => {
    loseAt("INSERT INTO records");
    await add("written");
    assert.equal(await has("written"), true);
  });
  await t.step("C 23 a commit that the engine never gets is refused", async () => {
    loseAt("COMMIT\0");
    await assert.rejects(add("committed"), { kind: "ErrUnavailable" });
    assert.equal(await has("committed"), false);
    await add("committed");
  });
  await t.step("C 23 a commit without a reply has succeeded", async () => {
    proxy.rule = (bytes) => {
      if (!decoder.decode(bytes).includes("COMMIT\0")) return "pass";
      proxy.rule = () => "pass";
      return "lose replies";
    };
    await add("answered");
    assert.equal(await has("answered"), true);
  });
  await t.step("C 23 a write that waits for others is no silence", async () => {
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holding = direct.write(async (transaction) => {
      await transaction.insert([newRecord("first/")]);
      isHeld.resolve();
      await held.promise;
    });
    await isHeld.promise;
    const waiting = add("second");
    const asked = new Set<unknown>();
    await until(async () => {
      const row = await direct.database.get(
        `SELECT max(query_start)::text AS at FROM pg_stat_activity
         WHERE query LIKE 'SELECT pg_xact_status%'`,
      );
      return asked.add(row?.at).size > 3;
    });
    held.resolve();
    await Promise.all([holding, waiting]);
    assert.equal(await has("second"), true);
  });
  await t.step("C 23 a lease is renewed over another connection in time", async () => {
    await using database = await Database.open(databaseAddress(proxied));
    let isLost = false;
    await using lease = await ServerLease.take(database, "silent", {
      leaseMs: 3000,
      onLost: () => isLost = true,
    });
    loseAt("UPDATE servers");
    const renewed = new Set<unknown>();
    let isHeld = true;
    await until(async () => {
      const row = await direct.database.get("SELECT renewed_at::text AS at FROM servers");
      isHeld &&= lease.isHeld;
      return renewed.add(row?.at).size > 2;
    });
    assert.deepEqual([isHeld, isLost], [true, false]);
  });
  assert.deepEqual(fatal, []);
});
