import * as assert from "node:assert/strict";
import type { RecordList, StoredRecords } from "../../../core/ports.ts";
import { batchesOf } from "../../../core/record_lists.ts";
import { ChangeRecords } from "../../../storage/tables/change_records.ts";
import { RecordPages } from "../../../storage/tables/record_pages.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { TemporaryFiles } from "../../../storage/disk/temporary_files.ts";
import { seed } from "../../support/seed.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** The values of the record with an id. */
function row(id: number, userId: number, path: string) {
  return [id, userId, path, path, "", 0, 0, 1, 1000, 1000];
}

function pagesOf(rows: ReturnType<typeof row>[]) {
  const pages = new RecordPages();
  pages.add({ effect: "deleted", rows });
  return pages.take();
}

async function keep(
  records: ChangeRecords,
  rows: ReturnType<typeof row>[],
  inMemory = false,
): Promise<RecordList> {
  const kept = [];
  for (const page of pagesOf(rows)) kept.push(await records.keep(page, inMemory));
  return records.list(kept);
}

function stored(list: RecordList): StoredRecords {
  assert.ok("owners" in list);
  return list;
}

async function idsOf(list: RecordList): Promise<number[]> {
  return (await Array.fromAsync(batchesOf([list]))).flat().map(({ id }) => id);
}

const MANY = Array.from(
  { length: 5000 },
  (_, index) => row(index + 1, 1 + Math.floor(index / 2000) % 2, `d/file-${index}`),
);
const IDS = MANY.map(([id]) => Number(id));

Deno.test("RecordPages have records of one user each, and a bounded length", () => {
  const long = "x".repeat(4000);
  const pages = pagesOf([...MANY, ...IDS.map((id) => row(id, 3, `${id}${long}`))]);
  assert.equal(pages.reduce((sum, { count }) => sum + count, 0), 10_000);
  assert.deepEqual(pages.slice(0, 5).map(({ userId, count }) => [userId, count]), [
    [1, 500],
    [1, 500],
    [1, 500],
    [1, 500],
    [2, 500],
  ]);
  assert.ok(pages.every(({ json }) => json.length < 160_000));
});

Deno.test("C 22 ChangeRecords keeps few records in memory, and more in a file", async () => {
  await using directory = await TempDir.make();
  using files = new TemporaryFiles(directory.path);
  const few = await keep(new ChangeRecords(files), MANY.slice(0, 900));
  assert.ok(!("owners" in few));
  assert.equal(few.length, 900);
  using many = stored(await keep(new ChangeRecords(files), MANY));
  assert.equal(many.length, 5000);
  assert.deepEqual(many.owners, new Map([[1, 3000], [2, 2000]]));
  assert.deepEqual(await idsOf(many), IDS);
  for (const position of [0, 1, 499, 500, 2001, 4999]) {
    assert.equal((await many.from(position))[0]?.id, position + 1);
  }
  assert.deepEqual(await many.from(5000), []);
});

Deno.test("ChangeRecords writes no file while the disk is nearly full", async () => {
  using files = new TemporaryFiles("/nonexistent");
  const records = await keep(new ChangeRecords(files), MANY, true);
  assert.ok(!("owners" in records));
  assert.deepEqual(await idsOf(records), IDS);
  await assert.rejects(keep(new ChangeRecords(files), MANY));
});

Deno.test("records in a file last until each of those who share them has disposed of them", async () => {
  await using directory = await TempDir.make();
  using files = new TemporaryFiles(directory.path);
  const all = stored(await keep(new ChangeRecords(files), MANY));
  const shared = all.share();
  const second = all.ownedBy(2);
  all[Symbol.dispose]();
  all[Symbol.dispose]();
  assert.deepEqual(await idsOf(shared), IDS);
  shared[Symbol.dispose]();
  assert.deepEqual(await idsOf(second), IDS.slice(2000, 4000));
  second[Symbol.dispose]();
  await assert.rejects(second.from(1999));
});

for (const maxDirectRecords of [0, 10_000]) {
  Deno.test(`a failed change leaves no file open, with at most ${maxDirectRecords} records at once`, async () => {
    await using directory = await TempDir.make();
    await using store = await SqliteResourceStore.open(`${directory.path}/test.db`, {
      maxDirectRecords,
    });
    const [a] = await seed(store, ["a/", ...IDS.map((id) => `a/${id}`)]);
    assert.ok(a);
    let list: RecordList = [];
    const failed = store.write(async (transaction) => {
      list = await transaction.deleteSubtrees([a]);
      throw new Error("refused");
    });
    await assert.rejects(failed, /refused/);
    await assert.rejects(stored(list).from(4000));
    await store.write(async (transaction) => {
      list = await transaction.deleteSubtrees([a]);
    });
    assert.equal((await idsOf(list)).length, 5001);
    stored(list)[Symbol.dispose]();
  });
}
