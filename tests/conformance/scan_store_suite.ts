import * as assert from "node:assert/strict";
import type { ScanFile } from "../../core/scans/ports.ts";
import { type OpenedStores, type StoresEngine, storesTest } from "../support/stores.ts";
import { MAX_WAIT_MS } from "../support/until.ts";

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
      return { userId: 1, path: `a/${name}`, name, hash: HASH, size: 2 };
    });
  }
}

async function countOf(rows: OpenedStores["rows"], table: string): Promise<number> {
  return Number((await rows(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
}

/** The conformance suite for every {@link ScanStore}: how scans begin and end. */
export function scanStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 15 complete() stops when its signal aborts", async ({ store }) => {
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

  test("C 15 removeEnded() removes what ended before a time, by an index", async ({ store }) => {
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
  });

  test("C 15 a report that the end of the server cut off does not count, and is removed", async ({ store, dialect, rows }) => {
    const { scans } = store;
    const scan = { userId: 1, requestedBy: 1, paths: ["a"], skip: [], createdAt: 0 };
    const { id } = await scans.create(scan, (async function* () {})());
    await scans.start(id, 1);
    await rows(`INSERT INTO scan_report_chunks VALUES (${id}, 1, 0, ${dialect.bytes("'00'")})`);
    assert.equal(await scans.report(id), undefined);
    await scans.requeue();
    await scans.start(id, 2);
    await scans.complete(id, 2, new AbortController().signal);
    const chunks = await Array.fromAsync(await scans.report(id) ?? []);
    const text = new TextDecoder().decode(await new Blob(chunks).bytes());
    assert.equal(JSON.parse(text).files_scanned, 0);
    await scans.remove(id);
    assert.equal(await countOf(rows, "scan_report_chunks"), 0);
  });

  test("C 15 list() returns pages of bounded bytes, and every scan in one of them", async ({ store }) => {
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

  test("C 22 others write while a scan of many files is created", async ({ store, rows }) => {
    const { scans } = store;
    const waited: boolean[] = [];
    const scan = await scans.create(
      SCAN,
      pages(async () => {
        const late = AbortSignal.timeout(MAX_WAIT_MS);
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
    assert.equal(await countOf(rows, "scan_files"), FILES);
    await scans.end({ id: scan.id, ...PROGRESS }, "cancelled", 1);
    assert.equal(await countOf(rows, "scan_files"), 0);
  });

  test("C 15 a scan whose files cannot all be added is not created", async ({ store, rows }) => {
    const { scans } = store;
    let page = 0;
    const seen: unknown[] = [];
    const failing = pages(async () => {
      seen.push(...await scans.list(1, { limit: 10 }));
      if (++page === 9) throw new Error("no more pages");
    });
    await assert.rejects(scans.create(SCAN, failing), /no more pages/);
    assert.deepEqual(seen, []);
    assert.equal(await countOf(rows, "scans"), 0);
    assert.equal(await countOf(rows, "scan_files"), 0);
  });

  test("C 15 a start removes what the end of the server left of creating and ending scans", async ({ store, rows }) => {
    const { scans } = store;
    const ended = await scans.create(SCAN, pages());
    const incomplete = await scans.create(SCAN, pages());
    const kept = await scans.create(SCAN, pages());
    await rows(`UPDATE scans SET status = 'failed', finished_at = 1 WHERE id = ${ended.id}`);
    await rows(`UPDATE scans SET files_total = -1 WHERE id = ${incomplete.id}`);
    assert.equal(await scans.find(incomplete.id), undefined);
    assert.deepEqual((await scans.requeue()).map(({ id }) => id), [kept.id]);
    assert.equal(await countOf(rows, "scans"), 2);
    assert.equal(await countOf(rows, "scan_files"), FILES);
  });

  test("C 15 the end of a scan forgets attempts that no other scan has files for", async ({ store, rows }) => {
    const { scans } = store;
    const [first, second] = [await scans.create(SCAN, pages()), await scans.create(SCAN, pages())];
    await scans.beginAttempt({ userId: 1, hash: HASH, name: "a", skip: [] }, 2);
    await scans.end({ id: first.id, ...PROGRESS }, "cancelled", 1);
    assert.equal(await countOf(rows, "scan_attempts"), 1);
    await scans.end({ id: second.id, ...PROGRESS }, "cancelled", 1);
    assert.equal(await countOf(rows, "scan_attempts"), 0);
  });
}
