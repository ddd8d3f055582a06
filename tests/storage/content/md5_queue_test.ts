import * as assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { Md5, md5 } from "../../../storage/content/md5.ts";
import { Md5Queue } from "../../../storage/content/md5_queue.ts";
import { noise } from "../../support/random.ts";

Deno.test("Md5Queue adds what waits for different contents together, and for one in order", async () => {
  const queue = new Md5Queue();
  const [first, second] = [new Md5(), new Md5()];
  const chunks = Array.from({ length: 5 }, (_, index) => noise(100_000 + index, index + 1));
  const [a, b, c, d, e] = chunks as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  const order: string[] = [];
  const add = async (name: string, ...updates: Parameters<Md5Queue["add"]>[0]) => {
    await queue.add(updates);
    order.push(name);
  };
  await Promise.all([
    add("a", { md5: first, bytes: a }),
    add("b", { md5: first, bytes: b }),
    add("c", { md5: first, bytes: c }),
    add("d", { md5: second, bytes: d }),
    add("e", { md5: second, bytes: e }),
  ]);
  assert.deepEqual(order, ["a", "d", "b", "e", "c"]);
  assert.equal(first.digest().toHex(), md5(new Uint8Array([...a, ...b, ...c])));
  assert.equal(second.digest().toHex(), md5(new Uint8Array([...d, ...e])));
});

Deno.test("Md5Queue adds a chunk to several MD5s, after what waits for any of them", async () => {
  const queue = new Md5Queue();
  const [all, some] = [new Md5(), new Md5()];
  const [a, b] = [noise(70_000, 1), noise(300, 2)];
  await Promise.all([
    queue.add([{ md5: all, bytes: a }]),
    queue.add([{ md5: all, bytes: b }, { md5: some, bytes: b }]),
    queue.add([{ md5: some, bytes: a }]),
  ]);
  assert.equal(all.digest().toHex(), md5(new Uint8Array([...a, ...b])));
  assert.equal(some.digest().toHex(), md5(new Uint8Array([...b, ...a])));
});

Deno.test("Md5Queue lets the thread answer after four contents", async () => {
  const queue = new Md5Queue();
  const done: number[] = [];
  const added = Array.from({ length: 5 }, async (_, index) => {
    await queue.add([{ md5: new Md5(), bytes: noise(1000, index + 1) }]);
    done.push(index);
  });
  // The next turn, in which the queue works as well.
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(done, [0, 1, 2, 3]);
  await Promise.all(added);
  assert.deepEqual(done, [0, 1, 2, 3, 4]);
});

Deno.test("Md5Queue waits for bytes of a content that has just had some", async () => {
  const queue = new Md5Queue({ maxWaitMs: Infinity, recentMs: Infinity });
  const [first, second] = [new Md5(), new Md5()];
  const [a, b] = [noise(1000, 1), noise(2000, 2)];
  await Promise.all([
    queue.add([{ md5: first, bytes: a }]),
    queue.add([{ md5: second, bytes: b }]),
  ]);
  let isAdded = false;
  const added = queue.add([{ md5: first, bytes: b }]).then(() => isAdded = true);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isAdded, false);
  await queue.add([{ md5: second, bytes: a }]);
  assert.equal(isAdded, true);
  await added;
  assert.equal(first.digest().toHex(), md5(new Uint8Array([...a, ...b])));
  assert.equal(second.digest().toHex(), md5(new Uint8Array([...b, ...a])));
});

Deno.test("Md5Queue does not wait for a content that has ended, or when more of the same waits", async () => {
  const queue = new Md5Queue({ maxWaitMs: Infinity, recentMs: Infinity });
  const [first, ...others] = [new Md5(), new Md5(), new Md5()];
  const bytes = noise(1000, 1);
  const add = (md5: Md5) => queue.add([{ md5, bytes }]);
  await Promise.all([first, ...others].map(add));
  const added = [add(first), add(first)];
  await added[0];
  for (const other of others) queue.end(other);
  await added[1];
  assert.equal(first.digest().toHex(), md5(new Uint8Array([...bytes, ...bytes, ...bytes])));
});
