import * as assert from "node:assert/strict";
import { type EventBatch, EventBus, type ReplayLimits } from "../../core/events.ts";
import type { StoredEvents } from "../../core/stored_events.ts";

interface NumberedEvent {
  readonly number: number;
  readonly owner: number;
  readonly bytes: number;
}

function event(number: number, owner = 1, bytes = 1): NumberedEvent {
  return { number, owner, bytes };
}

function events(from: number, to: number, owner = 1, bytes = 1): NumberedEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => event(from + index, owner, bytes));
}

/** A bus that counts how often it makes an entry of an event, and text of an entry. */
function countingBus(limits?: ReplayLimits) {
  const made = { entries: 0, texts: 0 };
  const bus = new EventBus<NumberedEvent>(({ number, owner, bytes }) => {
    made.entries++;
    return {
      owner,
      bytes,
      get text() {
        made.texts++;
        return String(number);
      },
    };
  }, limits);
  return { bus, made };
}

function newBus(limits?: ReplayLimits): EventBus<NumberedEvent> {
  return countingBus(limits).bus;
}

function subscribe(
  bus: EventBus<NumberedEvent>,
  { after, owner = 1, idleMs = 60_000 }: { after?: string; owner?: number; idleMs?: number } = {},
) {
  const abort = new AbortController();
  const batches = bus.subscribe({ after, owner, idleMs, signal: abort.signal });
  const next = async (): Promise<EventBatch | undefined> => (await batches.next()).value;
  return {
    next,
    /** Ends the subscription, also while it waits. */
    async end() {
      abort.abort();
      await batches.return(undefined);
    },
    /** The numbers of the next events, `reset`, or undefined at the end. */
    async numbers(): Promise<readonly number[] | "reset" | undefined> {
      const batch = await next();
      return batch?.kind === "events" ? batch.events.map(({ text }) => Number(text)) : batch?.kind;
    },
  };
}

/** What a subscriber that resumes after an id gets. */
async function replayed(bus: EventBus<NumberedEvent>, after: string, owner = 1) {
  const { numbers, end } = subscribe(bus, { after, owner });
  const first = await numbers();
  const found = first === "reset" ? first : await numbers();
  await end();
  return found;
}

/** The current id of a user. */
async function positionOf(bus: EventBus<NumberedEvent>, owner = 1): Promise<string> {
  const { next, end } = subscribe(bus, { owner });
  const batch = await next();
  await end();
  assert.ok(batch !== undefined);
  return batch.id;
}

Deno.test("C 11 EventBus yields the events of a user with consecutive ids", async () => {
  const bus = newBus();
  const { next, numbers, end } = subscribe(bus);
  const start = (await next())?.id ?? "";
  assert.match(start, /^[0-9a-z]+-0$/);
  bus.publish([event(1), event(2, 2), event(3)]);
  const batch = await next();
  assert.deepEqual(batch?.kind === "events" && batch.events, [
    { id: start.replace(/0$/, "1"), text: "1" },
    { id: start.replace(/0$/, "2"), text: "3" },
  ]);
  const later = numbers();
  bus.publish([event(4, 2)]);
  bus.publish([event(5)]);
  assert.deepEqual(await later, [5]);
  const waiting = numbers();
  await end();
  assert.equal(await waiting, undefined);
});

Deno.test("C 11 EventBus yields the events of all users in order, with ids of their own", async () => {
  const bus = newBus();
  const abort = new AbortController();
  const all = bus.subscribe({ idleMs: 60_000, signal: abort.signal });
  const { value: start }: { value?: EventBatch } = await all.next();
  bus.publish([event(1), event(2, 2), event(3)]);
  const { value: batch }: { value?: EventBatch } = await all.next();
  assert.deepEqual(batch?.kind === "events" && batch.events.map(({ text }) => text), [
    "1",
    "2",
    "3",
  ]);
  assert.equal(await replayed(bus, start?.id ?? ""), "reset");
  abort.abort();
});

Deno.test("C 11 EventBus wakes and reads nothing for subscribers of other users", async () => {
  const { bus, made } = countingBus();
  const others = Array.from({ length: 500 }, (_, index) => subscribe(bus, { owner: 2 + index }));
  for (const { numbers } of others) assert.deepEqual(await numbers(), []);
  let woken = 0;
  const waiting = others.map(({ numbers }) => numbers().then(() => woken++));
  const own = subscribe(bus);
  await own.numbers();
  bus.publish(events(1, 100));
  assert.equal((await own.numbers())?.length, 100);
  assert.deepEqual([made, woken], [{ entries: 100, texts: 100 }, 0]);
  await own.end();
  await Promise.all(others.map(({ end }) => end()));
  await Promise.all(waiting);
});

