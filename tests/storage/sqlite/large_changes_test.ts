import * as assert from "node:assert/strict";
import type { ResourceRecord, ResourceStore, WriteTransaction } from "../../../core/ports.ts";
import { ChangeJournal, isChanging } from "../../../storage/sqlite/change_journal.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { insertRecords } from "../../../storage/sqlite/insert_records.ts";
import { migrate } from "../../../storage/sqlite/migrate.ts";
import { SqliteRecordAudit } from "../../../storage/sqlite/record_audit.ts";
import { copyDatabase } from "../../../storage/sqlite/snapshot.ts";
import { TreeHistory } from "../../../storage/sqlite/tree_history.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { PATIENT, resourceStoreSuite } from "../../conformance/resource_store_suite.ts";
import { newRecord, seed } from "../../support/seed.ts";
import { smallContent } from "../../support/small_content.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** A store in which every change of a directory is a large one. */
async function openStore(
  given?: TempDir,
): Promise<SqliteResourceStore & { directory: string }> {
  const directory = given ?? await TempDir.make();
  const store = await SqliteResourceStore.open(`${directory.path}/test.db`, {
    ...PATIENT,
    maxDirectRecords: 0,
  });
  const close = store[Symbol.asyncDispose].bind(store);
  return Object.assign(store, {
    directory: directory.path,
    async [Symbol.asyncDispose]() {
      await close();
      await directory[Symbol.asyncDispose]();
    },
  });
}

resourceStoreSuite("SqliteResourceStore in steps", () => openStore());

const everyone = { userId: 1, everyone: true };
const own = { userId: 1, everyone: false };

async function allRecords(store: ResourceStore): Promise<ResourceRecord[]> {
  const query = { scope: everyone, recursive: true, directories: [], chain: [] };
  const records = (await Array.fromAsync(store.list(query))).flat();
  return records.sort((a, b) => a.id - b.id);
}

const FILES = Array.from({ length: 2500 }, (_, index) => `f${String(index).padStart(4, "0")}`);

/** Two directories with many files, of which some have the same names. */
async function seedTwo(store: ResourceStore): Promise<void> {
  await seed(store, ["a/", "b/", "b/sub/", { path: "other/", userId: 2 }]);
  await seed(store, FILES.map((name) => ({ path: `a/${name}`, content: name, updatedAt: 7 })));
  await seed(store, FILES.slice(500).map((name) => ({ path: `b/${name}`, content: "b" })));
}

let seeded: Promise<Uint8Array> | undefined;

/** A database with the records of {@link seedTwo}, which is made once. */
async function seededDatabase(): Promise<Uint8Array> {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  {
    await using store = await SqliteResourceStore.open(path);
    await seedTwo(store);
  }
  return await Deno.readFile(path);
}

/** Opens a store with the records of {@link seedTwo}. Returns their first one, the directory `a`, too. */
async function openSeeded() {
  const directory = await TempDir.make();
  await Deno.writeFile(`${directory.path}/test.db`, await (seeded ??= seededDatabase()));
  const store = await openStore(directory);
  const a = (await store.findByPath(own, ["a"])).get("a");
  assert.ok(a);
  return { store, a };
}

type Change = (transaction: WriteTransaction, a: ResourceRecord) => Promise<unknown>;

const CHANGES: Readonly<Record<string, Change>> = {
  "a move": (transaction, a) => transaction.moveSubtrees([{ source: a, target: "c" }], 99),
  "a move that replaces": (transaction, a) =>
    transaction.moveSubtrees([{ source: a, target: "b" }], 99),
  "a copy": (transaction, a) => transaction.copySubtrees([{ source: a, target: "c" }], 99),
  "a copy that replaces": (transaction, a) =>
    transaction.copySubtrees([{ source: a, target: "b" }], 99),
  "a move and a replacement": async (transaction, a) => {
    const [file] = (await transaction.findByPath(own, ["a/f0001"])).values();
    assert.ok(file);
    const content = { hash: "e".repeat(32), size: 3, crc32: 4, updatedAt: 98 };
    await transaction.replaceFiles([{ ...content, id: file.id, userId: file.userId }]);
    await transaction.moveSubtrees([{ source: a, target: "c" }], 99);
  },
  "a deletion": (transaction, a) => transaction.deleteSubtrees([a]),
};

