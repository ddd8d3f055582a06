import { setImmediate } from "node:timers";

/** Lets other tasks of this thread run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

let turn = 0;
let isCounting = false;
let atEnd: (() => void)[] = [];

/** Counts the turns of the event loop: what ends within the turn in which it began did not wait. */
export function currentTurn(): number {
  if (!isCounting) {
    isCounting = true;
    setImmediate(() => {
      turn++;
      isCounting = false;
      const due = atEnd;
      atEnd = [];
      for (const action of due) action();
    });
  }
  return turn;
}

/** Runs an action, which must not throw, when the present turn of the event loop has ended. */
export function afterTurn(action: () => void): void {
  atEnd.push(action);
  currentTurn();
}

/**
 * Makes long tasks of one kind take turns, so that together they do not hold the event loop for longer
 * than one of them would.
 */
export class Turns {
  #previous: Promise<void> = Promise.resolve();

  /** Waits for a turn of the event loop in which no other task took a turn; first come, first served. */
  take(): Promise<void> {
    const turn = this.#previous;
    this.#previous = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    return turn;
  }

  /** Passes the items through, and takes a turn for each `count` of them. */
  async *pace<Item>(items: AsyncIterable<Item>, count: number): AsyncGenerator<Item> {
    let passed = 0;
    for await (const item of items) {
      if (++passed % count === 0) await this.take();
      yield item;
    }
  }
}

/**
 * Waits for a promise.
 *
 * @throws the reason of the signal when it aborts first.
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Waits for some time.
 *
 * @throws the reason of the signal when it aborts first.
 */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await untilAborted(promise, signal);
  } finally {
    clearTimeout(timer);
  }
}
