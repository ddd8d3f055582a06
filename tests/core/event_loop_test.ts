import * as assert from "node:assert/strict";
import {
  forEachPaced,
  isTurnOver,
  paced,
  takeTurn,
  yieldToEventLoop,
} from "../../core/event_loop.ts";

/** Keeps the thread busy for longer than a turn may last. */
function work(): void {
  while (!isTurnOver());
}

Deno.test("takeTurn lets one task run in each turn of the event loop, in order", async () => {
  const taken: number[] = [];
  let loops = 0;
  let counting = true;
  const counter = (async () => {
    for (; counting; loops++) await yieldToEventLoop();
  })();
  const seen: number[] = [];
  await Promise.all([0, 1, 2].map(async (task) => {
    for (let turn = 0; turn < 20; turn++) {
      await takeTurn();
      taken.push(task);
      seen.push(loops);
    }
  }));
  counting = false;
  await counter;
  assert.deepEqual(taken, Array.from({ length: 60 }, (_, turn) => turn % 3));
  // Timers ran in between.
  assert.ok(new Set(seen).size > 20, seen.join());
});

Deno.test("C 22 long work of many tasks shares the time of a turn", async () => {
  await yieldToEventLoop();
  work();
  // Another task of the same turn has no time left, and one of a later turn has.
  assert.equal(isTurnOver(), true);
  await Promise.resolve();
  assert.equal(isTurnOver(), true);
  await takeTurn();
  assert.equal(isTurnOver(), false);
});

Deno.test("C 22 items are passed on in several turns when their work takes long", async () => {
  const items = Array.from({ length: 1000 }, (_, index) => index);
  let turns = 0;
  let counting = true;
  const counter = (async () => {
    for (; counting; turns++) await yieldToEventLoop();
  })();
  const called: number[] = [];
  await forEachPaced(items, (item) => {
    called.push(item);
    if (item % 200 === 0) work();
  });
  assert.deepEqual(called, items);
  assert.ok(turns >= 4, `${turns} turns`);
  const passed: number[] = [];
  const before = turns;
  for await (const item of paced(ReadableStream.from(items.slice(0, 5)))) {
    passed.push(item);
    work();
  }
  assert.deepEqual(passed, items.slice(0, 5));
  assert.ok(turns - before >= 4, `${turns - before} turns`);
  counting = false;
  await counter;
});

Deno.test("C 22 what arrives while a task yields again and again is read soon", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const source = `self.onmessage = async ({ data: [port, memory] }) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    Atomics.store(new Int32Array(memory), 0, 1);
    await connection.read(new Uint8Array(1));
    self.close();
  };`;
  const { port } = listener.addr;
  for (let round = 0; round < 10; round++) {
    const memory = new SharedArrayBuffer(4);
    const worker = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, {
      type: "module",
    });
    worker.postMessage([port, memory]);
    let accepted = false;
    const accepting = listener.accept().then((connection) => {
      accepted = true;
      return connection;
    });
    // From then on, the connection waits for this thread.
    let yields = 0;
    while (!accepted) {
      if (Atomics.load(new Int32Array(memory), 0) === 1) yields++;
      await yieldToEventLoop();
    }
    (await accepting).close();
    worker.terminate();
    assert.ok(yields <= 5, `round ${round}: ${yields} yields`);
  }
});
