import * as assert from "node:assert/strict";
import { SqliteResourceStore } from "../../../storage/database/sqlite_resource_store.ts";
import { Connection } from "../../../storage/database/connection.ts";
import { SCAN_STATEMENTS } from "../../../storage/database/scan_statements.ts";
import { RunningWorkers } from "../../support/running_workers.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 15 complete() stops when its signal aborts", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const { scans } = store;
  const scan = { userId: 1, requestedBy: 1, paths: ["a"], skip: [], createdAt: 0 };
  const { id } = await scans.create(scan, (async function* () {})());
  const reason = new Error("canceled");
  await assert.rejects(scans.complete(id, 1, AbortSignal.abort(reason)), reason);
  const midway = new AbortController();
  const completed = scans.complete(id, 1, midway.signal);
  setTimeout(() => midway.abort(reason));
  await assert.rejects(completed, reason);
  assert.equal((await scans.find(id))?.status, "queued");
  assert.equal(await scans.report(id), undefined);
  assert.equal((await scans.complete(id, 1, new AbortController().signal)).status, "completed");
});

Deno.test("C 22 one thread makes the reports of all scans", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const { scans } = store;
  const scan = { userId: 1, requestedBy: 1, paths: ["a"], skip: [], createdAt: 0 };
  const none = async function* () {};
  const created = await Promise.all(Array.from({ length: 8 }, () => scans.create(scan, none())));
  using workers = new RunningWorkers();
  const { signal } = new AbortController();
  const completed = await Promise.all(created.map(({ id }) => scans.complete(id, 1, signal)));
  assert.deepEqual(completed.map(({ status }) => status), Array(8).fill("completed"));
  // Another one reads the database.
  assert.equal(workers.max, 2);
});

Deno.test("C 15 removeEnded() removes what ended before a time, by an index", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  await using store = await SqliteResourceStore.open(path);
  const { scans } = store;
  const ids: number[] = [];
  for (let count = 0; count < 250; count++) {
    const scan = { userId: 1, requestedBy: 1, paths: ["a"], skip: [], createdAt: 0 };
    const { id } = await scans.create(scan, (async function* () {})());
    ids.push(id);
    const progress = { id, filesScanned: 0, bytesScanned: 0 };
    if (count < 240) await scans.end(progress, "cancelled", count);
  }
  assert.equal(await scans.removeEnded(230), 230);
  assert.equal(await scans.removeEnded(230), 0);
  const kept = await scans.list(1, { limit: 1000 });
  assert.deepEqual(kept.map(({ id }) => id), ids.slice(230).reverse());
  using connection = new Connection(path, { readOnly: true });
  const plan = connection.all(`EXPLAIN QUERY PLAN ${SCAN_STATEMENTS.removeEnded}`, {
    before: 0,
    limit: 1,
  });
  assert.match(JSON.stringify(plan), /USING COVERING INDEX scans_by_end/);
  assert.doesNotMatch(JSON.stringify(plan), /SCAN scans\b/);
});

Deno.test("C 15 a report that the end of the server cut off does not count, and is removed", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  await using store = await SqliteResourceStore.open(path);
  const { scans } = store;
  const scan = { userId: 1, requestedBy: 1, paths: ["a"], skip: [], createdAt: 0 };
  const { id } = await scans.create(scan, (async function* () {})());
  await scans.start(id, 1);
  using connection = new Connection(path, { readOnly: false });
  connection.run("INSERT INTO scan_report_chunks VALUES (:id, 1, 0, x'00')", { id });
  assert.equal(await scans.report(id), undefined);
  await scans.requeue();
  await scans.complete(id, 2, new AbortController().signal);
  const chunks = await Array.fromAsync(await scans.report(id) ?? []);
  const text = new TextDecoder().decode(await new Blob(chunks).bytes());
  assert.equal(JSON.parse(text).files_scanned, 0);
  await scans.remove(id);
  assert.equal(connection.get("SELECT count(*) AS chunks FROM scan_report_chunks")?.chunks, 0);
});

Deno.test("C 15 list() returns pages of bounded bytes, and every scan in one of them", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const { scans } = store;
  const ids: number[] = [];
  for (let count = 0; count < 40; count++) {
    const paths = Array.from({ length: count < 30 ? 1000 : 2 }, () => "p".repeat(4000));
    const scan = { userId: 1, requestedBy: 1, paths, skip: [], createdAt: 0 };
    ids.push((await scans.create(scan, (async function* () {})())).id);
  }
  const found: number[] = [];
  const sizes: number[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await scans.list(1, { limit: 1000, before });
    if (page.length === 0) break;
    sizes.push(page.length);
    found.push(...page.map(({ id }) => id));
    before = page.at(-1)?.id;
  }
  assert.deepEqual(found, ids.toReversed());
  assert.deepEqual(sizes, [22, 17, 1]);
});