for (const [name, change] of Object.entries(CHANGES)) {
  Deno.test(`C 5.5 ${name} that fails after its last step has changed nothing`, async () => {
    const { store: opened, a } = await openSeeded();
    await using store = opened;
    const before = await allRecords(store);
    const failed = store.write(async (transaction) => {
      await change(transaction, a);
      throw new Error("the disk is on fire");
    });
    await assert.rejects(failed, /on fire/);
    assert.deepEqual(await allRecords(store), before);
    // Nothing is left that would keep the next one from working.
    await store.write((transaction) => change(transaction, a));
    assert.notDeepEqual(await allRecords(store), before);
  });

  Deno.test(`C 5 ${name} that a crash interrupts has changed nothing after a start`, async () => {
    const { store: opened, a } = await openSeeded();
    await using store = opened;
    const before = await allRecords(store);
    await using copies = await TempDir.make();
    await store.write(async (transaction) => {
      await change(transaction, a);
      // What a crash at this moment leaves on the disk.
      for (const suffix of ["", "-wal"]) {
        await Deno.copyFile(
          `${store.directory}/test.db${suffix}`,
          `${copies.path}/test.db${suffix}`,
        );
      }
    });
    assert.notDeepEqual(await allRecords(store), before);
    await using started = await SqliteResourceStore.open(`${copies.path}/test.db`);
    await started.check({ whole: true });
    assert.deepEqual(await allRecords(started), before);
  });

  Deno.test(`C 5 ${name} shows lookups the former state until its end`, async () => {
    const { store: opened, a } = await openSeeded();
    await using store = opened;
    const paths = ["a", "a/f0001", "b/f0600", "c", "c/f0001"];
    const before = await store.findByPath(own, paths);
    const usage = () => Promise.all([own, everyone].map((scope) => store.usage(scope)));
    const usageBefore = await usage();
    await store.write(async (transaction) => {
      await change(transaction, a);
      assert.deepEqual(await usage(), usageBefore);
      assert.deepEqual(await store.findByPath(own, paths), before);
      assert.deepEqual(await store.findByPath(everyone, paths), before);
      assert.deepEqual(await store.findById(own, [a.id]), new Map([[a.id, a]]));
      // Those of others are found as they are.
      await seed(store, [{ path: "other/new", userId: 2 }]);
      assert.equal((await store.findByPath(everyone, ["other/new"])).size, 1);
      assert.equal((await store.usage(everyone)).records, (usageBefore[1]?.records ?? 0) + 1);
    });
    assert.notDeepEqual(await store.findByPath(own, paths), before);
  });
}

Deno.test("writes of others do not wait for the end of a large change, the owner's do", async () => {
  const { store: opened, a } = await openSeeded();
  await using store = opened;
  const ended: string[] = [];
  const write = (what: string, path: string, userId: number) =>
    seed(store, [{ path, userId }]).then(() => ended.push(what));
  let writes: Promise<unknown>[] = [];
  await store.write(async (transaction) => {
    await transaction.insert([newRecord("c/")]);
    // Runs only once the change goes on in steps.
    await transaction.deleteSubtrees([a]);
    writes = [write("the owner's", "b/new", 1), write("another's", "other/new", 2)];
    await until(() => ended.includes("another's"));
  }).then(() => ended.push("the deletion"));
  await Promise.all(writes);
  assert.deepEqual(ended, ["another's", "the deletion", "the owner's"]);
});

/** A store in which a change of more than 1000 records is a large one. */
async function openUsual(directory: TempDir): Promise<SqliteResourceStore> {
  return await SqliteResourceStore.open(`${directory.path}/test.db`, { maxDirectRecords: 1000 });
}

for (
  const [what, work] of Object.entries<(transaction: WriteTransaction) => Promise<unknown>>({
    "a deletion of many files": async (transaction) => {
      const found = await transaction.findByPath(own, FILES.map((name) => `a/${name}`));
      assert.equal(found.size, FILES.length);
      const deleted = await transaction.deleteSubtrees([...found.values()]);
      assert.equal(deleted.length, FILES.length);
    },
    "an upload of many files": async (transaction) => {
      await transaction.expect(1, FILES.length);
      const added = await transaction.insert(FILES.map((name) => newRecord(`b/${name}x`)));
      assert.deepEqual(added.map(({ path }) => path), FILES.map((name) => `b/${name}x`));
    },
    "a replacement of many files": async (transaction) => {
      const found = await transaction.findByPath(own, FILES.map((name) => `a/${name}`));
      await transaction.expect(1, FILES.length);
      const content = { userId: 1, hash: "e".repeat(32), size: 3, crc32: 4, updatedAt: 98 };
      const files = [...found.values()].map(({ id }) => ({ ...content, id }));
      const replaced = await transaction.replaceFiles(files);
      assert.deepEqual(replaced.map(({ id }) => id), files.map(({ id }) => id));
    },
  })
) {
  Deno.test(`C 22 writes of others do not wait for the end of ${what}`, async () => {
    await using directory = await TempDir.make();
    await Deno.writeFile(`${directory.path}/test.db`, await (seeded ??= seededDatabase()));
    await using store = await openUsual(directory);
    const before = await allRecords(store);
    const ended: string[] = [];
    let other: Promise<unknown> | undefined;
    const writing = store.write(async (transaction) => {
      await work(transaction);
      other ??= seed(store, [{ path: "other/new", userId: 2 }]).then(() => ended.push("another's"));
      // Ends while this goes on.
      await until(() => ended.includes("another's"));
      throw new Error("the disk is on fire");
    });
    await assert.rejects(writing, /on fire/);
    await other;
    assert.deepEqual(ended, ["another's"]);
    const after = await allRecords(store);
    assert.deepEqual(after.filter(({ path }) => path !== "other/new"), before);
  });
}

