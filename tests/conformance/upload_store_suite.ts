import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { LfsObject } from "../../core/lfs_objects.ts";
import type { NewUpload } from "../../core/uploads.ts";
import { seed } from "../support/seed.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

const BOUNDS = { maxUnfinished: 100, quota: undefined, replacedBytes: 0 };
const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

function newUpload(id: number, changes: Partial<NewUpload> = {}): NewUpload {
  return {
    id: String(id).padStart(32, "0"),
    userId: 1,
    createdBy: 2,
    path: "d/é",
    size: 10,
    deferred: false,
    concat: "",
    sha256: undefined,
    onConflict: "skip",
    metadata: "filename ZA==",
    createdAt: 1000,
    expiresAt: 2000,
    ...changes,
  };
}

function newObject(id: number, content: string, changes: Partial<LfsObject> = {}): LfsObject {
  return {
    id: String(id).padStart(32, "0"),
    userId: 1,
    createdBy: 2,
    sha256: sha256(content),
    size: content.length,
    hash: md5(content),
    crc32: 4_000_000_000,
    createdAt: 1000,
    expiresAt: 2000,
    ...changes,
  };
}

/** The conformance suite for every {@link UploadStore} and {@link LfsObjectStore}. */
export function uploadStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 21 an upload is kept until it expires, and found in its tree only", async ({ store }) => {
    const { uploads } = store;
    const upload = newUpload(1, { sha256: sha256("x"), size: 2 ** 40 });
    assert.equal(await uploads.add(upload, BOUNDS), "added");
    const found = { ...upload, received: 0, completedAt: null };
    assert.deepEqual(await uploads.find(1, upload.id, 1999), found);
    assert.equal(await uploads.find(1, upload.id, 2000), undefined);
    assert.equal(await uploads.find(2, upload.id, 1999), undefined);
    assert.equal(await uploads.find(1, `${upload.id}\0`, 1999), undefined);
    await uploads.advance(upload.id, { received: 2 ** 39, expiresAt: 3000, turn: 0 });
    assert.deepEqual(await uploads.find(1, upload.id, 2000), {
      ...found,
      received: 2 ** 39,
      expiresAt: 3000,
    });
    assert.deepEqual(await uploads.expired(2999), []);
    assert.deepEqual(await uploads.expired(3000), [upload.id]);
    await uploads.remove(upload.id);
    assert.equal(await uploads.find(1, upload.id, 1000), undefined);
  });

  test("C 21 and C 22 unfinished uploads are bounded, and count against the quota", async ({ store }) => {
    const { uploads } = store;
    await seed(store, [{ path: "f", content: "12345" }]);
    const added = await Promise.all(
      Array.from(
        { length: 8 },
        (_, id) => uploads.add(newUpload(id + 1), { ...BOUNDS, quota: 35 }),
      ),
    );
    assert.deepEqual(added.toSorted(), [
      ...Array(3).fill("added"),
      ...Array(5).fill("overQuota"),
    ]);
    assert.equal(await uploads.add(newUpload(9), { ...BOUNDS, maxUnfinished: 3 }), "tooMany");
    assert.equal(
      await uploads.add(newUpload(10, { userId: 2 }), { ...BOUNDS, quota: 10 }),
      "added",
    );
    const replacing = { ...BOUNDS, quota: 40, replacedBytes: 5 };
    assert.equal(await uploads.add(newUpload(11), replacing), "added");
    assert.equal((await store.usage({ userId: 1, everyone: false })).uploading, 40);
    const [first] = await uploads.unfinishedAfter("", 1);
    assert.ok(first);
    await store.write((transaction) => transaction.completeUploads([first], 1500));
    assert.equal((await uploads.find(1, first, 1000))?.completedAt, 1500);
    assert.equal((await store.usage({ userId: 1, everyone: false })).uploading, 30);
    const rest = await uploads.unfinishedAfter(first, 10);
    assert.equal(rest.length, 4);
    assert.deepEqual((await uploads.unfinished([first, ...rest, "0"])).toSorted(), rest);
    assert.deepEqual(await uploads.unfinished([]), []);
    const [second = "", third = "", ...others] = rest;
    await assert.rejects(
      store.write((transaction) => transaction.completeUploads([second, first], 1600)),
      { kind: "ErrUploadsLocked" },
    );
    assert.deepEqual(await uploads.unfinishedAfter(first, 10), rest);
    await uploads.removeAll([first, second, third, "0"]);
    assert.deepEqual(await uploads.unfinishedAfter("", 10), others);
    await uploads.removeAll([]);
  });

  test("C 20 content waits within bounds, once for each tree, as long as the latest lets it", async ({ store }) => {
    const { objects } = store;
    const bounds = { maxObjects: 3, quota: 14 };
    const first = newObject(1, "aaaaa");
    assert.equal(await objects.add(first, bounds), "added");
    assert.equal(await objects.add(newObject(2, "aaaaa", { expiresAt: 3000 }), bounds), "held");
    assert.equal(await objects.add(newObject(3, "aaaaa", { expiresAt: 2500 }), bounds), "held");
    assert.equal(await objects.add(newObject(4, "aaaaa", { userId: 2 }), bounds), "added");
    assert.equal(await objects.add(newObject(5, "b".repeat(10)), bounds), "overQuota");
    assert.equal(await objects.add(newObject(6, "bb"), bounds), "added");
    assert.equal(await objects.add(newObject(7, ""), bounds), "added");
    assert.equal(await objects.add(newObject(8, "c"), bounds), "tooMany");
    const asked = ["aaaaa", "bb", "c"].map(sha256);
    const waiting = await objects.waiting(1, asked, 1999);
    assert.deepEqual(waiting.toSorted((a, b) => a.id < b.id ? -1 : 1), [
      { ...first, expiresAt: 3000 },
      newObject(6, "bb"),
    ]);
    assert.deepEqual((await objects.waiting(1, asked, 2000)).length, 1);
    assert.deepEqual(await objects.idsAfter("", 2), [first.id, newObject(4, "").id]);
    assert.deepEqual(await objects.present([first.id, "none"]), [first.id]);
    assert.deepEqual((await objects.removeExpired(2999)).toSorted(), [
      newObject(4, "").id,
      newObject(6, "").id,
      newObject(7, "").id,
    ]);
    await objects.remove([first.id]);
    assert.deepEqual(await objects.idsAfter("", 9), []);
  });

  test("C 20 content of a tree is found by SHA-256 and size, waiting or in a file", async ({ store, dialect, rows }) => {
    const { objects } = store;
    await seed(store, ["r/", { path: "r/f", content: "file" }, { path: "other", content: "file" }]);
    await seed(store, [{ path: "f", content: "of two", userId: 2 }]);
    for (const text of ["file", "of two"]) {
      const digest = dialect.bytes(`'${sha256(text)}'`);
      await rows(`UPDATE contents SET sha256 = ${digest} WHERE hash = '${md5(text)}'`);
    }
    await objects.add(newObject(1, "waits"), { maxObjects: 9, quota: undefined });
    const pointers = ["file", "of two", "waits", "nobody's"].map((text) => ({
      sha256: sha256(text),
      size: text.length,
    }));
    assert.deepEqual(await objects.holds(1, pointers, 1500), [true, false, true, false]);
    assert.deepEqual(await objects.holds(2, pointers, 1500), [false, true, false, false]);
    assert.deepEqual(await objects.holds(1, pointers, 2000), [true, false, false, false]);
    const wrong = pointers.map((pointer) => ({ ...pointer, size: pointer.size + 1 }));
    assert.deepEqual(await objects.holds(1, wrong, 1500), [false, false, false, false]);
    const file = (directory: string) => objects.files(1, directory, pointers);
    assert.deepEqual(await file("r"), ["r/f", undefined, undefined, undefined]);
    assert.deepEqual(await file("x"), ["other", undefined, undefined, undefined]);
  });

  test("C 20 the key of addresses is made once", async ({ store: { objects } }) => {
    const keys = await Promise.all([objects.key(), objects.key(), objects.key()]);
    for (const key of keys) assert.deepEqual(key, await objects.key());
    assert.equal(keys[0]?.length, 32);
  });
}