Deno.test("C 11 EventBus replays events that it keeps, and yields a reset otherwise", async () => {
  const bus = newBus({ maxEvents: 4 });
  const start = await positionOf(bus);
  const after = (sequence: number) => replayed(bus, start.replace(/0$/, String(sequence)));
  bus.publish(events(1, 3));
  assert.deepEqual(await after(0), [1, 2, 3]);
  assert.deepEqual(await after(2), [3]);
  assert.equal(await after(4), "reset");
  for (const id of ["f-1", start.slice(0, -1), start.replace(/0$/, "-1"), ""]) {
    assert.equal(await replayed(bus, id), "reset", id);
  }
  for (const id of [4, 5, 6, 7, 8, 9]) bus.publish([event(id)]);
  assert.equal(await after(4), "reset");
  assert.deepEqual(await after(5), [6, 7, 8, 9]);
});

Deno.test("C 11 EventBus replays the same number of events, however many came before", async () => {
  const bus = newBus({ maxEvents: 3 });
  const ids = [await positionOf(bus)];
  for (let number = 1; number <= 20; number++) {
    bus.publish([event(number)]);
    ids.push(await positionOf(bus));
    const kept = Math.max(0, number - 3);
    for (let seen = kept; seen < number; seen++) {
      const expected = Array.from({ length: number - seen }, (_, index) => seen + 1 + index);
      assert.deepEqual(await replayed(bus, ids[seen] ?? ""), expected);
    }
    if (kept > 0) assert.equal(await replayed(bus, ids[kept - 1] ?? ""), "reset");
  }
});

Deno.test("C 11 EventBus ends a subscription that falls behind", async () => {
  const bus = newBus({ maxEvents: 2 });
  const { numbers } = subscribe(bus);
  assert.deepEqual(await numbers(), []);
  for (const one of events(1, 50)) bus.publish([one]);
  assert.equal(await numbers(), undefined);
  const late = subscribe(bus);
  assert.deepEqual(await late.numbers(), []);
  // The waiting subscriber runs only after all of these.
  const waiting = late.numbers();
  for (const one of events(51, 100)) bus.publish([one]);
  assert.equal(await waiting, undefined);
});

