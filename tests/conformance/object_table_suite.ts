import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { ContentRow } from "../../core/content_changes.ts";
import { type OpenedStores, type StoresEngine, storesTest } from "../support/stores.ts";

const BIG = 2 ** 50;

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

/** Content in an object, as a store of content describes it. */
function inObject(content: string, object: string): ContentRow {
  const sha256 = new Uint8Array(createHash("sha256").update(content).digest());
  return {
    hash: md5(content),
    size: 100_000,
    crc32: 7,
    sha256,
    bytes: undefined,
    object,
    isNew: true,
  };
}

function put({ store }: OpenedStores, ...contents: ContentRow[]) {
  return store.write(({ contents: rows }) => rows.put(contents));
}

async function statesOf({ rows }: OpenedStores): Promise<Record<string, string>> {
  const found = await rows("SELECT key, state, deletions FROM objects ORDER BY key");
  return Object.fromEntries(
    found.map(({ key, state, deletions }) => [key, `${state} ${deletions}`]),
  );
}

/** The conformance suite for every {@link ObjectTable}, and what transactions change of its rows. */
export function objectTableSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 23 an object arrives, and is content from the transaction on that publishes it", async (opened) => {
    const { objectTable } = opened.store;
    await objectTable.arrive("a");
    assert.deepEqual(await statesOf(opened), { a: "arriving 0" });
    assert.equal(await objectTable.hasObjects(), true);
    await put(opened, inObject("x", "a"));
    assert.deepEqual(await statesOf(opened), {});
    const place = { size: 100_000, crc32: 7, bytes: undefined, object: "a" };
    assert.deepEqual(await objectTable.place(md5("x")), place);
    assert.equal(await objectTable.place(md5("y")), undefined);
    const content = { hash: md5("x"), object: "a", size: 100_000 };
    assert.deepEqual(await objectTable.contentsIn("a"), [content]);
    assert.deepEqual(await objectTable.hashesBelow(md5("x").slice(0, 2)), [md5("x")]);
    await objectTable.giveUp(["a"]);
    assert.deepEqual(await statesOf(opened), {});
  });

  test("C 23 an object that was given up is not published", async (opened) => {
    const { objectTable } = opened.store;
    await objectTable.arrive("a");
    await objectTable.arrive("b");
    await objectTable.giveUp(["a", "a", "none"]);
    await assert.rejects(put(opened, inObject("x", "a"), inObject("y", "b")));
    await assert.rejects(put(opened, inObject("z", "never")));
    assert.deepEqual(await statesOf(opened), { a: "leaving 0", b: "arriving 0" });
    assert.equal(await objectTable.place(md5("y")), undefined);
  });

  test("C 23 content that is stored already gets the new object, and the former one leaves", async (opened) => {
    const { objectTable } = opened.store;
    for (const key of ["a", "b", "c"]) await objectTable.arrive(key);
    await put(opened, inObject("x", "a"));
    await put(opened, inObject("x", "b"));
    assert.equal((await objectTable.place(md5("x")))?.object, "b");
    assert.deepEqual(await statesOf(opened), { a: "leaving 0", c: "arriving 0" });
    const forged = { ...inObject("other", "c"), hash: md5("x") };
    await assert.rejects(put(opened, forged), { kind: "ErrResourcesInvalidData" });
    const larger = { ...inObject("x", "c"), size: 100_001 };
    await assert.rejects(put(opened, larger), { kind: "ErrResourcesInvalidData" });
    assert.deepEqual(await statesOf(opened), { a: "leaving 0", c: "arriving 0" });
    assert.equal((await objectTable.place(md5("x")))?.object, "b");
  });

  test("C 23 the object of content leaves in the transaction that removes it", async (opened) => {
    const { objectTable } = opened.store;
    await objectTable.arrive("a");
    await put(opened, inObject("x", "a"));
    const remove = (fails: boolean) =>
      opened.store.write(async ({ contents }) => {
        await contents.remove([md5("x"), md5("none")]);
        if (fails) throw new RangeError("no");
      }, { alone: true });
    await assert.rejects(remove(true), RangeError);
    assert.deepEqual(await statesOf(opened), {});
    await remove(false);
    assert.deepEqual(await statesOf(opened), { a: "leaving 0" });
    assert.equal(await objectTable.place(md5("x")), undefined);
  });

  test("C 23 an object is deleted twice, whoever notes it how often", async (opened) => {
    const { objectTable } = opened.store;
    for (const key of ["a", "b"]) await objectTable.arrive(key);
    await objectTable.giveUp(["a", "b"]);
    const now = Date.now() + 1000;
    assert.deepEqual(await objectTable.due(0, 10), []);
    const first = await objectTable.due(now, 1);
    const others = await objectTable.due(now, 10);
    assert.deepEqual([...first, ...others].map(({ key }) => key).toSorted(), ["a", "b"]);
    // Who is to delete them has some time for it.
    assert.deepEqual(await objectTable.due(now, 10), []);
    const both = ["a", "b"].map((key) => ({ key, again: false }));
    await objectTable.deleted(both, now + 50_000);
    await objectTable.deleted(both, now + 60_000);
    assert.deepEqual(await statesOf(opened), { a: "leaving 1", b: "leaving 1" });
    assert.deepEqual(await objectTable.due(now + 49_000, 10), []);
    const again = await objectTable.due(now + 50_000, 10);
    assert.deepEqual(again.map(({ again }) => again), [true, true]);
    await objectTable.deleted(again, BIG);
    await objectTable.deleted(again, BIG);
    assert.deepEqual(await statesOf(opened), {});
  });

  test("C 20 and C 23 what waits for a commit is not given up", async (opened) => {
    const { objectTable } = opened.store;
    const [id, other] = ["1".repeat(32), "2".repeat(32)] as const;
    await objectTable.arrive("a");
    await objectTable.wait("a", id);
    await objectTable.keep(other, new Uint8Array([1, 2]));
    await objectTable.giveUp(["a"]);
    assert.equal(await objectTable.waiting(id), "a");
    assert.deepEqual(await objectTable.waiting(other), new Uint8Array([1, 2]));
    assert.equal(await objectTable.waiting("3".repeat(32)), undefined);
    assert.deepEqual(await statesOf(opened), { a: "arriving 0" });
    for (const ended of [id, other, id]) await objectTable.endWait(ended);
    assert.deepEqual([await objectTable.waiting(id), await objectTable.waiting(other)], [
      undefined,
      undefined,
    ]);
    assert.deepEqual(await statesOf(opened), { a: "leaving 0" });
    await assert.rejects(objectTable.wait("a", id));
  });

  test("C 20 and C 23 what a server that has ended was receiving leaves, but not what a commit may take", async (opened) => {
    const { objectTable, objects } = opened.store;
    const times = { createdAt: 0, expiresAt: BIG };
    const id = "1".repeat(32);
    for (const key of ["a", "b", "c"]) await objectTable.arrive(key);
    await objectTable.wait("b", id);
    await objectTable.wait("c", "2".repeat(32));
    await objectTable.keep("3".repeat(32), new Uint8Array(1));
    const digests = { sha256: "5".repeat(64), hash: "6".repeat(32), size: 9, crc32: 0 };
    const bounds = { maxObjects: 9, quota: undefined };
    await objects.add({ id, userId: 1, createdBy: 1, ...digests, ...times }, bounds);
    await objectTable.expire();
    assert.deepEqual(await statesOf(opened), { a: "leaving 0", b: "arriving 0", c: "leaving 0" });
    assert.equal(await objectTable.waiting("3".repeat(32)), undefined);
  });

  test("C 22 and C 23 content in quarantine keeps its object", async (opened) => {
    const { objectTable } = opened.store;
    for (const key of ["a", "b"]) await objectTable.arrive(key);
    await put(opened, inObject("x", "a"));
    const take = () =>
      opened.store.write(({ contents }) => contents.quarantine([md5("x")]), { alone: true });
    assert.deepEqual(await take(), { count: 1, bytes: 100_000 });
    assert.deepEqual(await objectTable.quarantined("", 9), [md5("x")]);
    assert.equal(await objectTable.place(md5("x")), undefined);
    assert.deepEqual(await objectTable.giveBack([md5("x")]), { count: 1, bytes: 100_000 });
    assert.equal((await objectTable.place(md5("x")))?.object, "a");
    await take();
    // Once more, with another object: the former one leaves.
    await put(opened, inObject("x", "b"));
    await take();
    assert.deepEqual(await statesOf(opened), { a: "leaving 0" });
    // Several servers look at the same time, over connections that are there.
    const removeBefore = (time: number) =>
      Promise.all([1, 2, 3].map(() => objectTable.removeQuarantined(time)));
    assert.deepEqual(await removeBefore(1), Array(3).fill({ count: 0, bytes: 0 }));
    const removed = await removeBefore(BIG);
    assert.deepEqual(removed.map(({ count }) => count).toSorted(), [0, 0, 1]);
    assert.deepEqual(removed.map(({ bytes }) => bytes).toSorted(), [0, 0, 100_000]);
    assert.deepEqual(await statesOf(opened), { a: "leaving 0", b: "leaving 0" });
  });
}
