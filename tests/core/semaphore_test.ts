import * as assert from "node:assert/strict";
import { Semaphore } from "../../core/semaphore.ts";

Deno.test("Semaphore grants a permit to the next waiter that was not aborted", async () => {
  const semaphore = new Semaphore(1);
  const never = new AbortController().signal;
  const first = await semaphore.acquire(never);
  const gone = new AbortController();
  const second = semaphore.acquire(gone.signal);
  const third = semaphore.acquire(never);
  gone.abort(new Error("gone"));
  await assert.rejects(second, /gone/);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  const fourth = semaphore.acquire(never);
  let entered = false;
  fourth.then(() => entered = true);
  const held = await third;
  assert.equal(entered, false);
  held[Symbol.dispose]();
  await fourth;
  await assert.rejects(semaphore.acquire(AbortSignal.abort(new Error("before"))), /before/);
});

Deno.test("Semaphore limits the permits of a user, whose waiters do not hold those of others", async () => {
  const semaphore = new Semaphore(3, 1);
  const never = new AbortController().signal;
  const entered: string[] = [];
  const acquire = async (name: string, userId: number) => {
    const permit = await semaphore.acquire(never, userId);
    entered.push(name);
    return permit;
  };
  const [a1, a2, , b1, c1, d1] = [
    acquire("a1", 1),
    acquire("a2", 1),
    acquire("a3", 1),
    acquire("b1", 2),
    acquire("c1", 3),
    acquire("d1", 4),
  ];
  await Promise.all([a1, b1, c1]);
  assert.deepEqual(entered, ["a1", "b1", "c1"]);
  (await b1)[Symbol.dispose]();
  await d1;
  (await a1)[Symbol.dispose]();
  await a2;
  assert.deepEqual(entered, ["a1", "b1", "c1", "d1", "a2"]);
});