Deno.test("C 22 writes of others do not wait for the content of a large change", async () => {
  await using store = await openStore();
  const contents = [smallContent("first"), smallContent("second")];
  await store.write(async (transaction) => {
    await transaction.expect(1, 1);
    await transaction.last(async () => {
      await transaction.contents.put(contents.slice(0, 1));
      // Ends while this goes on.
      await seed(store, [{ path: "other", userId: 2 }]);
      await transaction.contents.put(contents.slice(1));
    });
    await transaction.insert([newRecord("new")]);
  });
  for (const { hash, bytes } of contents) assert.deepEqual(store.contents.bytesOf(hash), bytes);
  assert.deepEqual((await allRecords(store)).map(({ path }) => path).sort(), ["new", "other"]);
});

Deno.test("C 8 a large change shows listings of its owner the former state until its end", async () => {
  const { store: opened, a } = await openSeeded();
  await using store = opened;
  const paths = async (directory: string) => {
    const query = { scope: own, recursive: true, directories: [directory], chain: [] };
    return (await Array.fromAsync(store.list(query))).flat().map(({ path }) => path);
  };
  const before = await paths("a");
  assert.equal(before.length, FILES.length);
  const root = { scope: everyone, recursive: false, directories: [], chain: [] };
  let rest = Promise.resolve<string[]>([]);
  await store.write(async (transaction) => {
    await transaction.moveSubtrees([{ source: a, target: "c" }], 99);
    assert.deepEqual(await paths("a"), before);
    assert.deepEqual(await paths("c"), []);
    rest = Array.fromAsync(store.list(root)).then((batches) =>
      batches.flat().map(({ path }) => path).sort()
    );
  });
  assert.deepEqual(await rest, ["b", "c", "other"]);
  assert.deepEqual(await paths("a"), []);
  assert.equal((await paths("c")).length, FILES.length);
});

Deno.test("large changes of users take turns", async () => {
  await using store = await openStore();
  const [one, two] = await seed(store, ["a/", { path: "a/", userId: 2 }]);
  assert.ok(one && two);
  const ended: string[] = [];
  const copy = (source: ResourceRecord, target: string) =>
    store.write((transaction) => transaction.copySubtrees([{ source, target }], 99))
      .then(() => ended.push(`${source.userId} ${target}`));
  await Promise.all([
    ...["b", "c", "d"].map((target) => copy(one, target)),
    ...["b", "c"].map((target) => copy(two, target)),
  ]);
  assert.deepEqual(ended, ["1 b", "1 c", "2 b", "1 d", "2 c"]);
});

Deno.test("a large change may turn out to change records of further users", async () => {
  await using store = await openStore();
  const [one, two, three] = await seed(store, [
    { path: "a/", userId: 1 },
    { path: "a/", userId: 2 },
    { path: "a/", userId: 3 },
  ]);
  assert.ok(one && two && three);
  const deleted = await store.write(async (transaction) => [
    await transaction.deleteSubtrees([one]),
    await transaction.deleteSubtrees([two, three]),
  ]);
  assert.deepEqual(deleted, [[one], [two, three]]);
  assert.deepEqual(await allRecords(store), []);
});

