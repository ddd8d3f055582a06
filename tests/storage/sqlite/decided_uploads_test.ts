import * as assert from "node:assert/strict";
import type { DecidedUpload, UploadEffects } from "../../../core/decided_upload.ts";
import type { ResourceRecord } from "../../../core/ports.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { newRecord, seed } from "../../support/seed.ts";
import { smallContent } from "../../support/small_content.ts";
import { TempDir } from "../../support/temp_dir.ts";

const own = { userId: 1, everyone: false };

async function openStore(): Promise<SqliteResourceStore> {
  const directory = await TempDir.make();
  const store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const close = store[Symbol.asyncDispose].bind(store);
  return Object.assign(store, {
    async [Symbol.asyncDispose]() {
      await close();
      await directory[Symbol.asyncDispose]();
    },
  });
}

/** An upload of a file, whose content is its path unless that is stated, to a tree with some records. */
function uploadOf(
  path: string,
  found: readonly ResourceRecord[],
  { content = path, ...bounds }: { content?: string } & Pick<DecidedUpload, "bounds"> = {},
): DecidedUpload {
  const replaced = found.find((record) => record.path === path);
  const { hash, size, crc32 } = smallContent(content);
  return {
    userId: 1,
    found,
    newRecords: replaced === undefined ? [newRecord({ path, content })] : [],
    newContents: replaced === undefined
      ? []
      : [{ id: replaced.id, userId: 1, hash, size, crc32, updatedAt: 2000 }],
    contents: [smallContent(content)],
    ...bounds,
  };
}

/** Stores an upload; what was to be published comes with the outcome. */
async function storeDecided(store: SqliteResourceStore, upload: DecidedUpload) {
  const published: UploadEffects[] = [];
  const effects = await store.storeDecided(upload, {
    onCommit: (effects) => published.push(effects),
  });
  assert.deepEqual(published, effects === undefined ? [] : [effects]);
  return effects;
}

async function pathsIn(store: SqliteResourceStore): Promise<string[]> {
  const query = { scope: own, recursive: true, directories: [], chain: [] };
  return (await Array.fromAsync(store.list(query))).flat().map(({ path }) => path).sort();
}

Deno.test("C 6 a decided upload adds and replaces what it says, and its content", async () => {
  await using store = await openStore();
  const [d, a] = await seed(store, ["d/", "d/a"]);
  assert.ok(d && a);
  const [content, other] = [smallContent("new"), smallContent("other")];
  const effects = await storeDecided(store, {
    userId: 1,
    found: [d, a],
    newRecords: [newRecord("d/e/"), newRecord({ path: "d/e/f", content: "new" })],
    newContents: [{
      id: a.id,
      userId: 1,
      hash: other.hash,
      size: other.size,
      crc32: other.crc32,
      updatedAt: 2000,
    }],
    contents: [content, other],
  });
  assert.ok(effects);
  const found = await store.findByPath(own, ["d", "d/a", "d/e", "d/e/f"]);
  assert.deepEqual(effects.added, [found.get("d/e"), found.get("d/e/f")]);
  assert.deepEqual(effects.updated, [found.get("d/a")]);
  assert.deepEqual(found.get("d"), d);
  assert.deepEqual(found.get("d/a"), {
    ...a,
    hash: other.hash,
    size: other.size,
    crc32: other.crc32,
    updatedAt: 2000,
  });
  assert.deepEqual(store.contents.bytesOf(content.hash), content.bytes);
  assert.deepEqual(store.contents.bytesOf(other.hash), other.bytes);
});

/** What happens between the decision of an upload to `path` and its transaction. */
const RACES: readonly {
  readonly name: string;
  readonly path: string;
  readonly change: (store: SqliteResourceStore) => Promise<unknown>;
}[] = [
  {
    name: "the directory is deleted",
    path: "d/new",
    change: (store) => deleteAt(store, "d"),
  },
  {
    name: "the directory is deleted and made again",
    path: "d/new",
    change: async (store) => await Promise.all([deleteAt(store, "d"), seed(store, ["d/"])]),
  },
  {
    name: "the directory is moved, and a file takes its path",
    path: "d/new",
    change: async (store) => await Promise.all([moveAway(store, "d"), seed(store, ["d"])]),
  },
  {
    name: "the path is taken",
    path: "d/new",
    change: (store) => seed(store, ["d/new"]),
  },
  {
    name: "the file is deleted",
    path: "d/a",
    change: (store) => deleteAt(store, "d/a"),
  },
  {
    name: "the file is moved",
    path: "d/a",
    change: (store) => moveAway(store, "d/a"),
  },
  {
    name: "the file gets other content",
    path: "d/a",
    change: (store) =>
      store.write(async (transaction) => {
        const record = (await transaction.findByPath(own, ["d/a"])).get("d/a");
        assert.ok(record);
        const { hash, size, crc32 } = smallContent("in between");
        return await transaction.replaceFiles([
          { id: record.id, userId: 1, hash, size, crc32, updatedAt: 1500 },
        ]);
      }, { userId: 1 }),
  },
];

function deleteAt(store: SqliteResourceStore, path: string): Promise<unknown> {
  return store.write(
    async (transaction) =>
      transaction.deleteSubtrees([...(await transaction.findByPath(own, [path])).values()]),
    {
      userId: 1,
    },
  );
}

function moveAway(store: SqliteResourceStore, path: string): Promise<unknown> {
  return store.write(async (transaction) => {
    const source = (await transaction.findByPath(own, [path])).get(path);
    assert.ok(source);
    return await transaction.moveSubtrees([{ source, target: "moved" }], 1500);
  }, { userId: 1 });
}

