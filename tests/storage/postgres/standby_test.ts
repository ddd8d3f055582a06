import * as assert from "node:assert/strict";
import type { EventBatch } from "../../../core/events.ts";
import { Log } from "../../../core/log.ts";
import { databaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { readPosition } from "../../../storage/postgres/event_pages.ts";
import { findByPath } from "../../../storage/postgres/lookup.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { newRecord } from "../../support/seed.ts";
import { TcpProxy } from "../../support/tcp_proxy.ts";
import { until } from "../../support/until.ts";

const REPOSITORY = { userId: 1, directory: "models/team/one" };
const OWN = { userId: 1, everyone: false };
const UNAVAILABLE = { kind: "ErrUnavailable", message: /read-only/, retryAfterS: 1 };

Deno.test({
  name: "C 11 and C 23 who follows events lists again when a standby takes over that lacks some",
  ignore: !Postgres.isInstalled,
}, async () => {
  await using primary = await Postgres.start();
  const url = await primary.createDatabase();
  await using proxy = new TcpProxy(primary.port);
  await using store = await openPostgresStore(
    url.replace(`:${primary.port}/`, `:${proxy.port}/`),
  );
  const log = new Log({ level: "error", format: "text", write: (line) => assert.fail(line) });
  const entryOf = (text: string) => ({ owner: 1, text, bytes: text.length });
  await using events = store.openEvents(entryOf, log);
  const append = (text: string) =>
    store.write((transaction) => transaction.usage(1), {
      events: () => events.entriesOf([text]),
    });
  const follow = (after?: string) =>
    events.subscribe({ owner: 1, after, idleMs: 50, signal: new AbortController().signal });
  await append("kept");
  await using standby = await primary.startStandby();
  await using reader = await Database.open(
    databaseAddress(url.replace(`:${primary.port}/`, `:${standby.port}/`)),
    { keepsSchema: true, readOnly: true },
  );
  await until(async () => (await readPosition(reader, 1)).end > 1);
  // From now on it follows no more.
  await reader.use(
    "reads",
    (session) => session.script("ALTER SYSTEM SET primary_conninfo = ''"),
  );
  await reader.get("SELECT pg_reload_conf()");
  await until(async () => (await reader.all("SELECT pid FROM pg_stat_wal_receiver")).length === 0);
  const batches = follow();
  await batches.next();
  await append("lost");
  let seen: EventBatch | undefined;
  while (seen?.kind !== "events" || seen.events.length === 0) seen = (await batches.next()).value;
  const former = await store.hub.versionOf(REPOSITORY);

  proxy.target = standby.port;
  await primary.kill();
  await reader.get("SELECT pg_promote(wait => false)");
  await until(() => append("another").then(() => true, () => false));
  await append("and one more");
  await until(async () => (await store.hub.versionOf(REPOSITORY)).epoch !== former.epoch);
  const found: string[] = [];
  for await (const batch of batches) {
    if (batch.kind === "events") found.push(...batch.events.map(({ text }) => text));
  }
  // What it got until it was cut off has numbers of the lost ones, so it must not go on from there.
  const again = follow(seen.id);
  assert.equal((await again.next()).value?.kind, "reset", found.join());
  await append("new");
  for await (const batch of again) {
    if (batch.kind !== "events") assert.fail(batch.kind);
    if (batch.events.length === 0) continue;
    assert.deepEqual(batch.events.map(({ text }) => text), ["new"]);
    break;
  }
});

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
