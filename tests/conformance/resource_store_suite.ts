import * as assert from "node:assert/strict";
import { AppError } from "../../core/errors.ts";
import type { ListQuery, RecordList, ResourceStore, TransferEffects } from "../../core/ports.ts";
import { batchesOf } from "../../core/record_lists.ts";
import { newRecord, seed } from "../support/seed.ts";

/** On a busy machine, what a test does between two batches of a listing takes longer than a reader may by default. */
export const PATIENT = { listIdleMs: 60_000 };

/**
 * The conformance suite for every {@link ResourceStore}.
 *
 * @param open Opens an empty store, which is {@link PATIENT}.
 */
export function resourceStoreSuite(
  name: string,
  open: () => Promise<ResourceStore & AsyncDisposable>,
): void {
  const test = (rule: string, body: (store: ResourceStore) => Promise<void>) =>
    Deno.test(`${name} ${rule}`, async () => {
      await using store = await open();
      await body(store);
    });
  const own = { userId: 1, everyone: false };
  const all = { userId: 1, everyone: true };
  const listed = async (store: ResourceStore, query: Partial<ListQuery>) => {
    const whole = { scope: own, recursive: false, directories: [], chain: [], ...query };
    const batches = await Array.fromAsync(store.list(whole));
    return batches.flat().map(({ path }) => path);
  };

  test("insert() assigns increasing ids and keeps the order", async (store) => {
    const [a, b] = await seed(store, ["z/", "a"]);
    const [c] = await seed(store, ["z/c"]);
    assert.ok(a && b && c);
    assert.ok(0 < a.id && a.id < b.id && b.id < c.id);
    assert.deepEqual([a.path, b.path, c.path], ["z", "a", "z/c"]);
    assert.deepEqual([a.name, c.name], ["z", "c"]);
  });
  test("C 17 replaceFiles() changes the content alone, in the given order", async (store) => {
    const [a, b, c] = await seed(store, ["a", "b", "c"]);
    assert.ok(a && b && c);
    const content = { userId: 1, hash: "f".repeat(32), size: 7, crc32: 8, updatedAt: 9000 };
    const replaced = await store.write((transaction) =>
      transaction.replaceFiles([{ ...content, id: c.id }, { ...content, id: a.id, size: 5 }])
    );
    assert.deepEqual(replaced, [{ ...c, ...content }, { ...a, ...content, size: 5 }]);
    const found = await store.findByPath(own, ["a", "b", "c"]);
    assert.deepEqual([...found.values()].sort((one, other) => one.id - other.id), [
      { ...a, ...content, size: 5 },
      b,
      { ...c, ...content },
    ]);
    assert.equal((await store.usage(own)).bytes, b.size + 12);
    await assert.rejects(
      store.write((transaction) =>
        transaction.replaceFiles([{ ...content, id: b.id }, { ...content, id: c.id + 1 }])
      ),
    );
    assert.deepEqual((await store.findByPath(own, ["b"])).get("b"), b);
  });
  test("C 3 insert() never reuses an id", async (store) => {
    const [first] = await seed(store, ["a"]);
    assert.ok(first);
    await store.write((transaction) => transaction.deleteSubtrees([first]));
    const [second] = await seed(store, ["a"]);
    assert.ok(second && second.id > first.id);
  });
  test("C 5.1 insert() refuses a path only if its owner already has it", async (store) => {
    await seed(store, ["a"]);
    await seed(store, [{ path: "a", userId: 2 }]);
    await assert.rejects(seed(store, ["b", "a"]), (error) => {
      assert.ok(error instanceof AppError);
      return error.kind === "ErrResourcesAlreadyExists";
    });
    assert.deepEqual(await listed(store, {}), ["a"]);
  });
  test("C 5.2 write() commits no record without its parent directories", async (store) => {
    await assert.rejects(seed(store, ["missing/child"]));
    await seed(store, [{ path: "d/", userId: 2 }]);
    await assert.rejects(seed(store, ["d/child"]));
    await seed(store, ["d/child", "d/"]);
    assert.deepEqual(await listed(store, {}), ["d"]);
  });
  test("C 5.3 write() commits no directory with content and no file without", async (store) => {
    const record = { userId: 1, path: "x", crc32: 0, createdAt: 1, updatedAt: 1 };
    const hash = "0".repeat(32);
    for (
      const bad of [
        { ...record, isDir: true, hash, size: 0 },
        { ...record, isDir: true, hash: "", size: 1 },
        { ...record, isDir: false, hash: "", size: 0 },
        { ...record, isDir: false, hash, size: -1 },
        { ...record, isDir: true, hash: "", size: 0, path: "" },
        { ...record, isDir: true, hash: "", size: 0, userId: 0 },
      ]
    ) {
      await store.write((transaction) => transaction.insert([bad])).then(
        () => assert.fail(JSON.stringify(bad)),
        () => {},
      );
    }
    assert.deepEqual(await listed(store, {}), []);
  });
  test("findByPath() and findById() respect the scope", async (store) => {
    const records = await seed(store, ["a", { path: "a", userId: 2 }, { path: "b", userId: 2 }]);
    const ids = [...records.map(({ id }) => id), 999, 2 ** 60];
    assert.deepEqual([...(await store.findByPath(own, ["a", "b", "c"])).keys()], ["a"]);
    assert.deepEqual([...(await store.findById(own, ids)).keys()], [records[0]?.id]);
    const everyones = await store.findByPath(all, ["a", "b", "c"]);
    assert.deepEqual([...everyones.values()].map(({ userId }) => userId), [1, 2]);
    assert.equal((await store.findById(all, ids)).size, 3);
    assert.equal((await store.findByPath(own, [])).size, 0);
  });
  test("RS 1.4 findByPath() prefers the own record, then the latest, then the lowest id", async (store) => {
    await seed(store, [
      { path: "a", userId: 2, updatedAt: 5 },
      { path: "a", userId: 3, updatedAt: 9 },
      { path: "a", userId: 4, updatedAt: 9 },
    ]);
    assert.equal((await store.findByPath(all, ["a"])).get("a")?.userId, 3);
    await seed(store, [{ path: "a", userId: 1, updatedAt: 1 }]);
    assert.equal((await store.findByPath(all, ["a"])).get("a")?.userId, 1);
  });
  test("findByPath() and findById() find any number of records", async (store) => {
    const records = await seed(store, Array.from({ length: 100 }, (_, index) => `f${index}`));
    for (const count of [1, 32, 33, 100]) {
      const some = records.slice(0, count);
      const paths = some.map(({ path }) => path);
      assert.deepEqual([...(await store.findByPath(own, paths)).keys()].sort(), paths.sort());
      const ids = some.map(({ id }) => id);
      assert.deepEqual([...(await store.findById(own, ids)).keys()], ids);
    }
  });
  test("list() lists short and long directories alike", async (store) => {
    for (const count of [0, 1, 199, 200, 201, 300]) {
      const d = `d${count}`;
      const names = Array.from({ length: count }, (_, at) => `${d}/${String(at).padStart(3, "0")}`);
      await seed(store, [`${d}/`, ...names]);
      for (const recursive of [false, true]) {
        assert.deepEqual(await listed(store, { directories: [d], chain: [d], recursive }), [
          d,
          ...names,
        ]);
      }
    }
    assert.equal((await listed(store, {})).length, 6);
    assert.equal((await listed(store, { recursive: true })).length, 907);
  });
  test("list() lists the directories above, in the order of paths, and no files among them", async (store) => {
    const long = Array.from({ length: 150 }, (_, at) => `a/b/${String(at).padStart(250, "0")}`);
    await seed(store, ["a/", "a-", "a/b/", "a/b-", "a/b0", ...long, "a/b/c/", "a/b/c/d", "f"]);
    await seed(store, [{ path: "a/", userId: 2 }, { path: "a/b/", userId: 2 }, {
      path: "a/b/theirs",
      userId: 2,
    }]);
    assert.deepEqual(
      await listed(store, { directories: ["a/b"], chain: ["a", "a/b"] }),
      ["a", "a/b", ...long, "a/b/c"],
    );
    assert.deepEqual(
      await listed(store, { directories: ["a/b/c"], chain: ["a", "a/b", "a/b/c"] }),
      ["a", "a/b", "a/b/c", "a/b/c/d"],
    );
    assert.deepEqual(await listed(store, { directories: ["f"], chain: ["f"] }), []);
    assert.deepEqual(await listed(store, { directories: ["no"], chain: ["no"] }), []);
  });
  test("list() reads one snapshot despite concurrent commits", async (store) => {
    const names = Array.from({ length: 1500 }, (_, index) => `d/${String(index).padStart(4, "0")}`);
    const [directory] = await seed(store, ["d/", ...names]);
    assert.ok(directory);
    const query = { scope: own, recursive: false, directories: ["d"], chain: ["d"] };
    const seen: string[] = [];
    for await (const batch of store.list(query)) {
      if (seen.length === 0) {
        await store.write((transaction) => transaction.deleteSubtrees([directory]));
      }
      for (const { path } of batch) seen.push(path);
    }
    assert.deepEqual(seen, ["d", ...names]);
    assert.deepEqual(await listed(store, { directories: ["d"], chain: ["d"] }), []);
  });
  test("deleteSubtrees() deletes each descendant of the same owner once", async (store) => {
    const [a, ab] = await seed(store, ["a/", "a/b/", "a/b/c", "a0", "a-"]);
    await seed(store, [{ path: "a/", userId: 2 }, { path: "a/b", userId: 2 }]);
    assert.ok(a && ab);
    const gone = await store.write((transaction) => transaction.deleteSubtrees([ab, a, ab]));
    assert.deepEqual(await pathsOf(gone), ["a", "a/b", "a/b/c"]);
    assert.deepEqual((await listed(store, { recursive: true })).sort(), ["a-", "a0"]);
    assert.equal(
      (await listed(store, { scope: { userId: 2, everyone: false }, recursive: true })).length,
      2,
    );
  });
  test("RS 4.6.5 deleteSubtrees() returns the records of all owners by path, then by age", async (store) => {
    const mine = await seed(store, ["a/", "a/b/", "a/b/c", "a/b/e", "a/z", "a-/", "a-/f", "a.txt"]);
    const others = await seed(store, [
      { path: "a/", userId: 2 },
      { path: "a/b/", userId: 2, createdAt: 1 },
      { path: "a/b/c", userId: 2, createdAt: 9000 },
      { path: "a/b/d", userId: 2 },
    ]);
    const roots = [others[1], mine[7], mine[0], mine[5]].flatMap((it) => it ?? []);
    const gone = await store.write((transaction) => transaction.deleteSubtrees(roots));
    const [batch = []] = await Array.fromAsync(batchesOf([gone]));
    assert.deepEqual(batch.map(({ userId, path }) => `${userId} ${path}`), [
      "1 a",
      "1 a-",
      "1 a-/f",
      "1 a.txt",
      "2 a/b",
      "1 a/b",
      "1 a/b/c",
      "2 a/b/c",
      "2 a/b/d",
      "1 a/b/e",
      "1 a/z",
    ]);
    assert.deepEqual(await listed(store, { scope: all, recursive: true }), ["a"]);
  });
  test("moveSubtrees() returns its effects in source order, each by path", async (store) => {
    const [s, t] = await seed(store, ["s/", "t", "s/e/", "s/f", "d/", "d/s/", "d/s/e/", "d/s/f"]);
    assert.ok(s && t);
    const effects = await store.write((transaction) =>
      transaction.moveSubtrees([
        { source: t, target: "d/t" },
        { source: s, target: "d/s" },
      ], 7000)
    );
    assert.deepEqual(await pathsOfEffects(effects), {
      overwritten: ["d/s/f"],
      added: [],
      updated: ["d/t", "d/s/f"],
      merged: ["s/e", "s"],
    });
    const times = (await store.findByPath(own, ["d/s", "d/s/f"])).values();
    assert.deepEqual([...times].map(({ updatedAt }) => updatedAt), [1000, 7000]);
  });
  test("RS 4.4 moveSubtrees() returns net effects if a source changes what an earlier one moved", async (store) => {
    const [ab, c, f, g] = await seed(store, ["a/b/", "c/", "f", "g", "a/", "a/b/x", "c/y"]);
    assert.ok(ab && c && f && g);
    const effects = await store.write((transaction) =>
      transaction.moveSubtrees([
        { source: f, target: "c/f" },
        { source: ab, target: "c/b" },
        // Replaces what the first has moved.
        { source: g, target: "c/f" },
        // Moves once more what the second has moved.
        { source: c, target: "d" },
      ], 7000)
    );
    assert.deepEqual(await pathsOfEffects(effects), {
      overwritten: ["f"],
      added: [],
      updated: ["d/b", "d/b/x", "d/f", "d", "d/y"],
      merged: [],
    });
    const [batch = []] = await Array.fromAsync(batchesOf([effects.overwritten, effects.updated]));
    assert.deepEqual(batch.map(({ id, name }) => [id, name]).slice(0, 4), [
      [f.id, "f"],
      [ab.id, "b"],
      [ab.id + 5, "x"],
      [g.id, "f"],
    ]);
  });
  test("moveSubtrees() refuses a source that was moved or replaced", async (store) => {
    const [a, b] = await seed(store, ["a", "b"]);
    assert.ok(a && b);
    for (const first of [{ source: a, target: "c" }, { source: b, target: "a" }]) {
      const again = { source: a, target: "d" };
      await assert.rejects(
        store.write((transaction) => transaction.moveSubtrees([first, again], 1)),
        { kind: "ErrResourcesInvalidRequest" },
      );
    }
    assert.deepEqual((await listed(store, {})).sort(), ["a", "b"]);
  });
  test("copySubtrees() copies the state before the call and returns it by source", async (store) => {
    const [a, ab] = await seed(store, ["a/", "a/b/", "a/b/f", "d/", "d/a/", "d/a/b/", "d/a/b/f"]);
    assert.ok(a && ab);
    const effects = await store.write((transaction) =>
      transaction.copySubtrees([
        { source: a, target: "d/a" },
        { source: ab, target: "d/b" },
      ], 7000)
    );
    assert.deepEqual(await pathsOfEffects(effects), {
      overwritten: ["d/a/b/f"],
      added: ["d/b", "d/b/f"],
      updated: ["d/a/b", "d/a/b/f"],
      merged: [],
    });
  });
  test("moveSubtrees() and copySubtrees() never place a file at the path of a directory", async (store) => {
    const [s, t] = await seed(store, ["s/", "s/x", "t/", "t/x/", "t/x/k"]);
    assert.ok(s && t);
    for (const operation of ["moveSubtrees", "copySubtrees"] as const) {
      for (const [source, target] of [[s, "t"], [t, "s"]] as const) {
        await assert.rejects(
          store.write((transaction) => transaction[operation]([{ source, target }], 1)),
          { kind: "ErrResourcesConflict" },
        );
      }
    }
    assert.equal((await listed(store, { recursive: true })).length, 5);
  });
  test("unreferenced() finds the hashes that no record refers to", async (store) => {
    const [held] = await seed(store, [{ path: "a", content: "held" }]);
    assert.ok(held);
    const other = "f".repeat(32);
    const ask = () => store.write((transaction) => transaction.unreferenced([other, held.hash]));
    assert.deepEqual(await ask(), [other]);
    await store.write((transaction) => transaction.deleteSubtrees([held]));
    assert.deepEqual((await ask()).sort(), [held.hash, other].sort());
  });
  test("write() rolls back work that throws and nothing else", async (store) => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        store.write(async (transaction) => {
          const [record] = await transaction.insert([newRecord(`r${index}/`)]);
          if (index % 3 === 0) throw new Error(`refused ${index}`);
          return record?.path;
        })),
    );
    const kept = outcomes.flatMap((it) => it.status === "fulfilled" ? [it.value] : []);
    assert.equal(kept.length, 26);
    assert.deepEqual((await listed(store, {})).sort(), kept.sort());
  });
  test("write() shows earlier writes to later work", async (store) => {
    const counts = await Promise.all(
      [1, 2, 3, 4, 5].map((userId) =>
        store.write(async (transaction) => {
          const before = await transaction.findByPath(all, ["a"]);
          await transaction.insert([newRecord({ userId, path: "a/", updatedAt: 10 - userId })]);
          return before.get("a")?.userId;
        })
      ),
    );
    assert.deepEqual(counts, [undefined, 1, 1, 1, 1]);
  });
  test("write() calls onCommit in commit order of a tree, after each commit", async (store) => {
    const committed: number[] = [];
    await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        store.write(async (transaction) => {
          await transaction.usage(1);
          assert.equal(committed.includes(index), false);
          if (index === 7) throw new Error("refused");
          return index;
        }, { onCommit: (result) => committed.push(result), alone: index % 5 === 0 })),
    );
    assert.deepEqual(
      committed,
      Array.from({ length: 20 }, (_, index) => index).filter((it) => it !== 7),
    );
  });
  test("write() commits nothing when a beforeCommit action fails", async (store) => {
    await assert.rejects(
      store.write(async (transaction) => {
        transaction.beforeCommit(() => Promise.reject(new Error("no sync")));
        await transaction.insert([newRecord("a/")]);
      }),
      /no sync/,
    );
    assert.deepEqual(await listed(store, {}), []);
    await seed(store, ["a"]);
  });
  test("collectFiles() keeps the collected files and their packed sizes", async (store) => {
    const [root] = await seed(store, ["d/", "d/b", "d/e/", "d/e/c", "d/a"]);
    assert.ok(root);
    await using files = await store.collectFiles({ userId: 1, byPath: [root], byId: [] });
    await files.setPackedSizes(new Map([["d/b", 12]]));
    await store.write((transaction) => transaction.deleteSubtrees([root]));
    for (let reading = 0; reading < 2; reading++) {
      const pages = (await Array.fromAsync(files.pages())).flat();
      assert.deepEqual(pages.map(({ path, packedSize }) => [path, packedSize]), [
        ["d/a", null],
        ["d/b", 12],
        ["d/e/c", null],
      ]);
    }
  });
}

async function pathsOf(records: RecordList): Promise<string[]> {
  return (await Array.fromAsync(batchesOf([records]))).flat().map(({ path }) => path);
}

async function pathsOfEffects({ overwritten, added, updated, merged }: TransferEffects) {
  return {
    overwritten: await pathsOf(overwritten),
    added: await pathsOf(added),
    updated: await pathsOf(updated),
    merged: await pathsOf(merged),
  };
}