for (const { name, path, change } of RACES) {
  Deno.test(`C 5 a decided upload changes nothing if ${name} before its transaction`, async () => {
    await using store = await openStore();
    await seed(store, ["d/", { path: "d/a", content: "a" }, "e/"]);
    const found = [...(await store.findByPath(own, ["d", path])).values()];
    // All are queued at once, so they share a commit.
    const changed = change(store);
    const [outcome, other] = await Promise.all([
      storeDecided(store, uploadOf(path, found, { content: "uploaded" })),
      storeDecided(store, uploadOf("e/other", found.filter((it) => it.path === "e"))),
      changed,
    ]);
    assert.equal(outcome, undefined);
    assert.ok(other);
    assert.equal(store.contents.bytesOf(smallContent("uploaded").hash), undefined);
    assert.ok(store.contents.bytesOf(smallContent("e/other").hash));
    const { hash } = smallContent("uploaded");
    const records = await store.findByPath(own, await pathsIn(store));
    assert.deepEqual([...records.values()].filter((record) => record.hash === hash), []);
  });
}

Deno.test("C 5.1 of decided uploads to one path, one is carried out", async () => {
  await using store = await openStore();
  const outcomes = await Promise.all(
    Array.from(
      { length: 8 },
      (_, index) => storeDecided(store, uploadOf("a", [], { content: String(index) })),
    ),
  );
  assert.equal(outcomes.filter((outcome) => outcome !== undefined).length, 1);
  assert.deepEqual(outcomes[0]?.added, [(await store.findByPath(own, ["a"])).get("a")]);
});

Deno.test("C 22 a decided upload changes nothing if it takes the tree beyond its bounds", async () => {
  await using store = await openStore();
  const [a] = await seed(store, [{ path: "a", content: "12345" }]);
  assert.ok(a);
  const store5 = (path: string, bounds: DecidedUpload["bounds"], found: ResourceRecord[] = []) =>
    storeDecided(store, uploadOf(path, found, { content: "67890", bounds }));
  assert.equal(await store5("b", { bytes: 9, records: 10 }), undefined);
  assert.equal(await store5("b", { bytes: 10, records: 1 }), undefined);
  assert.deepEqual(await pathsIn(store), ["a"]);
  assert.ok(await store5("b", { bytes: 10, records: 2 }));
  assert.ok(await store5("a", { bytes: 10, records: 2 }, [a]));
});

Deno.test("C 6 a decided upload leaves content to be looked at by others", async () => {
  await using store = await openStore();
  const inFile = { ...smallContent("in a file"), bytes: undefined };
  await store.write((transaction) => transaction.contents.put([inFile]));
  assert.equal(await storeDecided(store, uploadOf("in a file", [])), undefined);
  const damaged = { ...smallContent("damaged"), bytes: new TextEncoder().encode("Damaged") };
  await store.write((transaction) => transaction.contents.put([damaged]));
  assert.equal(await storeDecided(store, uploadOf("damaged", [])), undefined);
  assert.deepEqual(store.contents.bytesOf(damaged.hash), damaged.bytes);
  assert.deepEqual(await pathsIn(store), []);
});

Deno.test("C 5.5 a decided upload that fails is undone alone", async () => {
  await using store = await openStore();
  const invalid = uploadOf("invalid", []);
  const outcomes = await Promise.allSettled([
    storeDecided(store, uploadOf("a", [])),
    storeDecided(store, { ...invalid, newRecords: [{ ...newRecord("invalid"), size: -1 }] }),
    storeDecided(store, uploadOf("c", [])),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(await pathsIn(store), ["a", "c"]);
  assert.equal(store.contents.bytesOf(smallContent("invalid").hash), undefined);
});

Deno.test("C 11 what decided uploads and other work publish is in the order of the calls", async () => {
  await using store = await openStore();
  const order: string[] = [];
  await Promise.all(Array.from({ length: 40 }, async (_, index) => {
    const path = `f${index}`;
    if (index % 3 === 0) {
      const work = (transaction: Parameters<Parameters<typeof store.write>[0]>[0]) =>
        transaction.insert([newRecord(path)]);
      await store.write(work, { userId: 1, onCommit: () => order.push(path) });
    } else await store.storeDecided(uploadOf(path, []), { onCommit: () => order.push(path) });
  }));
  assert.deepEqual(order, Array.from({ length: 40 }, (_, index) => `f${index}`));
  const ids = (await store.findByPath(own, order)).values().map(({ path, id }) => ({ path, id }));
  const byId = [...ids].sort((a, b) => a.id - b.id).map(({ path }) => path);
  assert.deepEqual(byId, order);
});

Deno.test("C 5 a decided upload changes nothing while a large change of its tree is going on", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`, {
    maxDirectRecords: 0,
  });
  const [d] = await seed(store, ["d/", "d/a"]);
  assert.ok(d);
  const deletion = store.write((transaction) => transaction.deleteSubtrees([d]));
  const outcomes: unknown[] = [];
  const deleting = { hasEnded: false };
  deletion.finally(() => deleting.hasEnded = true);
  while (!deleting.hasEnded) outcomes.push(await storeDecided(store, uploadOf("e", [])));
  await deletion;
  // At most one, before it has begun.
  assert.ok(outcomes.length > 2);
  assert.equal(outcomes.slice(1).every((outcome) => outcome === undefined), true);
  assert.deepEqual(await pathsIn(store), outcomes[0] === undefined ? [] : ["e"]);
});
