import * as assert from "node:assert/strict";
import type { PostgresResourceStore } from "../../../storage/postgres/postgres_resource_store.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { Postgres } from "../../support/postgres.ts";
import { withContents } from "../../support/referenced_contents.ts";
import { newRecord, seed } from "../../support/seed.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";

const startedPostgres = sharedPostgres();

const OWN = { userId: 1, everyone: false };
const FILES = 20;
const QUERY = {
  userId: 1,
  directory: "",
  sort: { by: "path", isDescending: false },
  after: "",
  limit: 100,
  wantsFacets: false,
  wantsKnown: false,
} as const;

Deno.test({ name: "What a large change leaves", ignore: !Postgres.isInstalled }, async (t) => {
  const engine = startedPostgres();
  const url = await engine.createDatabase();
  await using store = await openPostgresStore(url, { maxDirectRecords: 10 });
  await using other = await openPostgresStore(url, { maxDirectRecords: 10 });
  await store.history.turn(true);

  const find = async (path: string) => {
    const found = (await store.findByPath(OWN, [path])).get(path);
    assert.ok(found, path);
    return found;
  };
  const fill = async (directory: string, files: number) => {
    await seed(withContents(store), [
      `${directory}/`,
      ...Array.from({ length: files }, (_, index) => `${directory}/file ${index}`),
    ]);
    return await find(directory);
  };
  const move = async (path: string, target: string) => {
    const source = await find(path);
    await store.write((it) => it.moveSubtrees([{ source, target }], 5), { isLocal: true });
  };
  const count = async (table: string) => {
    const [row] = await store.database.all(`SELECT count(*) AS rows FROM ${table}`);
    return Number(row?.rows);
  };
  const found = async (word: string) =>
    (await other.search({ ...QUERY, words: [word] }))?.records.map(({ path }) => path) ?? [];

  await t.step("C 29 one change of a record makes one mark", async () => {
    await fill("few", 1);
    await index(store);
    await move("few", "a few");
    assert.equal(await count("search_marks"), 2);
  });
  await t.step("C 31 a large change makes few marks, and searches find all of it", async () => {
    await fill("many", FILES);
    await index(store);
    await move("many", "moved");
    assert.equal(await count("search_marks"), 0);
    assert.equal(await count("search_batches"), 1);
    assert.equal((await found("moved")).length, FILES + 1);
    const marks = await other.searchIndex.marks(0, 100);
    assert.equal(new Set(marks.map(({ id }) => id)).size, FILES + 1);
    await index(other);
    assert.equal(await count("search_documents WHERE path LIKE '%moved/%'"), FILES);
    assert.equal((await found("moved")).length, FILES + 1);
  });
  await t.step("C 31 documents of what a large change has deleted go", async () => {
    const source = await find("moved");
    await store.write((it) => it.deleteSubtrees([source]), { isLocal: true });
    assert.equal(await count("search_batches"), 1);
    assert.deepEqual(await found("moved"), []);
    await index(store);
    assert.equal(await count("search_documents WHERE path LIKE '%moved%'"), 0);
  });
  await t.step("C 31 a server of the former release sees marks of all records", async () => {
    await store.database.all("UPDATE schema_version SET version = 42 RETURNING version");
    await fill("beside", FILES);
    await index(store);
    await move("beside", "besides");
    assert.equal(await count("search_batches"), 0);
    assert.equal(await count("search_marks"), FILES + 1);
  });
  await t.step("C 26, C 31 history gets into order after a large change, not besides", async () => {
    const source = await fill("slow", FILES);
    while (!await store.history.settle());
    const done = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const ended = store.write(async (it) => {
      await it.moveSubtrees([{ source, target: "slower" }], 5);
      done.resolve();
      await leave.promise;
    }, { isLocal: true });
    await Promise.race([done.promise, ended]);
    await other.write(async (it) => {
      const few = (await it.findByPath(OWN, ["a few"])).get("a few");
      assert.ok(few);
      await it.moveSubtrees([{ source: few, target: "few again" }], 5);
    });
    assert.equal(await other.history.settle(), true);
    assert.equal(await count("fresh_history"), 2);
    leave.resolve();
    await ended;
    assert.equal(await count("fresh_history"), 2 + FILES + 1);
    while (!await other.history.settle());
    assert.equal(await count("fresh_history"), 0);
  });
  await t.step("C 26, C 31 content that history keeps is not looked for", async () => {
    await fill("kept", FILES);
    await move("kept", "kept there");
    const source = await find("kept there");
    await store.write((it) => it.deleteSubtrees([source]), { isLocal: true });
    assert.deepEqual(await store.contents.dropped(100), []);
    // What the same work has made, no version has.
    await withContents(store).write(async (it) => {
      await it.deleteSubtrees(await it.insert([newRecord({ path: "at once", content: "once" })]));
    });
    assert.equal((await store.contents.dropped(100)).length, 1);
  });
});

/** Makes the documents of all that is marked. */
async function index({ searchIndex }: PostgresResourceStore): Promise<void> {
  for (;;) {
    const marks = await searchIndex.marks(0, 100);
    if (marks.length === 0) return;
    await searchIndex.settle(marks, [], []);
  }
}
