import * as assert from "node:assert/strict";
import type { Scan, ScanFile } from "../../../core/scans/ports.ts";
import { SharedScanQueue } from "../../../storage/postgres/shared_scan_queue.ts";
import { ServerLease } from "../../../storage/postgres/server_lease.ts";
import { plainScan } from "../../core/scanner/plain_scan.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { until } from "../../support/until.ts";

const startedPostgres = sharedPostgres();

const FILE: ScanFile = { userId: 1, path: "f", name: "f", hash: "0".repeat(32), size: 1 };

Deno.test({ name: "scans of several servers", ignore: !Postgres.isInstalled }, async (t) => {
  const engine = startedPostgres();
  const { signal } = new AbortController();

  /** Two servers over a new database, whose leases end when they are killed. */
  async function twoServers(leaseMs = 60_000) {
    const url = await engine.createDatabase();
    await using made = new AsyncDisposableStack();
    const open = async (server: string) => {
      const store = made.use(await openPostgresStore(url, { server }));
      const lease = made.use(await ServerLease.take(store.database, server, { leaseMs }));
      const { scans, database } = store;
      const queue = new SharedScanQueue(database, scans, { giveBackIntervalMs: 0 });
      return { store, scans, database, lease, queue };
    };
    const [one, other] = [await open("one"), await open("other")];
    const kept = made.move();
    const create = (requestedBy: number): Promise<Scan> =>
      one.scans.create(
        { userId: 1, requestedBy, paths: ["f"], skip: [], createdAt: 0 },
        (async function* () {
          yield await Promise.resolve([FILE]);
        })(),
      );
    return { one, other, create, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }

  await t.step("C 23 each scan is taken once, by whichever server asks first", async () => {
    await using servers = await twoServers();
    const { one, other, create } = servers;
    const created = await Promise.all(Array.from({ length: 20 }, () => create(1)));
    const taken = await Promise.all(
      Array.from({ length: 30 }, (_, index) => [one, other][index % 2]!.queue.take([])),
    );
    const ids = taken.flatMap((scan) => scan === undefined ? [] : [scan.id]);
    // One that is being taken is left to who takes it, so a server may find none.
    while (ids.length < 20) {
      const next = await one.queue.take([]);
      assert.ok(next);
      ids.push(next.id);
    }
    assert.deepEqual(ids.sort((a, b) => a - b), created.map(({ id }) => id).sort((a, b) => a - b));
    assert.equal(await one.queue.take([]), undefined);
    assert.deepEqual((await one.scans.find(ids[0]!))?.status, "running");
  });

  await t.step("C 22 and C 23 users take turns, at all servers together", async () => {
    await using servers = await twoServers();
    const { one, other, create } = servers;
    for (const user of [1, 1, 1, 1, 2, 2]) await create(user);
    const order: number[] = [];
    for (const { queue, scans } of [one, other, one, other, one, other]) {
      const scan = await queue.take([]);
      assert.ok(scan);
      order.push(scan.requestedBy);
      // A host may carry one scan at a time: none is running when the next one is taken.
      await scans.end(scan, "failed", 1);
    }
    assert.deepEqual(order, [1, 2, 1, 2, 1, 1]);
  });

  await t.step(
    "C 23 a server that ends gives its scans back, and one that starts leaves those of others",
    async () => {
      await using servers = await twoServers();
      const { one, other, create } = servers;
      const { id } = await create(1);
      assert.equal((await other.queue.take([]))?.id, id);
      await one.queue.exchange([]);
      assert.deepEqual(await one.scans.requeue(), []);
      assert.equal((await one.scans.find(id))?.status, "running");
      await other.lease[Symbol.asyncDispose]();
      await one.queue.exchange([]);
      assert.equal((await one.queue.take([]))?.id, id);
    },
  );

  await t.step(
    "C 23 a server that wakes up after its lease changes nothing of a scan that another one runs",
    async () => {
      await using servers = await twoServers();
      const { one, other, create } = servers;
      const { id } = await create(1);
      await other.queue.take([]);
      const key = { userId: 1, hash: FILE.hash, name: "f", skip: [] };
      await other.scans.keepResult(id, "f", key, plainScan(1));
      await one.database.use(
        "writes",
        (session) => session.run("DELETE FROM servers WHERE id = 'other'"),
      );
      await one.queue.exchange([]);
      // Nobody runs it yet.
      await assert.rejects(other.scans.complete(id, 7, signal), /another server runs it/);
      const taken = await one.queue.take([]);
      assert.equal(taken?.id, id);
      await assert.rejects(other.scans.complete(id, 7, signal), /another server runs it/);
      const progress = { id, filesScanned: 0, bytesScanned: 0 };
      await assert.rejects(other.scans.end(progress, "failed", 7), /another server runs it/);
      await other.scans.start(id, 99);
      assert.equal(await other.scans.failFile(id, "f", "late"), false);
      const found = await one.scans.find(id);
      assert.deepEqual([found?.status, found?.startedAt], ["running", taken.startedAt]);
      assert.equal((await Array.fromAsync(one.scans.files(id))).flat().length, 1);
      assert.equal((await one.scans.complete(id, 8, signal)).filesScanned, 1);
    },
  );

  await t.step(
    "C 23 a lease lasts while its server renews it, and its loss is noticed",
    async () => {
      const url = await engine.createDatabase();
      await using one = await openPostgresStore(url, { server: "one" });
      let lost = 0;
      const options = { leaseMs: 3000, onLost: () => lost++ };
      await using _lease = await ServerLease.take(one.database, "one", options);
      const isAlive = async () => {
        const row = await one.database.get(
          "SELECT 1 AS alive FROM servers WHERE id = 'one' AND expires_at > clock_timestamp()",
        );
        return row !== undefined;
      };
      const before = await one.database.get("SELECT expires_at::text AS at FROM servers");
      await until(async () =>
        (await one.database.get("SELECT expires_at::text AS at FROM servers"))?.at !== before?.at
      );
      assert.ok(await isAlive());
      await one.database.use("writes", (session) => session.run("DELETE FROM servers"));
      await until(() => lost > 0);
      assert.equal(lost, 1);
    },
  );
});

Deno.test({
  name: "C 23 a server starts beside scans of many files, whatever results it has to forget",
  ignore: !Postgres.isInstalled,
}, async () => {
  const engine = startedPostgres();
  const options = { resultsVersion: "it", statementMs: 10_000 };
  await using store = await openPostgresStore(await engine.createDatabase(), options);
  await store.database.use("long", (session) =>
    session.script(`
      INSERT INTO scans (user_id, requested_by, status, paths, paths_total, skip, created_at,
        files_total, bytes_total) VALUES (1, 1, 'queued', '[]', 0, '[]', 0, 400000, 0);
      INSERT INTO scan_files (scan_id, user_id, path, name, hash, size)
        SELECT 1, 1, i::text, 'f', md5(i::text), 1 FROM generate_series(1, 400000) AS i;
      INSERT INTO scan_results
        (hash, user_id, name, skip, version, verdict, findings, scanned_at, result)
        SELECT md5((-i)::text), 1, 'f', '[]', 'it', 'clean', '[]', 0, '{}'
        FROM generate_series(1, 10000) AS i;
      INSERT INTO scan_attempts (hash, user_id, name, skip, attempts)
        SELECT hash, user_id, name, skip, 1 FROM scan_results;
      ANALYZE`));
  await store.scans.requeue();
  const left = await store.database.get(
    `SELECT (SELECT count(*) FROM scan_results) + (SELECT count(*) FROM scan_attempts) AS count`,
  );
  assert.equal(left?.count, 0);
});

Deno.test({
  name: "C 23 a server of another version starts, however long it takes to forget former results",
  ignore: !Postgres.isInstalled,
}, async () => {
  const engine = startedPostgres();
  const options = { resultsVersion: "it", statementMs: 500 };
  await using store = await openPostgresStore(await engine.createDatabase(), options);
  const { database } = store;
  await database.use("long", async (session) => {
    await session.script(`
      INSERT INTO scan_results
        (hash, user_id, name, skip, version, verdict, findings, scanned_at, result)
        VALUES (md5(''), 1, 'f', '[]', 'former', 'clean', '[]', 0, '{}');
      BEGIN;
      LOCK TABLE scan_results IN SHARE MODE`);
    const starting = store.scans.requeue();
    const isLate = until(async () =>
      await database.get(
        `SELECT 1 FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND query_start < clock_timestamp() - interval '2 seconds'`,
      ) !== undefined
    );
    await Promise.race([starting, isLate]);
    await session.script("ROLLBACK");
    await starting;
    await isLate;
  });
  const left = await database.get("SELECT count(*) AS count FROM scan_results");
  assert.equal(left?.count, 0);
});
