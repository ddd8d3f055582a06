import * as assert from "node:assert/strict";
import { ancestorsOf } from "../../../core/paths.ts";
import type { ListQuery, ResourceRecord, WriteTransaction } from "../../../core/ports.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { openListing } from "../../../storage/sqlite/listing.ts";
import { dropPast, fillWithListing } from "../../../storage/sqlite/past.ts";
import { shortPastListing } from "../../../storage/sqlite/past_listing.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { newRecord } from "../../support/seed.ts";
import { TempDir } from "../../support/temp_dir.ts";

const SCOPE = { userId: 1, everyone: false };
const MAX_LISTED = 20;

/** A store that keeps history, and a connection beside it. */
async function openStore() {
  await using parts = new AsyncDisposableStack();
  const directory = parts.use(await TempDir.make());
  const path = `${directory.path}/test.db`;
  const store = parts.use(await SqliteResourceStore.open(path));
  await store.history.turn(true);
  const connection = parts.use(new Connection(path, { readOnly: true }));
  const kept = parts.move();
  const change = (work: (transaction: WriteTransaction) => Promise<unknown>) => store.write(work);
  const at = async (path: string) => {
    const record = (await store.findByPath(SCOPE, [path])).get(path);
    return record ?? assert.fail(`nothing is at ${path}`);
  };
  return { store, connection, change, at, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function queryOf(directory: string, recursive: boolean): ListQuery {
  const directories = directory === "" ? [] : [directory];
  const chain = directories.flatMap((path) => [...ancestorsOf(path), path]);
  return { scope: SCOPE, recursive, directories, chain };
}

/** A listing that puts all that it reads into a table of its own. */
function longListing(connection: Connection, version: number, query: ListQuery): ResourceRecord[] {
  fillWithListing(connection, { userId: 1, version }, query);
  try {
    const page = openListing(query).next(connection, true);
    assert.ok(page?.done);
    return page.records;
  } finally {
    dropPast(connection);
  }
}

Deno.test("C 26 a short listing of the past has what a long one has, whether rows are in order or not", async () => {
  await using opened = await openStore();
  const { store, connection, change, at } = opened;
  await change((it) => it.insert(["a/", "a/b/", "a/b/f", "a/f", "g"].map(newRecord)));
  await change((it) => it.insert([{ path: "a/h", updatedAt: 3000, content: "h" }].map(newRecord)));
  const [f, b] = [await at("a/f"), await at("a/b")];
  await change((it) => it.moveSubtrees([{ source: f, target: "a/e" }], 2000));
  await change((it) => it.deleteSubtrees([b]));
  // What was a directory is a file.
  await change((it) => it.insert([newRecord("a/b")]));
  const a = await at("a");
  await change((it) => it.moveSubtrees([{ source: a, target: "z" }], 2000));
  const compare = () => {
    for (let version = 0; version <= 6; version++) {
      for (const directory of ["", "a", "a/b", "a/f", "g", "z", "none"]) {
        for (const recursive of [true, false]) {
          const query = queryOf(directory, recursive);
          const tree = { userId: 1, version };
          assert.deepEqual(
            shortPastListing(connection, tree, query, MAX_LISTED),
            longListing(connection, version, query),
            `${directory} at ${version}, ${recursive ? "with all below" : "alone"}`,
          );
        }
      }
    }
  };
  compare();
  while (!await store.history.settle());
  compare();
});

Deno.test("C 26 a listing of the past that has to read much is none of the short ones", async () => {
  await using opened = await openStore();
  const { store, connection, change, at } = opened;
  const isShort = (version: number) =>
    shortPastListing(connection, { userId: 1, version }, queryOf("d", false), MAX_LISTED) !==
      undefined;
  await change((it) => it.insert(["d/", "d/f"].map(newRecord)));
  assert.ok(isShort(1));
  const many = Array.from({ length: MAX_LISTED }, (_, index) => newRecord(`d/${index}`));
  await change((it) => it.insert(many));
  assert.ok(!isShort(2), "many records");
  // They are newer than the version, and would be read.
  assert.ok(!isShort(1), "many records of now");
  for (const { path } of many) {
    const record = await at(path);
    await change((it) => it.deleteSubtrees([record]));
  }
  while (!await store.history.settle());
  assert.ok(isShort(1), "few records of now");
  const f = await at("d/f");
  for (let count = 0; count < 11 * MAX_LISTED; count++) {
    await change((it) =>
      it.replaceFiles([{ ...newRecord({ path: "d/f", content: `${count}` }), id: f.id }])
    );
  }
  while (!await store.history.settle());
  assert.ok(isShort(100), "one path, whatever it was");
});

Deno.test("C 26 what changes of many records keep is put into order after them", async () => {
  await using opened = await openStore();
  const { store, connection, change, at } = opened;
  const files = Array.from({ length: 150 }, (_, index) => `d/${index}`);
  await change((it) =>
    it.insert(["d/", ...files.map((path) => ({ path, content: path }))].map(newRecord))
  );
  const d = await at("d");
  await change((it) => it.moveSubtrees([{ source: d, target: "e" }], 2000));
  const e = await at("e");
  await change((it) => it.deleteSubtrees([e]));
  const rowsOf = (table: string) => connection.get(`SELECT count(*) AS rows FROM ${table}`)?.rows;
  assert.deepEqual([rowsOf("fresh_history"), rowsOf("history")], [2 * 151, 0]);
  const bytes = files.reduce((sum, path) => sum + path.length, 0);
  const kept = 2 * 151 * 500 + bytes;
  assert.equal((await store.history.kept()).bytes, kept);
  while (!await store.history.settle());
  const states = connection.all(
    "SELECT until, is_moved, node, count(*) AS rows FROM history GROUP BY 1, 2, 3",
  );
  assert.deepEqual(states.map((row) => ({ ...row })), [
    { until: 2, is_moved: 1, node: 1, rows: 151 },
    { until: 3, is_moved: 0, node: 2, rows: 151 },
  ]);
  assert.deepEqual([rowsOf("fresh_history"), (await store.history.kept()).bytes], [0, kept]);
});
