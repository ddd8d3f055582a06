import * as assert from "node:assert/strict";
import { databaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { findByPath } from "../../../storage/postgres/lookup.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { newRecord } from "../../support/seed.ts";
import { TcpProxy } from "../../support/tcp_proxy.ts";
import { until } from "../../support/until.ts";

const OWN = { userId: 1, everyone: false };
const UNAVAILABLE = { kind: "ErrUnavailable", message: /read-only/, retryAfterS: 1 };

Deno.test({ name: "a standby", ignore: !Postgres.isInstalled }, async (t) => {
  await using primary = await Postgres.start();
  const url = await primary.createDatabase();
  await using proxy = new TcpProxy(primary.port);
  const proxied = url.replace(`:${primary.port}/`, `:${proxy.port}/`);
  await using store = await openPostgresStore(proxied);
  await using standby = await primary.startStandby();
  const standbyUrl = url.replace(`:${primary.port}/`, `:${standby.port}/`);
  const add = (path: string) =>
    store.write((transaction) => transaction.insert([newRecord(`${path}/`)]));
  const has = async (path: string) => (await store.findByPath(OWN, [path])).has(path);
  const collect = async () => {
    await using _files = await store.collectFiles({ userId: 1, byPath: [], byId: [] });
  };
  const leadTo = ({ port }: Postgres) => {
    proxy.target = port;
    proxy.cutAll();
  };

  await t.step("C 23 a standby is unavailable, as what it has may be old", async () => {
    await add("first");
    leadTo(standby);
    await assert.rejects(has("first"), UNAVAILABLE);
    await assert.rejects(add("second"), UNAVAILABLE);
    await assert.rejects(collect(), UNAVAILABLE);
    await assert.rejects(store.takeLease(), UNAVAILABLE);
    await assert.rejects(openPostgresStore(proxied), /read-only.*is a standby/);
    // No connection to it is kept.
    proxy.target = primary.port;
    assert.deepEqual([await has("first"), await has("second")], [true, false]);
    await add("second");
    await collect();
  });
  await t.step("C 23 an engine that refuses to write is unavailable", async () => {
    const write = store.database.use(
      "writes",
      (session) => session.script("BEGIN READ ONLY; DELETE FROM records"),
    );
    await assert.rejects(write, UNAVAILABLE);
  });
  await t.step("C 23 a standby that takes over is used", async () => {
    await add("third");
    leadTo(standby);
    await using reader = await Database.open(databaseAddress(standbyUrl), {
      keepsSchema: true,
      readOnly: true,
    });
    await until(async () => (await findByPath(reader, OWN, ["third"])).has("third"));
    await primary.kill();
    await assert.rejects(add("fourth"), UNAVAILABLE);
    await reader.get("SELECT pg_promote(wait => false)");
    await until(() => add("fourth").then(() => true, () => false));
    await collect();
    assert.deepEqual([await has("third"), await has("fourth")], [true, true]);
  });
});
