import * as assert from "node:assert/strict";
import { EventBus } from "../../core/events.ts";

interface OwnedEvent {
  readonly number: number;
  readonly owner: number;
}

function event(number: number, owner = 1): OwnedEvent {
  return { number, owner };
}

function subscribe(bus: EventBus<OwnedEvent>, after?: string, idleMs = 60_000) {
  const abort = new AbortController();
  const accepts = ({ owner }: OwnedEvent) => owner === 1;
  const batches = bus.subscribe({ after, accepts, idleMs, signal: abort.signal });
  const ids = async () => {
    const { value } = await batches.next();
    return value?.kind === "events" ? value.events.map((it: { id: string }) => it.id) : value?.kind;
  };
  return { abort, batches, ids };
}

Deno.test("C 11 EventBus yields accepted events with increasing ids", async () => {
  const bus = new EventBus<OwnedEvent>({ epoch: "e" });
  const { ids, abort } = subscribe(bus);
  assert.deepEqual(await ids(), []);
  bus.publish([event(1), event(2, 2), event(3)]);
  assert.deepEqual(await ids(), ["e-1", "e-3"]);
  const next = ids();
  bus.publish([event(4, 2)]);
  bus.publish([event(5)]);
  assert.deepEqual(await next, ["e-5"]);
  abort.abort();
  assert.equal(await ids(), undefined);
});

Deno.test("C 11 EventBus replays events that it keeps, and yields a reset otherwise", async () => {
  const bus = new EventBus<OwnedEvent>({ epoch: "e", maxEvents: 4 });
  bus.publish([1, 2, 3].map((id) => event(id)));
  const from = async (after: string) => {
    const { ids, abort } = subscribe(bus, after);
    const first = await ids();
    const found = first === "reset" ? first : await ids();
    abort.abort();
    return found;
  };
  assert.deepEqual(await from("e-0"), ["e-1", "e-2", "e-3"]);
  assert.deepEqual(await from("e-2"), ["e-3"]);
  assert.equal(await from("e-4"), "reset");
  assert.equal(await from("f-1"), "reset");
  assert.equal(await from("e-"), "reset");
  assert.equal(await from("e--1"), "reset");
  for (const id of [4, 5, 6, 7, 8, 9]) bus.publish([event(id)]);
  assert.equal(await from("e-4"), "reset");
  assert.deepEqual(await from("e-5"), ["e-6", "e-7", "e-8", "e-9"]);
});

Deno.test("C 11 EventBus ends a subscription that falls behind", async () => {
  const bus = new EventBus<OwnedEvent>({ epoch: "e", maxEvents: 2 });
  const { ids } = subscribe(bus);
  assert.deepEqual(await ids(), []);
  for (let id = 1; id <= 50; id++) bus.publish([event(id)]);
  assert.equal(await ids(), undefined);
  const { ids: waitingIds } = subscribe(bus);
  assert.deepEqual(await waitingIds(), []);
  // The waiting subscriber runs only after all of these.
  const waiting = waitingIds();
  for (let id = 51; id <= 100; id++) bus.publish([event(id)]);
  assert.equal(await waiting, undefined);
});

Deno.test("C 11 EventBus keeps a publication whole, however large, until enough others follow", async () => {
  const bus = new EventBus<OwnedEvent>({ epoch: "e", maxEvents: 4 });
  const { ids, abort } = subscribe(bus);
  assert.deepEqual(await ids(), []);
  bus.publish([1, 2, 3, 4, 5, 6, 7].map((id) => event(id)));
  bus.publish([8, 9, 10].map((id) => event(id)));
  const all = Array.from({ length: 10 }, (_, index) => `e-${index + 1}`);
  assert.deepEqual(await ids(), all);
  abort.abort();
  bus.publish([event(11)]);
  // Four events followed the large publication, so all of it is dropped.
  const late = subscribe(bus, "e-6");
  assert.equal(await late.ids(), "reset");
  late.abort.abort();
  const held = subscribe(bus, "e-7");
  await held.ids();
  assert.deepEqual(await held.ids(), ["e-8", "e-9", "e-10", "e-11"]);
  held.abort.abort();
});

Deno.test("C 11 EventBus splits many events into batches, without duplicates", async () => {
  const bus = new EventBus<OwnedEvent>({ epoch: "e" });
  const { ids, abort } = subscribe(bus);
  await ids();
  bus.publish(Array.from({ length: 1000 }, (_, id) => event(id)));
  const seen: string[] = [];
  while (seen.length < 1000) seen.push(...(await ids()));
  assert.deepEqual(seen, Array.from({ length: 1000 }, (_, id) => `e-${id + 1}`));
  abort.abort();
});

Deno.test("C 11 EventBus yields an empty batch after an idle time", async () => {
  const bus = new EventBus<OwnedEvent>({ epoch: "e" });
  const { ids, abort } = subscribe(bus, undefined, 1);
  for (let beat = 0; beat < 3; beat++) assert.deepEqual(await ids(), []);
  abort.abort();
  assert.equal(await ids(), undefined);
});

Deno.test("EventBus ends all subscriptions when it is closed", async () => {
  const bus = new EventBus<OwnedEvent>();
  const waiting = subscribe(bus);
  await waiting.ids();
  const next = waiting.ids();
  bus.close();
  assert.equal(await next, undefined);
  const late = subscribe(bus);
  await late.ids();
  assert.equal(await late.ids(), undefined);
});
