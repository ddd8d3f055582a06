import * as assert from "node:assert/strict";
import {
  ConsoleSessions,
  type ConsoleSessionStore,
  type StoredSession,
} from "../../core/console_sessions.ts";

const HOUR_MS = 3_600_000;
const ORIGIN = { browser: "Firefox", address: "192.0.2.1" };
const PERSON = { userId: 7, means: "passkey", keyId: "key" } as const;

/** Sessions in memory, whose uses are noted at once, and a clock to set. */
function room() {
  const rows = new Map<string, StoredSession>();
  const open = (now: number) => [...rows.values()].filter((it) => it.expiresAt > now);
  const store: ConsoleSessionStore = {
    add: (session) => Promise.resolve(void rows.set(session.id, session)),
    find: (id, now) => Promise.resolve(open(now).find((it) => it.id === id)),
    list: (userId, now) => Promise.resolve(open(now).filter((it) => it.userId === userId)),
    remove: (id) => Promise.resolve(void rows.delete(id)),
    removeOfProvider: () => Promise.resolve([]),
    noteUses: () => Promise.resolve(),
  };
  const note = (id: string) => {
    const row = rows.get(id);
    if (row !== undefined) rows.set(id, { ...row, usedAt: Date.now() });
  };
  const clock = Date.now;
  let ahead = 0;
  Date.now = () => clock() + ahead;
  return {
    sessions: new ConsoleSessions(store, { note }),
    rows,
    pass: (ms: number) => void (ahead += ms),
    [Symbol.dispose]: () => void (Date.now = clock),
  };
}

Deno.test("C 27 the session of a person ends after 12 hours, however much it is used", async () => {
  using it = room();
  const { key } = await it.sessions.openFor(PERSON, ORIGIN);
  for (let hour = 1; hour < 12; hour++) {
    it.pass(HOUR_MS);
    assert.ok(await it.sessions.find(key), `after ${hour} hours`);
  }
  it.pass(HOUR_MS);
  assert.equal(await it.sessions.find(key), undefined);
  assert.deepEqual(await it.sessions.list(7), []);
});

Deno.test("C 27 the session of a person ends when it has not been used for 2 hours", async () => {
  using it = room();
  const { key } = await it.sessions.openFor(PERSON, ORIGIN);
  const session = await it.sessions.find(key);
  assert.ok(session);
  it.pass(2 * HOUR_MS - 1000);
  assert.equal(await session.hasEnded(), false);
  assert.equal((await it.sessions.list(7)).length, 1);
  // That was no use of it. What a request has begun goes on.
  it.pass(2000);
  assert.equal(await session.hasEnded(), false);
  assert.equal(await it.sessions.find(key), undefined);
  assert.deepEqual(await it.sessions.list(7), []);
});

Deno.test("C 24 a session with a credential lasts as long as that, used or not", async () => {
  using it = room();
  const caller = { userId: 7, expiresAt: Date.now() + 24 * HOUR_MS };
  const { key } = await it.sessions.open("credential", caller, ORIGIN);
  it.pass(24 * HOUR_MS);
  assert.equal((await it.sessions.find(key))?.holder, "credential");
  assert.equal((await it.sessions.list(7)).length, 1);
});

Deno.test("C 27 each sign-in has a key of its own, and none is kept", async () => {
  using it = room();
  const [one, two] = [
    await it.sessions.openFor(PERSON, ORIGIN),
    await it.sessions.openFor(PERSON, ORIGIN),
  ];
  assert.notEqual(one.key, two.key);
  assert.doesNotMatch(JSON.stringify([...it.rows]), new RegExp(`${one.key}|${two.key}`));
  const found = await it.sessions.find(one.key);
  assert.ok(typeof found?.holder === "object");
  const { since, until, ...holder } = found.holder;
  assert.deepEqual(holder, { userId: 7, keyId: "key" });
  assert.equal(until - since, 12 * HOUR_MS);
});

Deno.test("C 27 a user ends one of its sessions by name, and none of another user's", async () => {
  using it = room();
  const [one, two] = [
    await it.sessions.openFor(PERSON, ORIGIN),
    await it.sessions.openFor(PERSON, ORIGIN),
  ];
  assert.equal(await it.sessions.endNamed(8, one.name), undefined);
  assert.equal(await it.sessions.endNamed(7, "unknown"), undefined);
  assert.ok(await it.sessions.find(one.key));
  const ended = { name: one.name, userId: 7, means: "passkey" };
  assert.deepEqual(await it.sessions.endNamed(7, one.name), ended);
  assert.equal(await it.sessions.find(one.key), undefined);
  assert.ok(await it.sessions.find(two.key));
});
