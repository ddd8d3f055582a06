import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import type { ResourceStore } from "../../../core/ports.ts";
import { databaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import type { Session } from "../../../storage/postgres/session.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { newRecord } from "../../support/seed.ts";
import { type ProxyRule, TcpProxy } from "../../support/tcp_proxy.ts";
import { until } from "../../support/until.ts";

const OWN = { userId: 1, everyone: false };
const decoder = new TextDecoder();
const isCommit = (bytes: Uint8Array) => decoder.decode(bytes).includes("COMMIT\0");

function add(store: ResourceStore, path: string): Promise<unknown> {
  return store.write((transaction) => transaction.insert([newRecord(`${path}/`)]));
}

async function has(store: ResourceStore, path: string): Promise<boolean> {
  return (await store.findByPath(OWN, [path])).has(path);
}

function isUnavailable(error: unknown): true {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.kind, "ErrUnavailable");
  return true;
}

Deno.test({ name: "PostgresResourceStore", ignore: !Postgres.isInstalled }, async (t) => {
  await using engine = await Postgres.start({
    fsync: true,
    // What is written stays in memory until a commit, so that a crash loses it.
    settings: { wal_writer_delay: "10s", bgwriter_delay: "10s" },
  });
  const url = await engine.createDatabase();
  await using direct = await openPostgresStore(url);
  await using proxy = new TcpProxy(engine.port);
  const proxied = url.replace(`:${engine.port}/`, `:${proxy.port}/`);
  const once = (action: ReturnType<ProxyRule>): ProxyRule => (bytes) => {
    if (!isCommit(bytes)) return "pass";
    proxy.rule = () => "pass";
    return action;
  };

  await t.step(
    "C 23 a write whose connection breaks before its commit changes nothing",
    async () => {
      await using store = await openPostgresStore(proxied);
      proxy.rule = once("cut");
      await assert.rejects(add(store, "before"), isUnavailable);
      assert.equal(await has(direct, "before"), false);
      await add(store, "before");
    },
  );
  await t.step("C 23 a write whose connection breaks after its commit has succeeded", async () => {
    await using store = await openPostgresStore(proxied);
    proxy.rule = once("cut after reply");
    await add(store, "after");
    assert.equal(await has(direct, "after"), true);
  });
  await t.step(
    "C 23 a write whose connection breaks in its commit ends as the engine says",
    async () => {
      await using store = await openPostgresStore(proxied);
      for (let round = 0; round < 20; round++) {
        const path = `in${round}`;
        proxy.rule = once("cut at once");
        const succeeded = await add(store, path).then(() => true, (error) => !isUnavailable(error));
        assert.equal(await has(direct, path), succeeded);
      }
    },
  );
  await t.step("C 23 reads go on over other connections when theirs break", async () => {
    await using store = await openPostgresStore(proxied);
    for (let round = 0; round < 5; round++) {
      assert.equal(await has(store, "after"), true);
      proxy.cutAll();
      assert.equal(await has(store, "after"), true);
    }
  });
  await t.step("C 23 an engine that refuses connections is unavailable", async () => {
    await using store = await openPostgresStore(proxied);
    await using admin = await Database.open(databaseAddress(await engine.createDatabase()));
    const name = new URL(url).pathname.slice(1);
    const allow = (may: boolean) =>
      admin.use(
        "writes",
        (session) => session.script(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${may}`),
      );
    await allow(false);
    proxy.cutAll();
    await assert.rejects(add(store, "refused"), isUnavailable);
    await assert.rejects(has(store, "refused"), isUnavailable);
    await assert.rejects(openPostgresStore(proxied), /not currently accepting connections/);
    await allow(true);
    await add(store, "let in");
  });
  await t.step(
    "C 23 an engine that is away is unavailable, and used again when it is back",
    async () => {
      await using store = await openPostgresStore(url);
      await add(store, "first");
      await engine.kill();
      await assert.rejects(add(store, "second"), isUnavailable);
      await assert.rejects(has(store, "first"), isUnavailable);
      await assert.rejects(store.probe(), isUnavailable);
      await engine.restart();
      await store.probe();
      assert.equal(await has(store, "first"), true);
      assert.equal(await has(store, "second"), false);
      await add(store, "second");
    },
  );
  await t.step(
    "C 23 a crash in a commit is never taken for a success of another transaction",
    async () => {
      const fatal: string[] = [];
      const store = await openPostgresStore(proxied, {
        onFatal: (error) => fatal.push(error.message),
      });
      let held = false;
      proxy.rule = (bytes) => {
        held ||= isCommit(bytes);
        return held ? "hold" : "pass";
      };
      let outcome = "";
      const written = add(store, "crashed").then(
        () => outcome = "succeeded",
        () => outcome = "failed",
      );
      await until(() => held);
      await engine.restart();
      // Others may get the same transaction id.
      await until(async () => await direct.probe().then(() => true, () => false));
      for (let round = 0; round < 20; round++) await add(direct, `other${round}`);
      proxy.rule = () => "pass";
      proxy.cutAll();
      await until(() => outcome !== "" || fatal.length > 0);
      assert.notEqual(outcome, "succeeded");
      assert.equal(await has(direct, "crashed"), false);
      if (outcome !== "") {
        await written;
        await store[Symbol.asyncDispose]();
      }
    },
  );
  await t.step(
    "C 31 a crash in a commit has failed it while another transaction has its id, and spares that",
    async () => {
      const fatal: string[] = [];
      await using store = await openPostgresStore(proxied, {
        onFatal: (error) => fatal.push(error.message),
      });
      await using others = await Database.open(databaseAddress(url), { connections: 1 });
      // Each transaction knows the run of the engine in which it began.
      await add(store, "known");
      let held = false;
      proxy.rule = (bytes) => {
        held ||= isCommit(bytes);
        return held ? "hold" : "pass";
      };
      const written = assert.rejects(add(store, "crashed again"), isUnavailable);
      await until(() => held);
      const row = await others.get(
        "SELECT max(backend_xid::text::bigint) AS id FROM pg_stat_activity WHERE state = 'idle in transaction'",
      );
      await engine.restart();
      // Nothing that would take the id.
      await until(() => others.get("SELECT").then(() => true, () => false));
      const next = async (session: Session) => {
        await session.begin();
        const begun = await session.get("SELECT pg_current_xact_id()::text::bigint AS id");
        return Number(begun?.id);
      };
      await others.use("writes", async (session) => {
        let id = await next(session);
        while (id < Number(row?.id)) {
          await session.commit();
          id = await next(session);
        }
        assert.equal(id, row?.id, "the engine has lost nothing in its crash");
        proxy.rule = () => "pass";
        proxy.cutAll();
        await written;
        await session.commit();
      });
      assert.deepEqual(fatal, []);
      assert.equal(await has(direct, "crashed again"), false);
    },
  );
});
