import * as assert from "node:assert/strict";
import type { ListedEntry, MirroredName, MirrorStore } from "../../core/mirror/store.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

const MODEL: MirroredName = { kind: "models", id: "ns/name" };
const COMMIT = "a".repeat(40);
const SHA256 = "b".repeat(64);

const ENTRIES: readonly ListedEntry[] = [
  { path: "a", isDir: true, size: 0, blobId: "1", sha256: undefined },
  { path: "a-b", isDir: false, size: 3, blobId: "2", sha256: undefined },
  { path: "a/Z.bin", isDir: false, size: 2 ** 40, blobId: "3", sha256: SHA256 },
  { path: "a/é.bin", isDir: false, size: 5, blobId: "4", sha256: undefined },
  { path: "b", isDir: false, size: 0, blobId: "5", sha256: undefined },
];

async function* pages(
  ...pages: (readonly ListedEntry[])[]
): AsyncGenerator<readonly ListedEntry[]> {
  await Promise.resolve();
  yield* pages;
}

async function add(store: MirrorStore, name = MODEL, commitId = COMMIT): Promise<number> {
  const about = { createdAt: 1, modifiedAt: 2, tags: ["license:mit"] };
  await store.addRevision(
    { ...name, commitId, about, askedFirstAt: 3, askedFirstBy: 7 },
    pages(ENTRIES.slice(0, 2), ENTRIES.slice(2)),
  );
  const found = await store.findRevision(name, commitId);
  assert.deepEqual(found, {
    ...{ ...name, commitId, about, askedFirstAt: 3, askedFirstBy: 7, pinnedAt: undefined },
    ...{ revision: found?.revision, files: 4, bytes: 2 ** 40 + 8, hasCode: undefined },
  });
  return found?.revision ?? 0;
}

