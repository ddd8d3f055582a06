import * as assert from "node:assert/strict";
import type { StoredSession } from "../../core/console_sessions.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

function newSession(changes: Partial<StoredSession> = {}): StoredSession {
  return {
    id: crypto.randomUUID().replaceAll("-", "").repeat(2),
    userId: 7,
    sealed: Uint8Array.of(0, 1, 255),
    createdAt: 1000,
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
    assert.deepEqual(await sessions.find(one.id, 1999), one.sealed);
    assert.equal(await sessions.find(one.id, 2000), undefined);
    await sessions.remove(one.id);
    await sessions.remove(one.id);
    assert.equal(await sessions.find(one.id, 1999), undefined);
    assert.deepEqual(await sessions.find(two.id, 1999), two.sealed);
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
}
