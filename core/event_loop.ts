import { setImmediate } from "node:timers";

/** How long work that waits for nothing may keep the event loop, in milliseconds. */
const MAX_TURN_MS = 10;
/** So many items take far less than that. */
const MAX_UNTIMED_ITEMS = 64;

/**
 * Lets other tasks of this thread run, and what has arrived from the network or a disk be read. The runtime
 * (2.9.6) looks for that when it has to wait, otherwise once in many turns: a task that yields with
 * `setImmediate` for a second delays requests for seconds.
 * See docs/design/turns.md.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
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

/** The turn in which long work was done last, and since when. */
const latest = { turn: -1, began: 0 };
let lastTaken: Promise<void> = Promise.resolve();

/**
 * Whether long work has kept the event loop for long enough in the present turn. Then each task that has more
 * of it waits for {@link takeTurn}.
 */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (latest.turn !== currentTurn()) Object.assign(latest, { turn: currentTurn(), began: now });
  return now - latest.began > MAX_TURN_MS;
}

/**
 * Waits for a turn of the event loop in which no other task took a turn; first come, first served. So all
 * long work together holds the event loop no longer than that of one request.
 */
export function takeTurn(): Promise<void> {
  return lastTaken = lastTaken.then(yieldToEventLoop);
}

/** Passes the items through, a turn's worth of them in each turn. */
export async function* paced<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void> {
  for await (const item of items) {
    if (isTurnOver()) await takeTurn();
    yield item;
  }
}

/** Calls `work` for each item, a turn's worth of them in each turn. */
export async function forEachPaced<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
): Promise<void> {
  let untimed = 0;
  for (const item of items) {
    if (++untimed > MAX_UNTIMED_ITEMS) {
      untimed = 0;
      if (isTurnOver()) await takeTurn();
    }
    work(item);
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

/**
 * Waits for a result, which may come later.
 *
 * @throws {Error} when it takes longer than `ms` milliseconds.
 */
export async function withinTime<T>(result: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([result, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether something happens within some milliseconds. Rejects as it does. */
export async function isWithin(event: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([event.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
