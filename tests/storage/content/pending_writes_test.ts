import * as assert from "node:assert/strict";
import { PendingWrites } from "../../../storage/content/pending_writes.ts";
import { yieldToEventLoop } from "../../../core/event_loop.ts";

/** Work that ends when it is asked to. */
function manualWork() {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const state = { hasBegun: false, end: () => resolve(new Uint8Array()), fail: reject };
  const work = () => {
    state.hasBegun = true;
    return promise;
  };
  return { state, work };
}

Deno.test("PendingWrites lets one upload have eight chunks, and each further one a chunk", async () => {
  const first = new PendingWrites();
  const second = new PendingWrites();
  const works = Array.from({ length: 9 }, manualWork);
  const added = works.map(({ work }) => work).reduce(
    (before, work) => before.then(() => first.add(work)),
    Promise.resolve(),
  );
  await yieldToEventLoop();
  assert.deepEqual(works.map(({ state }) => state.hasBegun), [...Array(8).fill(true), false]);

  const [own, next] = [manualWork(), manualWork()];
  await second.add(own.work);
  const waiting = second.add(next.work);
  await yieldToEventLoop();
  assert.deepEqual([own.state.hasBegun, next.state.hasBegun], [true, false]);
  own.state.end();
  await waiting;
  assert.equal(next.state.hasBegun, true);

  for (const { state } of [...works.slice(0, 3), next]) state.end();
  await added;
  assert.equal(works[8]?.state.hasBegun, true);
  for (const { state } of works) state.end();
  await Promise.all([first.settle(), second.settle()]);
});

Deno.test("PendingWrites takes what one upload has beyond its share for another one", async () => {
  const [first, second] = [new PendingWrites(), new PendingWrites()];
  const works = Array.from({ length: 9 }, manualWork);
  const others = Array.from({ length: 5 }, manualWork);
  const addAll = async (writes: PendingWrites, of: typeof works) => {
    for (const { work } of of) await writes.add(work);
  };
  const begun = (of: typeof works) => of.filter(({ state }) => state.hasBegun).length;
  const ofFirst = addAll(first, works);
  await yieldToEventLoop();
  const ofSecond = addAll(second, others);
  await yieldToEventLoop();
  for (const [index, { state }] of works.slice(0, 4).entries()) {
    assert.equal(begun(works), 8, `${index}`);
    state.end();
    await yieldToEventLoop();
    others[index]?.state.end();
    await yieldToEventLoop();
  }
  assert.deepEqual([begun(works), begun(others)], [8, 5]);
  for (const { state } of [...works, ...others]) state.end();
  await Promise.all([ofFirst, ofSecond]);
  await Promise.all([first.settle(), second.settle()]);
});

Deno.test("PendingWrites reports the first failure to the next call, and waits for the rest", async () => {
  const writes = new PendingWrites();
  const [failing, other] = [manualWork(), manualWork()];
  await writes.add(failing.work);
  await writes.add(other.work);
  failing.state.fail(new Error("disk"));
  await yieldToEventLoop();
  assert.equal(writes.hasFailed, true);
  await assert.rejects(writes.add(() => assert.fail("begun")), /disk/);
  let hasEnded = false;
  const ended = writes.ended().then(() => hasEnded = true);
  await yieldToEventLoop();
  assert.equal(hasEnded, false);
  other.state.end();
  await ended;
  await assert.rejects(writes.settle(), /disk/);
});
