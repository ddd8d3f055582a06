import * as assert from "node:assert/strict";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { seed } from "../../support/seed.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** A store, a second connection to its database, and searches in the tree of a user. */
async function open() {
  await using parts = new AsyncDisposableStack();
  const directory = parts.use(await TempDir.make());
  const path = `${directory.path}/test.db`;
  const store = parts.use(await SqliteResourceStore.open(path));
  const beside = parts.use(new Connection(path, { readOnly: false }));
  const count = (from: string) =>
    Number(beside.get(`SELECT count(*) AS count FROM ${from}`)?.count);
  const found = async (word: string, userId = 1) => {
    const page = await store.search({
      ...{ userId, directory: "", words: [word], after: "", limit: 2000 },
      ...{ sort: { by: "path", isDescending: false }, wantsFacets: false, wantsKnown: false },
    });
    return page?.records.map((it) => it.path) ?? [];
  };
  const settled = async () => {
    while (await store.searchIndex?.settleAdded());
  };
  const settleMarks = async () => {
    const marks = await store.searchIndex?.marks(0, 1000) ?? [];
    await store.searchIndex?.settle(marks, [], []);
  };
  const open = parts.move();
  return {
    ...{ store, beside, count, found, settled, settleMarks },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

Deno.test("C 29 files that are added together are one range of ids until they have documents", async () => {
  await using it = await open();
  const names = Array.from({ length: 1200 }, (_, index) => ({ path: `orca-${index}` }));
  await seed(it.store, names);
  await seed(it.store, [{ path: "orca", userId: 2 }]);
  await seed(it.store, ["orca"]);
  assert.equal(it.count("search_marks"), 0);
  assert.equal(it.count("search_added"), 3);
  assert.equal((await it.found("orca")).length, 1201);
  assert.deepEqual(await it.found("orca", 2), ["orca"]);
  // Not all at once.
  assert.equal(await it.store.searchIndex?.settleAdded(), true);
  assert.equal(it.count("search_terms_docsize"), 500);
  assert.equal((await it.found("orca")).length, 1201);
  await it.settled();
  assert.equal(it.count("search_added"), 0);
  assert.equal(it.count("search_terms_docsize"), 1202);
  assert.equal((await it.found("orca")).length, 1201);
  assert.deepEqual(await it.found("orca", 2), ["orca"]);
});

Deno.test("C 29 what changes before it has a document is found by what it has become", async (t) => {
  for (const first of ["settled", "settleMarks"] as const) {
    const second = first === "settled" ? "settleMarks" : "settled";
    await t.step(`${first} first`, async () => {
      await using it = await open();
      const records = await seed(it.store, ["stays", "former", "deleted"]);
      const [, moved, gone] = records;
      assert.ok(moved !== undefined && gone !== undefined);
      await it.store.write((work) => work.moveSubtrees([{ source: moved, target: "latter" }], 1));
      await it.store.write((work) => work.deleteSubtrees([gone]));
      const all = async () => [
        await it.found("stays"),
        await it.found("former"),
        await it.found("latter"),
        await it.found("deleted"),
      ];
      const expected = [["stays"], [], ["latter"], []];
      assert.deepEqual(await all(), expected);
      await it[first]();
      assert.deepEqual(await all(), expected);
      await it[second]();
      assert.deepEqual(await all(), expected);
      assert.equal(it.count("search_terms_docsize"), 2);
      assert.equal(it.count("search_marks") + it.count("search_added"), 0);
    });
  }
});

Deno.test("C 29 a document that marks have made stays when the range of its record is settled", async () => {
  await using it = await open();
  const [directory] = await seed(it.store, ["model/"]);
  assert.ok(directory !== undefined);
  const { id } = directory;
  await it.store.searchIndex?.settle([], [{ id, facts: { license: "unlicense" } }], []);
  assert.deepEqual(await it.found("unlicense"), ["model"]);
  await it.settled();
  assert.deepEqual(await it.found("unlicense"), ["model"]);
});