/** The conformance suite for every {@link MirrorStore}. */
export function mirrorStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 28 a name is known as it was last asked for", async ({ store: { mirror } }) => {
    assert.equal(await mirror.findName(MODEL, "main"), undefined);
    await mirror.keepName(MODEL, "main", { commitId: COMMIT, checkedAt: 5 });
    await mirror.keepName(MODEL, "main", { commitId: "c", checkedAt: 6 });
    assert.deepEqual(await mirror.findName(MODEL, "main"), { commitId: "c", checkedAt: 6 });
    await mirror.keepName(MODEL, "dev", { commitId: "d", checkedAt: 7 });
    assert.deepEqual(await mirror.listNames(MODEL), [
      { name: "dev", commitId: "d", checkedAt: 7 },
      { name: "main", commitId: "c", checkedAt: 6 },
    ]);
    assert.equal(await mirror.findName({ ...MODEL, kind: "datasets" }, "main"), undefined);
  });

  test("C 28 a revision is found when all of its entries are stored", async ({ store: { mirror } }) => {
    async function* broken(): AsyncGenerator<readonly ListedEntry[]> {
      yield ENTRIES.slice(0, 2).map((entry) => ({ ...entry, size: 9, blobId: "wrong" }));
      throw new Error("cut");
    }
    const about = { createdAt: 1, modifiedAt: 2, tags: [] };
    const revision = { ...MODEL, commitId: COMMIT, about, askedFirstAt: 3, askedFirstBy: 7 };
    await assert.rejects(mirror.addRevision(revision, broken()), { message: "cut" });
    assert.equal(await mirror.findRevision(MODEL, COMMIT), undefined);
    // Another attempt, of another server perhaps, stores what is missing, and what was wrong.
    await mirror.addRevision(revision, pages([...ENTRIES, ...ENTRIES.slice(1)]));
    const added = await mirror.findRevision(MODEL, COMMIT);
    assert.deepEqual([added?.files, added?.bytes], [4, 2 ** 40 + 8]);
    // What is whole does not change by one more.
    await assert.rejects(mirror.addRevision(revision, broken()), { message: "cut" });
    const [entry] = await mirror.findEntries(added?.revision ?? 0, ["a-b"]);
    assert.deepEqual([entry?.size, entry?.blobId], [3, "2"]);
  });

  test("C 28 entries are listed in pages in the order of their bytes", async ({ store: { mirror } }) => {
    const revision = await add(mirror);
    const paths = async (below: string, recursive: boolean, after = "", limit = 9) =>
      (await mirror.listEntries({ revision, below, recursive, after, limit })).map((it) => it.path);
    assert.deepEqual(await paths("", true), ENTRIES.map(({ path }) => path));
    assert.deepEqual(await paths("", true, "a-b", 2), ["a/Z.bin", "a/é.bin"]);
    assert.deepEqual(await paths("", false), ["a", "a-b", "b"]);
    assert.deepEqual(await paths("a", true), ["a/Z.bin", "a/é.bin"]);
    assert.deepEqual(await paths("a", false, "a/Z.bin"), ["a/é.bin"]);
    assert.deepEqual(
      await mirror.findEntries(revision, ["b", "a/Z.bin", "c"]),
      [ENTRIES[2], ENTRIES[4]].map((entry) => ({
        ...entry,
        ...{ admittedAt: undefined, fetchedAt: undefined, passedOnAt: undefined },
      })),
    );
    await mirror.noteFetched(revision, "b", 5);
    assert.equal(await mirror.notePassedOn(revision, "b", 6), true);
    assert.equal(await mirror.notePassedOn(revision, "b", 7), false);
    const [found] = await mirror.findEntries(revision, ["b"]);
    assert.deepEqual([found?.fetchedAt, found?.passedOnAt], [5, 6]);
    await mirror.forgetPassedOn(revision, "b");
    assert.equal((await mirror.findEntries(revision, ["b"]))[0]?.passedOnAt, undefined);
  });

  test("C 28 what was asked for longest ago is given up first, and nothing that was not fetched", async ({ store: { mirror } }) => {
    const one = await add(mirror);
    const two = await add(mirror, { kind: "datasets", id: "ns/data" }, "d".repeat(40));
    await mirror.noteAsked(one, "b", 30);
    await mirror.noteAsked(two, "b", 20);
    await mirror.noteAsked(two, "a-b", 10);
    await mirror.noteFetched(one, "b", 31);
    await mirror.noteFetched(two, "b", 21);
    assert.deepEqual(await mirror.leastAsked(9), [
      { revision: two, kind: "datasets", id: "ns/data", commitId: "d".repeat(40), path: "b" },
      { revision: one, ...MODEL, commitId: COMMIT, path: "b" },
    ]);
    assert.equal(await mirror.hasContent(SHA256), false);
    await mirror.noteFetched(one, "a/Z.bin", 32);
    assert.equal(await mirror.hasContent(SHA256), true);
    await mirror.noteFetched(one, "a/Z.bin", undefined);
    await mirror.noteFetched(two, "b", undefined);
    assert.deepEqual((await mirror.leastAsked(9)).map(({ revision }) => revision), [one]);
  });

  test("C 28 content is found in the revisions of a repository, one file each", async ({ store: { mirror } }) => {
    const one = await add(mirror);
    const two = await add(mirror, MODEL, "c".repeat(40));
    await add(mirror, { ...MODEL, kind: "datasets" }, "d".repeat(40));
    const about = { createdAt: 1, modifiedAt: 2, tags: [] };
    const revision = { ...MODEL, about, askedFirstAt: 3, askedFirstBy: 7 };
    const copies = ["y", "x"].map((path) => ({
      ...{ path, isDir: false, size: 2, blobId: "6", sha256: "e".repeat(64) },
    }));
    await mirror.addRevision({ ...revision, commitId: "e".repeat(40) }, pages(copies));
    async function* broken(): AsyncGenerator<readonly ListedEntry[]> {
      yield ENTRIES;
      throw new Error("cut");
    }
    await assert.rejects(
      mirror.addRevision({ ...revision, commitId: "f".repeat(40) }, broken()),
      { message: "cut" },
    );
    const found = async (first?: number, repository = MODEL) => {
      const sha256s = ["0".repeat(64), SHA256, "e".repeat(64)];
      const files = await mirror.findContents(repository, { first, sha256s });
      return files.map(({ revision, file }) => `${revision.commitId.slice(0, 1)} ${file.path}`)
        .toSorted();
    };
    assert.deepEqual(await found(), ["c a/Z.bin", "e x"]);
    assert.deepEqual(await found(two), ["c a/Z.bin", "e x"]);
    assert.deepEqual(await found(one), ["a a/Z.bin", "e x"]);
    assert.deepEqual(await found(one, { ...MODEL, id: "ns/other" }), []);
  });

  test("C 28 what is pinned or fetched is listed, newest first", async ({ store: { mirror } }) => {
    const one = await add(mirror);
    const two = await add(mirror, { kind: "datasets", id: "ns/data" }, "d".repeat(40));
    const listed = async (page: { limit: number; before?: number }) =>
      (await mirror.listShelved(page)).map(({ revision, fetchedFiles, fetchedBytes, pinnedAt }) => [
        ...[revision, fetchedFiles, fetchedBytes, pinnedAt],
      ]);
    assert.deepEqual(await listed({ limit: 9 }), []);
    await mirror.noteFetched(one, "a/Z.bin", 1);
    await mirror.noteFetched(one, "a-b", 1);
    await mirror.notePinned(two, 5);
    const all = [[two, 0, 0, 5], [one, 2, 2 ** 40 + 3, undefined]];
    assert.deepEqual(await listed({ limit: 9 }), all);
    assert.deepEqual(await listed({ limit: 1 }), all.slice(0, 1));
    assert.deepEqual(await listed({ limit: 9, before: two }), all.slice(1));
    assert.equal(await mirror.pinnedBytes(), 0);
    await mirror.notePinned(one, 5);
    assert.equal(await mirror.pinnedBytes(), 2 ** 40 + 3);
    await mirror.notePinned(one, undefined);
    await mirror.notePinned(two, undefined);
    await mirror.forgetFetched(one);
    assert.deepEqual(await listed({ limit: 9 }), []);
    assert.equal((await mirror.findShelved(one))?.fetchedFiles, 0);
    assert.equal(await mirror.findShelved(one + two), undefined);
    assert.equal(await mirror.findShelved(2 ** 60), undefined);
  });

  test("C 28 a file is let through for the first time once", async ({ store: { mirror } }) => {
    const revision = await add(mirror);
    const noted = await Promise.all([5, 6].map((now) => mirror.noteAdmitted(revision, "b", now)));
    assert.deepEqual(noted.toSorted(), [false, true]);
    const [found] = await mirror.findEntries(revision, ["b"]);
    assert.equal(found?.admittedAt, noted[0] ? 5 : 6);
  });

  test("C 28 it is kept whether a revision has code", async ({ store: { mirror } }) => {
    for (const hasCode of [false, true]) {
      const revision = await add(mirror, { kind: "models", id: `ns/${hasCode}` });
      await mirror.noteCode(revision, hasCode);
      assert.equal((await mirror.findShelved(revision))?.hasCode, hasCode);
    }
  });

  test("C 28 a server may fetch a file again", async ({ store: { mirror } }) => {
    const revision = await add(mirror);
    assert.equal(await mirror.takeFetch(revision, "b"), true);
    assert.equal(await mirror.takeFetch(revision, "b"), true);
    await mirror.endFetch(revision, "b");
    assert.equal(await mirror.takeFetch(revision, "b"), true);
    assert.equal(await mirror.takeFetch(revision, "c"), false);
  });
}
