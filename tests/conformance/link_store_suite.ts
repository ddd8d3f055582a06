import * as assert from "node:assert/strict";
import type { LinkStore, NewLink } from "../../core/links.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

function newLink(changes: Partial<NewLink> = {}): NewLink {
  return {
    tokenSha256: crypto.randomUUID().replaceAll("-", "").repeat(2),
    userId: 7,
    recordId: 1,
    path: "a",
    createdBy: 3,
    jti: "maker",
    issuedAt: 900,
    keyId: null,
    createdAt: 1000,
    expiresAt: 2000,
    once: false,
    ...changes,
  };
}

/** The conformance suite for every {@link LinkStore}. */
export function linkStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 19 a maker has a number of links at most, of which expired ones are forgotten", async ({ store: { links } }) => {
    const first = await links.add(newLink(), 2);
    assert.ok(await links.add(newLink({ userId: 8 }), 2));
    assert.equal(await links.add(newLink(), 2), undefined);
    assert.ok(await links.add(newLink({ createdBy: 4 }), 2));
    const later = await links.add(newLink({ createdAt: 2000, expiresAt: 3000 }), 2);
    assert.notEqual(later?.id, first?.id);
    // C 31: they are forgotten by a time that a reading a day later has confirmed.
    assert.equal((await links.list({}, { limit: 10 }, 0)).length, 4);
    const day = 24 * 60 * 60_000;
    for (const createdAt of [day, 2 * day]) {
      await links.add(newLink({ createdAt, expiresAt: 3 * day }), 9);
    }
    assert.equal((await links.list({}, { limit: 10 }, 0)).length, 2);
  });

  test("C 31 links that are kept until the time is settled do not fill the disk", async ({ store: { links } }) => {
    const add = (createdAt: number) =>
      links.add(newLink({ createdAt, expiresAt: createdAt + 1 }), 2);
    for (let made = 0; made < 20; made++) assert.ok(await add(1000 * made));
    assert.equal(await add(10 ** 6), undefined);
  });

  test("C 19 a link is used once, and not after it has expired or was removed", async ({ store: { links } }) => {
    const use = async (changes: Partial<NewLink>, now: number, times = 1) => {
      const { id } = await links.add(newLink(changes), 10) ?? { id: 0 };
      return await Promise.all(Array.from({ length: times }, () => links.use(id, now)));
    };
    assert.deepEqual((await use({ once: true }, 1000, 5)).sort(), [
      false,
      false,
      false,
      false,
      true,
    ]);
    assert.deepEqual(await use({ once: true }, 2000), [false]);
    assert.deepEqual(await use({ once: false }, 1000), [false]);
    const { id } = await links.add(newLink({ once: true }), 10) ?? { id: 0 };
    assert.equal(await links.remove({ userId: 8 }, id), undefined);
    assert.equal(await links.remove({ createdBy: 4 }, id), undefined);
    assert.equal(await links.remove({}, 2 ** 64), undefined);
    assert.equal((await links.remove({ userId: 7, createdBy: 3 }, id))?.id, id);
    assert.equal(await links.use(id, 1000), false);
  });
  test("C 19 a link is found by its token, and listed within a scope, newest first", async ({ store: { links } }) => {
    const tokenSha256 = "ab".repeat(32);
    const first = await links.add(newLink({ tokenSha256 }), 10);
    const second = await links.add(newLink({ userId: 8, once: true }), 10);
    const third = await links.add(newLink({ createdBy: 4 }), 10);
    assert.ok(first && second && third);
    assert.deepEqual(await links.find(tokenSha256, 1999), first);
    const { tokenSha256: _, ...facts } = newLink();
    assert.deepEqual(first, { ...facts, id: first.id, usedAt: null });
    assert.equal(await links.find(tokenSha256, 2000), undefined);
    assert.equal(await links.find("cd".repeat(32), 1000), undefined);
    const listed = async (...[scope, page]: Parameters<LinkStore["list"]>) =>
      (await links.list(scope, page, 1000)).map(({ id }) => id);
    assert.deepEqual(await listed({}, { limit: 2 }, 0), [third.id, second.id]);
    assert.deepEqual(await listed({}, { limit: 2, before: second.id }, 0), [first.id]);
    assert.deepEqual(await listed({ userId: 7 }, { limit: 9 }, 0), [third.id, first.id]);
    assert.deepEqual(await listed({ createdBy: 3 }, { limit: 9 }, 0), [second.id, first.id]);
    assert.deepEqual(await listed({ userId: 8, createdBy: 4 }, { limit: 9 }, 0), []);
    assert.equal(await links.use(second.id, 1500), true);
    assert.equal((await links.list({ userId: 8 }, { limit: 1 }, 1000))[0]?.usedAt, 1500);
  });
}
