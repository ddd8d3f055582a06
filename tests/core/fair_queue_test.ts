import * as assert from "node:assert/strict";
import { FairQueue } from "../../core/fair_queue.ts";

Deno.test("FairQueue lets users take turns", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3"]) queue.add(1, item);
  queue.add(2, "b1");
  queue.add(3, "c1");
  queue.add(2, "b2");
  assert.deepEqual([queue.size(), queue.size(1), queue.size(9), queue.users], [6, 3, 0, 3]);
  const order = Array.from({ length: 7 }, () => queue.next());
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "b2", "a3", undefined]);
});

Deno.test("FairQueue shows what comes next", () => {
  const queue = new FairQueue<string>();
  assert.equal(queue.peek(), undefined);
  for (const item of ["a1", "a2"]) queue.add(1, item);
  queue.add(2, "b1");
  for (const item of ["a1", "b1", "a2"]) {
    assert.deepEqual([queue.peek(), queue.next()], [item, item]);
  }
});

Deno.test("FairQueue has a user who was just served wait for those who come later", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3"]) queue.add(1, item);
  assert.equal(queue.next(), "a1");
  queue.add(2, "b1");
  assert.equal(queue.next(), "b1");
  queue.add(3, "c1");
  queue.add(2, "b2");
  const order = Array.from({ length: 5 }, () => queue.next());
  assert.deepEqual(order, ["c1", "a2", "b2", "a3", undefined]);
});

Deno.test("FairQueue removes an item, and puts it back where it was", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3"]) queue.add(1, item);
  assert.equal(queue.find((item) => item === "a2"), "a2");
  const index = queue.remove(1, "a2");
  assert.equal(queue.find((item) => item === "a2"), undefined);
  queue.add(1, "a2", index);
  assert.deepEqual(Array.from({ length: 3 }, () => queue.next()), ["a1", "a2", "a3"]);
  queue.add(2, "b1");
  queue.remove(2, "b1");
  assert.deepEqual([queue.users, queue.next()], [0, undefined]);
});