Deno.test("C 5 an undo that a crash interrupts at any step is completed at the next start", () => {
  for (let steps = 0, done = false; !done; steps++) {
    using connection = new Connection(":memory:", { readOnly: false });
    migrate(connection);
    const records = () =>
      connection.all("SELECT * FROM records ORDER BY id").map((it) => ({ ...it }));
    const history = new TreeHistory(connection);
    connection.run("UPDATE storage_state SET keeps_history = 1");
    const files = FILES.map((name) => newRecord(`a/${name}`));
    insertRecords(connection, history, [newRecord("a/"), ...files]);
    const usage = () => ({ ...connection.get("SELECT * FROM usage") });
    const before = records();
    const usageBefore = usage();
    const journal = new ChangeJournal(connection, history);
    connection.enforceForeignKeys(false);
    journal.begin([1]);
    journal.keep(1, "moved", "TRUE");
    connection.run(
      `UPDATE records SET path = 'b' || substr(path, 2), parent = 'b', since = 2 WHERE parent = 'a'`,
    );
    // A record that was added has the path of one that was moved away.
    insertRecords(connection, history, files);
    connection.run("DELETE FROM records WHERE id = (SELECT min(id) FROM records)");
    const undoing = new ChangeJournal(connection).undo();
    for (let step = 0; step < steps; step++) done = undoing.next().done === true;
    new ChangeJournal(connection).recover();
    assert.deepEqual(records(), before, `${steps} steps`);
    assert.deepEqual(usage(), usageBefore);
    // C 26: the version of the change, and what it has kept, are gone, too.
    assert.equal(connection.get("SELECT version FROM tree_versions")?.version, 1);
    for (const table of ["history", "tree_changes WHERE version > 1"]) {
      assert.equal(connection.get(`SELECT count(*) AS n FROM ${table}`)?.n, 0, table);
    }
    assert.equal(isChanging(connection), false);
    assert.deepEqual(connection.all("PRAGMA foreign_key_check"), []);
  }
});

Deno.test("C 5.4 content of records that a large change has deleted is not unreferenced yet", async () => {
  const { store: opened, a } = await openSeeded();
  await using store = opened;
  const hash = (await store.findByPath(own, ["a/f0001"])).get("a/f0001")?.hash ?? "";
  const unreferenced = () => store.write((transaction) => transaction.unreferenced([hash]));
  await store.write(async (transaction) => {
    await transaction.deleteSubtrees([a]);
    assert.deepEqual(await unreferenced(), []);
  });
  assert.deepEqual(await unreferenced(), [hash]);
});

/** How many rows of history are in no order yet. */
function unordered(path: string): unknown {
  using connection = new Connection(path, { readOnly: true });
  return connection.get("SELECT count(*) AS n FROM fresh_history")?.n;
}

Deno.test("C 26 what a large change has kept is in order at its end", async () => {
  const { store: opened, a } = await openSeeded();
  await using store = opened;
  await store.history.turn(true);
  await store.write((transaction) => transaction.deleteSubtrees([a]));
  assert.equal(unordered(`${store.directory}/test.db`), 0);
});

Deno.test("C 26 a large restore reads what a deletion has just kept by its index", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  await Deno.writeFile(path, await (seeded ??= seededDatabase()));
  const find = async (store: ResourceStore) =>
    (await store.findByPath(own, ["a"])).get("a") ?? assert.fail();
  let a: ResourceRecord;
  {
    await using store = await SqliteResourceStore.open(path);
    a = await find(store);
    await store.history.turn(true);
    await store.write((transaction) => transaction.deleteSubtrees([a]));
  }
  assert.equal(unordered(path), FILES.length + 1);
  await using store = await SqliteResourceStore.open(path, { maxDirectRecords: 0 });
  const { point } = await store.history.at(1, { version: 1 });
  await store.write(({ history }) =>
    history.restoreSubtrees([{ source: a, target: "a" }], point, 99)
  );
  // Without an index, each page of its plan would read all rows.
  assert.equal(unordered(path), 0);
  const restored = (await allRecords(store)).filter(({ path }) => path.startsWith("a/"));
  assert.equal(restored.length, FILES.length);
});

Deno.test("C 22 check and backup see no part of a large change", async () => {
  const { store: opened, a } = await openSeeded();
  await using store = opened;
  const before = await allRecords(store);
  const hash = (await store.findByPath(own, ["a/f0001"])).get("a/f0001")?.hash ?? "";
  await store.write(async (transaction) => {
    await transaction.deleteSubtrees([a]);
    const path = `${store.directory}/test.db`;
    {
      using audit = new SqliteRecordAudit(path, { repair: false });
      assert.deepEqual(audit.broken("ancestor", 0), []);
      assert.deepEqual(audit.unreferenced([hash]), []);
    }
    await copyDatabase(path, `${store.directory}/copy.db`);
  });
  await using copy = await SqliteResourceStore.open(`${store.directory}/copy.db`);
  assert.deepEqual(await allRecords(copy), before);
});
