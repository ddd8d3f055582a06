import * as assert from "node:assert/strict";
import type { Lock } from "../../core/locks.ts";
import { type OpenedStores, type StoresEngine, storesTest } from "../support/stores.ts";
import { seed } from "../support/seed.ts";

const LOCK: Lock = {
  token: "urn:uuid:1",
  userId: 7,
  path: "a",
  isDeep: true,
  isShared: false,
  holder: 8,
  owner: `<owner xmlns="DAV:">x</owner>`,
  expiresAt: 2000,
};

const COLOR = { namespace: "urn:x", name: "color", xml: `<color xmlns="urn:x">red</color>` };

/** The conformance suite for the locks and properties of WebDAV (C 30). */
export function davStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 30 a lock is there until it ends, is extended or removed", async ({ store, rows }) => {
    const later = { ...LOCK, token: "urn:uuid:2", path: "b", expiresAt: 3000 };
    await store.write(({ dav }) => dav.addLock(LOCK, 1000));
    await store.write(({ dav }) => dav.addLock(later, 1000));
    assert.deepEqual(await store.dav.locksOf(7, 1999), [LOCK, later]);
    assert.deepEqual(await store.dav.locksOf(7, 2000), [later]);
    assert.deepEqual(await store.dav.locksOf(8, 1000), []);
    await store.write(async ({ dav }) => {
      assert.deepEqual(await dav.locksOf(7, 1999), [LOCK, later]);
      await dav.extendLock({ ...later, expiresAt: 4000 });
      await dav.removeLocks(8, [later.token]);
    });
    assert.deepEqual(await store.dav.locksOf(7, 3999), [{ ...later, expiresAt: 4000 }]);
    await store.write(({ dav }) => dav.removeLocks(7, [later.token]));
    assert.deepEqual(await store.dav.locksOf(7, 3999), []);
    // Those that have ended leave the database.
    await store.write(({ dav }) => dav.addLock(later, 2000));
    assert.equal((await rows("SELECT token FROM locks")).length, 1);
  });

  test("C 30 properties are set, replaced and removed", async ({ store }) => {
    const [record] = await seed(store, ["a"]);
    assert.ok(record);
    const change = (...changes: Parameters<Changes>[1]) =>
      store.write(({ dav }) => dav.changeProperties(record, changes));
    type Changes = Parameters<Parameters<OpenedStores["store"]["write"]>[0]>[0]["dav"][
      "changeProperties"
    ];
    const of = async () => (await store.dav.propertiesOf([record.id])).get(record.id);
    assert.equal(await change(COLOR), COLOR.xml.length);
    const blue = { ...COLOR, xml: COLOR.xml.replace("red", "blue") };
    const plain = { namespace: "", name: "plain", xml: "<plain/>" };
    await change(blue, plain);
    assert.deepEqual(await of(), [plain, blue]);
    assert.equal(await change({ namespace: "urn:x", name: "color" }), plain.xml.length);
    assert.deepEqual(await of(), [plain]);
  });

  test("C 30 the properties of records that are gone are forgotten", async ({ store, rows }) => {
    const [gone, kept] = await seed(store, ["a", "b"]);
    assert.ok(gone !== undefined && kept !== undefined);
    for (const record of [gone, kept]) {
      await store.write(({ dav }) => dav.changeProperties(record, [COLOR]));
    }
    await store.write((transaction) => transaction.deleteSubtrees([gone]));
    await store.dav.forgetProperties();
    const found = await rows("SELECT record_id FROM properties");
    assert.deepEqual(found.map((row) => Number(row.record_id)), [kept.id]);
  });
}
