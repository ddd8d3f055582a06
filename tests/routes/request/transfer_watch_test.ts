import * as assert from "node:assert/strict";
import { jsonBytes } from "../../../routes/request/body.ts";
import { TransferWatch } from "../../../routes/request/transfer_watch.ts";

/** The reasons that a watch gives while `work` runs, and one window longer. */
async function reasons(
  windowMs: number,
  work: (watch: TransferWatch) => Promise<void>,
): Promise<string[]> {
  const given: string[] = [];
  const watch = new TransferWatch({ windowMs, onSlow: (reason) => given.push(reason) });
  await work(watch);
  return given;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("TransferWatch reports a peer that takes nothing", async () => {
  const given = await reasons(20, async (watch) => {
    watch.wait();
    await sleep(60);
  });
  assert.deepEqual(given, ["no data for 0.02 s"]);
});

Deno.test("TransferWatch reports a peer that takes a byte now and then", async () => {
  const given = await reasons(2000, async (watch) => {
    for (let step = 0; step < 500; step++) {
      watch.wait();
      await sleep(5);
      watch.moved(1);
    }
  });
  assert.equal(given.length, 1);
  assert.match(given[0] ?? "", /^\d+ bytes in 2 s$/);
});

Deno.test("TransferWatch counts neither a wait for this server nor a peer that is fast enough", async () => {
  const given = await reasons(3000, async (watch) => {
    for (let step = 0; step < 10; step++) {
      watch.wait();
      watch.moved(1);
      await sleep(350);
    }
    for (let step = 0; step < 10; step++) {
      watch.wait();
      await sleep(350);
      watch.moved(60 * 1024);
    }
  });
  assert.deepEqual(given, []);
});

Deno.test("TransferWatch gives a peer time for what the system has buffered", async () => {
  const given: string[] = [];
  const watch = new TransferWatch({
    windowMs: 20,
    isBuffered: true,
    onSlow: (reason) => given.push(reason),
  });
  watch.wait();
  watch.moved(8 * 2 ** 20);
  watch.wait();
  while (given.length === 0) await sleep(20);
  // 1.5 MiB at 600 KiB in a window, and a window without data.
  assert.deepEqual(given, ["no data for 0.071 s"]);
});

Deno.test("C 3 cancels a body that arrives byte by byte", async () => {
  let timer: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(new Uint8Array([0x20])), 10);
    },
    cancel: () => clearInterval(timer),
  });
  const request = new Request("http://localhost/", { method: "POST", body });
  await assert.rejects(jsonBytes(request, { maxBytes: 2 ** 20, stallMs: 2000 }), {
    kind: "ErrResourcesInvalidRequest",
    message: /received \d+ bytes in 2 s/,
  });
});
