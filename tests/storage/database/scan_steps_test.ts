import * as assert from "node:assert/strict";
import type { ScanFile } from "../../../core/scans/ports.ts";
import { Connection } from "../../../storage/database/connection.ts";
import { SqliteResourceStore } from "../../../storage/database/sqlite_resource_store.ts";
import { TempDir } from "../../support/temp_dir.ts";

const SCAN = { userId: 1, requestedBy: 1, paths: ["a"], skip: [], createdAt: 0 };
const FILES = 5000;
const HASH = "0".repeat(32);
const PROGRESS = { filesScanned: 0, bytesScanned: 0 };

/** Files in pages, with something to do between them. */
async function* pages(between = async () => {}): AsyncGenerator<readonly ScanFile[]> {
  for (let begin = 0; begin < FILES; begin += 500) {
    await between();
    yield Array.from({ length: 500 }, (_, index) => {
      const name = String(begin + index).padStart(6, "0");
      return { path: `a/${name}`, name, hash: HASH, size: 2 };
    });
  }
}

async function openStore(directory: string) {
  const path = `${directory}/test.db`;
  const store = await SqliteResourceStore.open(path);
  const connection = new Connection(path, { readOnly: false });
  const count = (table: string) => connection.get(`SELECT count(*) AS n FROM ${table}`)?.n;
  const stack = new AsyncDisposableStack();
  stack.use(store);
  stack.use(connection);
  return { store, connection, count, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

Deno.test("C 22 others write while a scan of many files is created", async () => {
  await using directory = await TempDir.make();
  await using opened = await openStore(directory.path);
  const { store, count } = opened;
  const { scans } = store;
  const waited: boolean[] = [];
  const scan = await scans.create(
    SCAN,
    pages(async () => {
      const late = AbortSignal.timeout(5000);
      await Promise.race([
        store.probe(),
        new Promise((resolve) => late.addEventListener("abort", resolve)),
      ]);
      waited.push(late.aborted);
    }),
  );
  assert.ok(!waited.includes(true), "a write waited for the scan");
  assert.equal(scan.filesTotal, FILES);
  assert.equal(scan.bytesTotal, 2 * FILES);
  assert.deepEqual(await scans.find(scan.id), scan);
  assert.equal(count("scan_files"), FILES);
  await scans.end({ id: scan.id, ...PROGRESS }, "cancelled", 1);
  assert.equal(count("scan_files"), 0);
});

Deno.test("C 15 a scan whose files cannot all be added is not created", async () => {
  await using directory = await TempDir.make();
  await using opened = await openStore(directory.path);
  const { store: { scans }, count } = opened;
  let page = 0;
  const seen: unknown[] = [];
  const failing = pages(async () => {
    seen.push(...await scans.list(1, { limit: 10 }));
    if (++page === 9) throw new Error("no more pages");
  });
  await assert.rejects(scans.create(SCAN, failing), /no more pages/);
  assert.deepEqual(seen, []);
  assert.equal(count("scans"), 0);
  assert.equal(count("scan_files"), 0);
});

Deno.test("C 15 a start removes what the end of the server left of creating and ending scans", async () => {
  await using directory = await TempDir.make();
  await using opened = await openStore(directory.path);
  const { store: { scans }, connection, count } = opened;
  const ended = await scans.create(SCAN, pages());
  const incomplete = await scans.create(SCAN, pages());
  const kept = await scans.create(SCAN, pages());
  connection.run("UPDATE scans SET status = 'failed', finished_at = 1 WHERE id = :id", {
    id: ended.id,
  });
  connection.run("UPDATE scans SET files_total = -1 WHERE id = :id", { id: incomplete.id });
  assert.equal(await scans.find(incomplete.id), undefined);
  assert.deepEqual((await scans.requeue()).map(({ id }) => id), [kept.id]);
  assert.equal(count("scans"), 2);
  assert.equal(count("scan_files"), FILES);
});

Deno.test("C 15 the end of a scan forgets attempts that no other scan has files for", async () => {
  await using directory = await TempDir.make();
  await using opened = await openStore(directory.path);
  const { store: { scans }, count } = opened;
  const [first, second] = [await scans.create(SCAN, pages()), await scans.create(SCAN, pages())];
  await scans.beginAttempt({ hash: HASH, name: "a", skip: [] }, 2);
  await scans.end({ id: first.id, ...PROGRESS }, "cancelled", 1);
  assert.equal(count("scan_attempts"), 1);
  await scans.end({ id: second.id, ...PROGRESS }, "cancelled", 1);
  assert.equal(count("scan_attempts"), 0);
});
