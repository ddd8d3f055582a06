import * as assert from "node:assert/strict";
import type { StoredSession } from "../../core/console_sessions.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

function newSession(changes: Partial<StoredSession> = {}): StoredSession {
  return {
    id: crypto.randomUUID().replaceAll("-", "").repeat(2),
    userId: 7,
    means: "credential",
    sealed: Uint8Array.of(0, 1, 255),
    keyId: undefined,
    providerSession: undefined,
    browser: undefined,
    address: undefined,
    createdAt: 1000,
    usedAt: 1000,
    expiresAt: 2000,
    ...changes,
  };
}

/** The conformance suite for every `ConsoleSessionStore`. */
export function sessionStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 31 a session is found until it expires or is removed", async ({ store: { sessions } }) => {
    const [one, two] = [newSession(), newSession()];
    for (const it of [one, two]) await sessions.add(it, 10);
    assert.deepEqual(await sessions.find(one.id, 1999), one);
    assert.equal(await sessions.find(one.id, 2000), undefined);
    await sessions.remove(one.id);
    await sessions.remove(one.id);
    assert.equal(await sessions.find(one.id, 1999), undefined);
    assert.deepEqual(await sessions.find(two.id, 1999), two);
  });

  test("C 31 a user has a number of sessions at most: the oldest one ends", async ({ store: { sessions }, rows }) => {
    const own = [1000, 1001, 1002].map((createdAt) => newSession({ createdAt }));
    const other = newSession({ userId: 8 });
    for (const it of [other, ...own]) await sessions.add(it, 2);
    const found = await Promise.all(
      [other, ...own].map(async ({ id }) => await sessions.find(id, 1500) !== undefined),
    );
    assert.deepEqual(found, [true, false, true, true]);
    // Expired ones leave the database.
    await sessions.add(newSession({ createdAt: 2000, expiresAt: 3000 }), 2);
    assert.equal((await rows("SELECT id FROM console_sessions")).length, 1);
  });

  test("C 27 the sessions of a user are listed with what they keep, newest first", async ({ store: { sessions } }) => {
    const old = newSession({ expiresAt: 1500 });
    const one = newSession({ createdAt: 1001, browser: "Firefox \u00e9", address: "2001:db8::1" });
    const two = newSession({
      createdAt: 1002,
      means: "provider",
      sealed: undefined,
      keyId: "0123456789abcdef",
      providerSession: "sid 1",
    });
    for (const it of [old, one, two, newSession({ userId: 8 })]) await sessions.add(it, 10);
    await sessions.noteUses(new Map([[one.id, 1700], [two.id, 900], ["0".repeat(64), 1]]));
    const [{ sealed: _, ...first }, { sealed, ...second }] = [two, one];
    assert.deepEqual(await sessions.list(7, 1600), [first, { ...second, usedAt: 1700 }]);
    assert.deepEqual(await sessions.find(two.id, 1600), two);
    assert.deepEqual((await sessions.find(one.id, 1600))?.sealed, sealed);
  });

  test("C 27 what a user has begun by the provider ends, one session or all", async ({ store: { sessions } }) => {
    const own = { means: "provider", sealed: undefined } as const;
    const one = newSession({ ...own, providerSession: "one" });
    const two = newSession({ ...own, providerSession: "two" });
    const passkey = newSession({ means: "passkey", sealed: undefined });
    const other = newSession({ ...own, providerSession: "one", userId: 8 });
    const all = [one, two, passkey, other];
    for (const it of all) await sessions.add(it, 10);
    const open = () =>
      Promise.all(all.map(async ({ id }) => await sessions.find(id, 1500) !== undefined));
    assert.deepEqual(await sessions.removeOfProvider({ userId: 7, providerSession: "one" }), [7]);
    assert.deepEqual(await open(), [false, true, true, true]);
    await sessions.removeOfProvider({ userId: 7 });
    assert.deepEqual(await open(), [false, false, true, true]);
    assert.deepEqual(await sessions.removeOfProvider({ providerSession: "one" }), [8]);
    assert.deepEqual(await open(), [false, false, true, false]);
    // One that the provider has given no name ends with any of the person.
    await sessions.add({ ...one, providerSession: undefined }, 10);
    await sessions.removeOfProvider({ userId: 7, providerSession: "another" });
    assert.deepEqual(await open(), [false, false, true, false]);
  });
}
