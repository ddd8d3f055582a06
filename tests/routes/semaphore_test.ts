import * as assert from "node:assert/strict";
import { Semaphore } from "../../routes/semaphore.ts";

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