Deno.test("C 11 EventBus keeps a publication whole, however many events it has, until enough others follow", async () => {
  const bus = newBus({ maxEvents: 4 });
  const { numbers, next, end } = subscribe(bus);
  const start = (await next())?.id ?? "";
  bus.publish(events(1, 7));
  bus.publish(events(8, 10));
  assert.deepEqual(await numbers(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await end();
  bus.publish([event(11)]);
  // Four events followed the large publication, so all of it is dropped.
  assert.equal(await replayed(bus, start.replace(/0$/, "6")), "reset");
  assert.deepEqual(await replayed(bus, start.replace(/0$/, "7")), [8, 9, 10, 11]);
});

Deno.test("C 11 EventBus keeps a bounded number of bytes of each user", async () => {
  const bus = newBus({ maxBytes: 1000 });
  const start = await positionOf(bus);
  const other = await positionOf(bus, 2);
  bus.publish([event(0, 2)]);
  for (const one of events(1, 20, 1, 100)) bus.publish([one]);
  assert.equal(await replayed(bus, start.replace(/0$/, "9")), "reset");
  assert.deepEqual(await replayed(bus, start.replace(/0$/, "10")), [
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
  ]);
  assert.deepEqual(await replayed(bus, other, 2), [0]);
});

Deno.test("C 11 EventBus holds a larger publication only for current subscribers", async () => {
  const bus = newBus({ maxBytes: 1000, maxTotalBytes: 100_000 });
  const start = await positionOf(bus);
  bus.publish(events(1, 20, 1, 100));
  assert.equal(await replayed(bus, start), "reset");
  const { numbers, end } = subscribe(bus);
  await numbers();
  bus.publish(events(21, 40, 1, 100));
  bus.publish([event(41)]);
  assert.equal((await numbers())?.length, 21);
  bus.publish(events(42, 44, 1, 50_000));
  assert.equal(await numbers(), undefined);
  await end();
});

Deno.test("C 11 EventBus forgets the users without recent events when all take too much", async () => {
  const bus = newBus({ maxBytes: 10_000, maxTotalBytes: 40_000 });
  const positions = new Map<number, string>();
  for (let owner = 1; owner <= 10; owner++) {
    positions.set(owner, await positionOf(bus, owner));
    bus.publish([event(owner, owner, 5000)]);
  }
  const kept: number[] = [];
  for (const [owner, position] of positions) {
    if (await replayed(bus, position, owner) !== "reset") kept.push(owner);
  }
  assert.deepEqual(kept, [5, 6, 7, 8, 9, 10]);
});

Deno.test("C 11 EventBus splits many events into pages of bounded length and bytes", async () => {
  const bus = newBus();
  const { numbers, end } = subscribe(bus);
  await numbers();
  bus.publish([...events(1, 1000), ...events(1001, 1100, 1, 10_000)]);
  const seen: number[] = [];
  const lengths: number[] = [];
  while (seen.length < 1100) {
    const page = await numbers();
    assert.ok(Array.isArray(page));
    seen.push(...page);
    lengths.push(page.length);
  }
  assert.deepEqual(seen, Array.from({ length: 1100 }, (_, index) => index + 1));
  assert.deepEqual(lengths.slice(0, 5), [256, 256, 256, 232 + 7, 7]);
  await end();
});

/** Stored events, and how often they were read and disposed of. */
function storedEvents(all: readonly NumberedEvent[], bytes = 100) {
  const counts = { reads: 0, open: 0 };
  const make = (some: readonly NumberedEvent[]): StoredEvents<NumberedEvent> => {
    counts.open++;
    let isOpen = true;
    return {
      length: some.length,
      bytes,
      owners: new Map([...Map.groupBy(some, ({ owner }) => owner)].map(([owner, own]) => [
        owner,
        own.length,
      ])),
      from(position) {
        assert.ok(isOpen);
        counts.reads++;
        return Promise.resolve(some.slice(position, position + 300));
      },
      ownedBy: (owner) => make(some.filter((event) => event.owner === owner)),
      share: () => make(some),
      [Symbol.dispose]() {
        if (isOpen) counts.open--;
        isOpen = false;
      },
    };
  };
  return { stored: make(all), counts };
}

Deno.test("C 11 EventBus yields stored events in order, between those before and after", async () => {
  const bus = newBus();
  const position = await positionOf(bus);
  bus.publish(events(1, 3));
  const { stored, counts } = storedEvents(events(4, 1000));
  bus.publish(stored);
  stored[Symbol.dispose]();
  bus.publish(events(1001, 1003));
  const seen: number[] = [];
  const lengths: number[] = [];
  const { next, end } = subscribe(bus, { after: position });
  let last = position;
  while (seen.length < 1003) {
    const batch = await next();
    assert.ok(batch?.kind === "events");
    seen.push(...batch.events.map(({ text }) => Number(text)));
    lengths.push(batch.events.length);
    last = batch.id;
  }
  await end();
  assert.deepEqual(seen, Array.from({ length: 1003 }, (_, index) => index + 1));
  assert.deepEqual(lengths, [0, 3, 256, 44, 256, 44, 256, 44, 97, 3]);
  assert.deepEqual(last.split("-")[1], "1003");
  // One for the user, and one for all.
  assert.equal(counts.open, 2);
  assert.deepEqual(await replayed(bus, position.replace(/-.*/, "-997")), [998, 999, 1000]);
});

Deno.test("C 11 EventBus reads stored events once for all streams that keep up", async () => {
  const bus = newBus();
  const streams = Array.from({ length: 5 }, () => subscribe(bus));
  for (const { numbers } of streams) assert.deepEqual(await numbers(), []);
  const { stored, counts } = storedEvents(events(1, 600));
  bus.publish(stored);
  for (let page = 0; page < 4; page++) await Promise.all(streams.map(({ numbers }) => numbers()));
  assert.equal(counts.reads, 2);
  for (const { end } of streams) await end();
});

Deno.test("C 11 EventBus publishes stored events of several users to each of them", async () => {
  const bus = newBus();
  const positions = [await positionOf(bus, 1), await positionOf(bus, 2)];
  const { stored } = storedEvents([...events(1, 3, 1), ...events(4, 5, 2), ...events(6, 7, 1)]);
  bus.publish(stored);
  assert.deepEqual(await replayed(bus, positions[0] ?? "", 1), [1, 2, 3, 6, 7]);
  assert.deepEqual(await replayed(bus, positions[1] ?? "", 2), [4, 5]);
});

Deno.test("C 11 EventBus disposes of stored events that it holds no longer", async () => {
  const bus = newBus({ maxBytes: 1000, maxTotalBytes: 100_000 });
  const { numbers, end } = subscribe(bus);
  await numbers();
  const large = storedEvents(events(1, 20), 5000);
  bus.publish(large.stored);
  large.stored[Symbol.dispose]();
  // For the subscriber only, as nobody is subscribed to those of all users.
  assert.equal(large.counts.open, 1);
  assert.equal((await numbers())?.length, 20);
  bus.publish(events(21, 22, 1, 600));
  assert.equal(large.counts.open, 0);
  await end();
});

Deno.test("C 11 EventBus yields an empty batch after an idle time", async () => {
  const bus = newBus();
  const { numbers, end } = subscribe(bus, { idleMs: 1 });
  for (let beat = 0; beat < 3; beat++) assert.deepEqual(await numbers(), []);
  const waiting = numbers();
  await end();
  assert.equal(await waiting, undefined);
});

Deno.test("EventBus ends all subscriptions when it is closed", async () => {
  const bus = newBus();
  const waiting = subscribe(bus);
  await waiting.numbers();
  const next = waiting.numbers();
  bus.close();
  assert.equal(await next, undefined);
  const late = subscribe(bus);
  await late.numbers();
  assert.equal(await late.numbers(), undefined);
});
