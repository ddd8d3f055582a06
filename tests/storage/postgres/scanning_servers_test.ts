import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { plainScan } from "../../core/scanner/plain_scan.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";
import {
  HeldScanner,
  namedFile,
  type ScanningServer,
  scanningServer,
} from "../../support/scanning_servers.ts";
import { seed } from "../../support/seed.ts";
import { until } from "../../support/until.ts";

const startedPostgres = sharedPostgres();

const MD5_OF_F = createHash("md5").update("f").digest("hex");
const NEVER = new AbortController().signal;

async function statusOf({ store }: ScanningServer, id: number): Promise<string | undefined> {
  return (await store.scans.find(id))?.status;
}

Deno.test({ name: "servers that scan", ignore: !Postgres.isInstalled }, async (t) => {
  const engine = startedPostgres();

  /** Two servers over a new database. */
  async function twoServers(capacities: readonly [number, number]) {
    const url = await engine.createDatabase();
    await using made = new AsyncDisposableStack();
    const scanners = [new HeldScanner(), new HeldScanner()] as const;
    const open = (name: string, index: 0 | 1) =>
      scanningServer(url, { name, capacity: capacities[index], scanner: scanners[index] });
    const [one, other] = [made.use(await open("one", 0)), made.use(await open("other", 1))];
    const kept = made.move();
    return { url, one, other, scanners, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }

  await t.step(
    "C 23 each host takes as many scans as it carries, and each scan runs once",
    async () => {
      await using servers = await twoServers([1, 2]);
      const { one, other, scanners } = servers;
      const names = ["a", "b", "c", "d", "e", "f"];
      const ids: number[] = [];
      for (const name of names) ids.push(await one.request(1, name));
      await until(() => scanners[0].running.length === 1 && scanners[1].running.length === 2);
      assert.deepEqual([one.jobs.instances.running, other.jobs.instances.running], [1, 2]);
      assert.equal(await other.jobs.queued(), 3);
      assert.equal(one.jobs.hasRoom || other.jobs.hasRoom, false);
      const ended = Promise.all(ids.map((id) => one.jobs.finished(id, NEVER)));
      for (const scanner of scanners) scanner.open();
      assert.ok((await ended).every((scan) => scan?.status === "completed"));
      assert.deepEqual([...scanners[0].begun, ...scanners[1].begun].sort(), names);
      await until(() => one.ended.length + other.ended.length === 6);
      assert.ok(other.ended.length >= 2, "the other server ran no scan");
      assert.deepEqual([...one.ended, ...other.ended].map(({ id }) => id).sort(), ids.sort());
    },
  );

  await t.step("C 22 and C 23 users take turns, at whichever server they ask", async () => {
    await using servers = await twoServers([0, 1]);
    const { one, other, scanners } = servers;
    scanners[0].open();
    await other.request(9, "first");
    await until(() => scanners[1].running.length === 1);
    for (const name of ["1a", "1b", "1c"]) await other.request(1, name);
    const last = await one.request(2, "2a");
    scanners[1].open();
    await other.jobs.finished(last, NEVER);
    await until(() => scanners[1].begun.length === 5);
    assert.deepEqual(scanners[1].begun, ["first", "1a", "2a", "1b", "1c"]);
  });

  await t.step("C 15 and C 23 a scan is canceled at any server, and watched at any", async () => {
    await using servers = await twoServers([1, 0]);
    const { one, other, scanners } = servers;
    const running = await one.request(1, "a");
    const queued = await one.request(1, "b");
    await until(() => scanners[0].running.length === 1);
    const watched = other.jobs.finished(running, NEVER);
    assert.equal(await other.jobs.cancel(queued), true);
    assert.equal(await statusOf(one, queued), "cancelled");
    assert.equal(await other.jobs.cancel(running), true);
    assert.deepEqual(scanners[0].running, []);
    assert.equal((await watched)?.status, "cancelled");
    assert.equal(await other.jobs.cancel(running), false);
    // The other server sees the end in the database, which may be before this one announces it.
    await until(() => one.ended.length > 0);
    assert.deepEqual([one.ended.map(({ id }) => id), other.ended.map(({ id }) => id)], [
      [running],
      [queued],
    ]);
  });

  await t.step(
    "C 23 a scan whose server does not answer is canceled when its lease ends",
    async () => {
      await using servers = await twoServers([0, 1]);
      const { url, one, other, scanners } = servers;
      await using slow = await openPostgresStore(url, { server: "slow" });
      await slow.takeLease();
      const id = await one.request(1, "a");
      await until(() => scanners[1].running.length === 1);
      await run(other, "UPDATE scans SET server = 'slow'");
      await until(() => other.jobs.instances.running === 0);
      await assert.rejects(one.jobs.cancel(id), /will be canceled/);
      assert.equal(await statusOf(one, id), "running");
      const ended = one.jobs.finished(id, NEVER);
      await run(other, "DELETE FROM servers WHERE id = 'slow'");
      assert.equal((await ended)?.status, "cancelled");
    },
  );

  await t.step("C 23 what a server has left when its lease ends is done by another", async () => {
    await using servers = await twoServers([1, 0]);
    const { one, other, scanners } = servers;
    const id = await one.request(1, "a", "b");
    await until(() => scanners[0].running.length === 2);
    const ended = other.jobs.finished(id, NEVER);
    scanners[1].open();
    other.room.isOpen = true;
    // It is so slow that others take it for dead, while it goes on.
    await run(other, "DELETE FROM servers WHERE id = 'one'");
    assert.equal((await ended)?.status, "completed");
    assert.deepEqual(scanners[1].begun.sort(), ["a", "b"]);
    await until(() => one.jobs.instances.running === 0);
    assert.deepEqual([one.ended.length, other.ended.length], [0, 1]);
    assert.equal((await other.store.scans.find(id))?.filesScanned, 2);
  });

  await t.step("C 23 a server that stops gives its scans back at once", async () => {
    await using servers = await twoServers([0, 1]);
    const { one, other, scanners } = servers;
    const id = await one.request(1, "a");
    await until(() => scanners[1].running.length === 1);
    one.room.isOpen = true;
    scanners[0].open();
    await other.jobs.stop();
    assert.equal((await one.jobs.finished(id, NEVER))?.status, "completed");
    assert.deepEqual(other.ended, []);
  });

  await t.step("C 15 and C 23 a content is scanned at one server at a time", async () => {
    await using servers = await twoServers([1, 0]);
    const { one, other, scanners } = servers;
    const first = await one.request(1, "same");
    await until(() => scanners[0].running.length === 1);
    other.room.isOpen = true;
    const second = await one.request(1, "same");
    await until(() => other.jobs.instances.running === 1);
    for (const scanner of scanners) scanner.open();
    for (const id of [first, second]) {
      assert.equal((await other.jobs.finished(id, NEVER))?.status, "completed");
    }
    assert.deepEqual([scanners[0].begun, scanners[1].begun], [["same"], []]);
  });

  await t.step("C 15 and C 23 only attempts whose server has ended count as failed", async () => {
    await using servers = await twoServers([0, 0]);
    const { one, other } = servers;
    const key = { ...namedFile("x"), skip: [] };
    const begin = ({ store }: ScanningServer) => store.scans.beginAttempt(key, 2);
    assert.deepEqual([await begin(one), await begin(other), await begin(other)], [
      "begun",
      "elsewhere",
      "elsewhere",
    ]);
    await one.store.scans.withdrawAttempt(key);
    assert.equal(await begin(other), "begun");
    await other.store.scans.endAttempt(key);
    assert.equal(await begin(one), "begun");
    await run(other, "DELETE FROM servers WHERE id = 'one'");
    assert.deepEqual([await begin(other), await begin(one)], ["begun", "elsewhere"]);
    await run(other, "DELETE FROM servers WHERE id = 'other'");
    assert.equal(await begin(one), "exhausted");
  });

  await t.step("C 15 and C 23 the queue of all servers is full together", async () => {
    await using servers = await twoServers([0, 0]);
    const { one, other } = servers;
    for (const name of ["a", "b", "c"]) await one.request(1, name);
    await assert.rejects(other.jobs.reserveSlot(1, 3), /3 scans are waiting/);
    const slot = await other.jobs.reserveSlot(2, 3);
    assert.equal(await other.jobs.queued(), 4);
    slot[Symbol.dispose]();
    assert.equal(await other.jobs.queued(), 3);
  });

  await t.step(
    "C 18 and C 23 files that a search finds are scanned at one server each",
    async () => {
      const url = await engine.createDatabase();
      const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
      await using store = await openPostgresStore(url, { server: "first", resultsVersion: "1" });
      await seed(withContents(store), names.map((path) => ({ path, content: path })));
      const scanners = [new HeldScanner(), new HeldScanner()] as const;
      const open = (name: string, index: 0 | 1) =>
        scanningServer(url, { name, capacity: 1, scanner: scanners[index], gate: true });
      await using one = await open("one", 0);
      await using _other = await open("other", 1);
      await until(() => scanners.every(({ running }) => running.length > 0));
      for (const scanner of scanners) scanner.open();
      await until(async () => {
        const { contents } = await one.store.verdicts.unscannedAfter(0);
        return contents.length === 0;
      });
      assert.deepEqual([...scanners[0].begun, ...scanners[1].begun].sort(), names.sort());
    },
  );

  await t.step("C 23 servers of two versions keep the results of both", async () => {
    const url = await engine.createDatabase();
    const open = async (server: string, resultsVersion: string) => {
      const store = await openPostgresStore(url, { server, resultsVersion });
      await store.takeLease();
      return store;
    };
    await using old = await open("old", "1");
    await seed(withContents(old), [{ path: "f", content: "f" }]);
    const key = { userId: 1, hash: MD5_OF_F, name: "f", skip: [] };
    await using recent = await open("recent", "2");
    const known = async () => [await old.scans.hasResult(key), await recent.scans.hasResult(key)];
    const result = { ...plainScan(1), hashes: { sha256: "0".repeat(64) } };
    assert.equal(await old.scans.keepContentResult(key, result), true);
    await recent.scans.requeue();
    assert.deepEqual(await known(), [true, false]);
    assert.equal(await recent.scans.keepContentResult(key, result), true);
    await old.scans.requeue();
    assert.deepEqual(await known(), [true, true]);
    await recent.database.use(
      "writes",
      (session) => session.run("DELETE FROM servers WHERE id = 'old'"),
    );
    await recent.scans.requeue();
    assert.deepEqual(await known(), [false, true]);
  });
});

function run({ store }: ScanningServer, sql: string): Promise<number> {
  return store.database.use("writes", (session) => session.run(sql));
}
