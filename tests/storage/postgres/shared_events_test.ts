import * as assert from "node:assert/strict";
import type { EventBatch } from "../../../core/events.ts";
import { Log } from "../../../core/log.ts";
import type { WriteTransaction } from "../../../core/ports.ts";
import {
  changedOwners,
  type ChangeSet,
  changesOf,
  eventsOf,
} from "../../../core/tree/change_set.ts";
import { eventEntry } from "../../../routes/events.ts";
import type { ServerEvent } from "../../../routes/serving/route.ts";
import { ResourceEntry } from "../../../schemas/resources.ts";
import { PostgresTransaction } from "../../../storage/postgres/write_transaction.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { type Random, seededRandom } from "../../support/random.ts";
import { newRecord } from "../../support/seed.ts";
import * as v from "valibot";

/** The paths of a tree, by the number of its last event at that time. */
type States = Map<number, string>;

async function openServer(url: string) {
  await using made = new AsyncDisposableStack();
  const log = new Log({ level: "error", format: "text", write: (line) => assert.fail(line) });
  const store = made.use(await openPostgresStore(url));
  const events = made.use(store.openEvents<ServerEvent>(eventEntry, log));
  const kept = made.move();
  return { store, events, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** One random change of the tree of an owner: a new directory, a move, or a deletion. */
async function change(
  transaction: WriteTransaction,
  userId: number,
  random: Random,
): Promise<ChangeSet> {
  const [from, target] = [`d${random(6)}`, `d${random(6)}`];
  const found = await transaction.findByPath({ userId, everyone: false }, [from, target]);
  const source = found.get(from);
  const add = async (path: string) => [
    changesOf("added", await transaction.insert([newRecord({ userId, path: `${path}/` })])),
  ];
  if (source === undefined) return await add(from);
  if (random(4) === 0) return [changesOf("deleted", await transaction.deleteSubtrees([source]))];
  if (found.has(target)) return await add(`${from}/${random(1e9)}`);
  const { updated } = await transaction.moveSubtrees([{ source, target }], 1);
  return [changesOf("updated", updated)];
}

/** The paths of a tree, and the number of its last event when the transaction has ended. */
async function stateAfter(transaction: WriteTransaction, userId: number, changes: ChangeSet) {
  assert.ok(transaction instanceof PostgresTransaction);
  const [[next] = [1], paths] = await transaction.run([userId], (session) =>
    Promise.all([
      session.values("SELECT next FROM event_channels WHERE owner = :userId", { userId }),
      session.values("SELECT path FROM records WHERE user_id = :userId ORDER BY 1", { userId }),
    ]).then(([rows, paths]) => [rows[0], paths] as const));
  const added = changedOwners(changes).get(userId) ?? 0;
  return { last: Number(next) - 1 + added, paths: paths.join() };
}

/** What a reader of the events of one tree knows of it. */
class Follower {
  readonly #paths = new Map<number, string>();

  take(text: string): void {
    const [, type = "", data = ""] = text.match(/^event: (.*)\ndata: (.*)$/) ?? [];
    const { id, path } = v.parse(ResourceEntry, JSON.parse(data));
    assert.equal(this.#paths.has(id), type !== "resource.added", text);
    if (type === "resource.deleted") this.#paths.delete(id);
    else this.#paths.set(id, path);
  }

  get state(): string {
    return [...this.#paths.values()].sort().join();
  }
}

/** Takes all events up to the end of the work, and compares each state of the tree. */
async function follow(batches: AsyncGenerator<EventBatch>, states: States): Promise<number> {
  const follower = new Follower();
  let compared = 0;
  for await (const batch of batches) {
    assert.equal(batch.kind, "events");
    for (const { id, text } of batch.events) {
      follower.take(text);
      const state = states.get(Number(id.split("-")[1]));
      if (state === undefined) continue;
      compared++;
      assert.equal(follower.state, state, id);
    }
  }
  return compared;
}

Deno.test({
  name: "C 11 and C 23 the events of writers at two servers are in the order of their commits",
  ignore: !Postgres.isInstalled,
}, async () => {
  await using engine = await Postgres.start({ settings: { deadlock_timeout: "20ms" } });
  const url = await engine.createDatabase();
  await using one = await openServer(url);
  await using other = await openServer(url);
  const servers = [one, other];
  const random = seededRandom(23);
  const states = new Map([1, 2, 3].map((owner) => [owner, new Map() as States]));
  const end = new AbortController();
  const all = one.events.subscribe({ idleMs: 50, signal: end.signal });
  const start = (await all.next()).value?.id;

  const write = async (server: typeof one, owners: readonly number[]) => {
    const found: (readonly [number, { last: number; paths: string }])[] = [];
    await server.store.write(async (transaction) => {
      found.length = 0;
      const changes: ChangeSet[] = [];
      for (const owner of owners) changes.push(await change(transaction, owner, random));
      for (const [index, owner] of owners.entries()) {
        found.push([owner, await stateAfter(transaction, owner, changes[index] ?? [])]);
      }
      return changes.flat();
    }, { events: (changes) => server.events.entriesOf(eventsOf(changes)) });
    for (const [owner, { last, paths }] of found) states.get(owner)?.set(last, paths);
  };
  const worker = async (index: number) => {
    for (let round = 0; round < 60; round++) {
      // Some change several trees, and may have to run again, as they wait for each other in a circle.
      const owners = random(5) === 0 ? [1 + random(2), 3] : [1 + random(3)];
      const ordered = random(2) === 0 ? owners : owners.reverse();
      await write(servers[index % 2] ?? one, ordered);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, index) => worker(index)));

  // Each server replays all of it, from the first event on.
  for (const { events } of servers) {
    for (const owner of [1, 2, 3]) {
      const ended = new AbortController();
      const { value } = await events.subscribe({ owner, idleMs: 50, signal: ended.signal }).next();
      const after = value?.id.replace(/\d+$/, "0");
      const batches = events.subscribe({ owner, after, idleMs: 300, signal: ended.signal });
      const reading = untilIdle(batches, ended);
      const own = states.get(owner) ?? new Map();
      assert.equal(await follow(reading, own), own.size);
      assert.ok(own.size > 50, `${own.size} states`);
    }
  }
  // The stream of everyone is a merge of these.
  const merged = one.events.subscribe({ after: start, idleMs: 300, signal: end.signal });
  const followers = new Map([1, 2, 3].map((owner) => [owner, new Follower()]));
  let count = 0;
  for await (const { events } of untilIdle(merged, end)) {
    for (const { text } of events) {
      const { user_id } = v.parse(ResourceEntry, JSON.parse(text.split("data: ")[1] ?? ""));
      followers.get(user_id)?.take(text);
      count++;
    }
  }
  for (const [owner, follower] of followers) {
    const own = [...states.get(owner) ?? []].sort(([a], [b]) => a - b);
    assert.equal(follower.state, own.at(-1)?.[1]);
  }
  assert.equal(count, one.events.published + other.events.published);
});

/** The batches with events, until there are no more for some time. */
async function* untilIdle(batches: AsyncGenerator<EventBatch>, end: AbortController) {
  let position = true;
  for await (const batch of batches) {
    assert.ok(batch.kind === "events");
    if (batch.events.length === 0 && !position) return end.abort();
    position = false;
    yield batch;
  }
}
