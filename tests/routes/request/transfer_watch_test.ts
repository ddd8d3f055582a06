import * as assert from "node:assert/strict";
import { afterTurn } from "../../../core/event_loop.ts";
import { jsonBytes } from "../../../routes/request/body.ts";
import { TransferWatch } from "../../../routes/request/transfer_watch.ts";

/** Stands for the time that a watch sees, until it is disposed of. */
class ManualClock implements Disposable {
  readonly #now = performance.now;
  readonly #timers = { setInterval, clearInterval };
  #time = 0;
  #interval: { readonly work: () => void; readonly ms: number; next: number } | undefined;

  constructor() {
    performance.now = () => this.#time;
    Object.assign(globalThis, {
      setInterval: (work: () => void, ms: number) => {
        this.#interval = { work, ms, next: this.#time + ms };
      },
      clearInterval: () => {
        this.#interval = undefined;
      },
    });
  }

  /** Lets time pass, in which the interval ends each time that it does. */
  pass(ms: number): void {
    const end = this.#time + ms;
    for (let it = this.#interval; it && it.next <= end; it = this.#interval) {
      this.#time = it.next;
      it.next += it.ms;
      it.work();
    }
    this.#time = end;
  }

  [Symbol.dispose](): void {
    performance.now = this.#now;
    Object.assign(globalThis, this.#timers);
  }
}

/** The reasons that a watch with a window of a second gives while `work` runs. */
async function reasons(
  work: (watch: TransferWatch, clock: ManualClock) => void,
  isBuffered = false,
): Promise<string[]> {
  using clock = new ManualClock();
  const given: string[] = [];
  const watch = new TransferWatch({
    windowMs: 1000,
    isBuffered,
    onSlow: (reason) => given.push(reason),
  });
  watch.wait();
  // A watch looks at the time from the next turn on.
  await new Promise<void>((resolve) => afterTurn(resolve));
  work(watch, clock);
  watch.end();
  return given;
}

Deno.test("TransferWatch reports a peer that takes nothing, once, when the window has passed", async () => {
  assert.deepEqual(await reasons((_watch, clock) => clock.pass(999)), []);
  assert.deepEqual(await reasons((_watch, clock) => clock.pass(3000)), ["no data for 1 s"]);
});

Deno.test("TransferWatch reports a peer that takes a byte now and then", async () => {
  const given = await reasons((watch, clock) => {
    for (let step = 0; step < 500; step++) {
      clock.pass(5);
      watch.moved(1);
      watch.wait();
    }
  });
  assert.deepEqual(given, ["199 bytes in 1 s"]);
});

Deno.test("TransferWatch counts neither a wait for this server nor a peer that is fast enough", async () => {
  const given = await reasons((watch, clock) => {
    for (let step = 0; step < 10; step++) {
      watch.moved(1);
      clock.pass(350);
      watch.wait();
    }
    for (let step = 0; step < 10; step++) {
      clock.pass(350);
      watch.moved(60 * 1024);
      watch.wait();
    }
  });
  assert.deepEqual(given, []);
});

Deno.test("TransferWatch gives a peer time for what the system has buffered", async () => {
  const take = (ms: number) =>
    reasons((watch, clock) => {
      watch.moved(8 * 2 ** 20);
      watch.wait();
      clock.pass(ms);
    }, true);
  // 1.5 MiB at 600 KiB in a window, and a window without data.
  assert.deepEqual(await take(3500), []);
  assert.deepEqual(await take(3700), ["no data for 3.56 s"]);
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
