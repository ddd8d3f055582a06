import * as assert from "node:assert/strict";
import type { EventBatch } from "../../../core/events.ts";
import { Log } from "../../../core/log.ts";
import { MIB } from "../../../schemas/units.ts";
import type { Database } from "../../../storage/postgres/database.ts";
import { forgetEvents } from "../../../storage/postgres/event_log.ts";
import { placeEvents } from "../../../storage/postgres/event_places.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";

/** Longer than any test: who is not woken fails by the time of the test runner. */
const NEVER_MS = 100_000;

interface TextEvent {
  readonly owner: number;
  readonly text: string;
}

/** A server as far as events are concerned. */
async function openServer(url: string) {
  await using made = new AsyncDisposableStack();
  const lines: string[] = [];
  const log = new Log({ level: "info", format: "text", write: (line) => lines.push(line) });
  const store = made.use(await openPostgresStore(url));
  const entryOf = (event: TextEvent) => ({ ...event, bytes: event.text.length });
  const events = made.use(store.openEvents<TextEvent>(entryOf, log));
  const kept = made.move();
  return {
    store,
    events,
    lines,
    database: store.database,
    follow: (
      owner: number | undefined,
      signal: AbortSignal,
      after?: string,
      idleMs = NEVER_MS,
    ) => events.subscribe({ owner, after, idleMs, signal }),
    append: (added: readonly TextEvent[], fails = false) =>
      store.write(async (transaction) => {
        await transaction.usage(added[0]?.owner ?? 1);
      }, {
        events: () => {
          if (fails) throw new Error("refused");
          return events.entriesOf(added);
        },
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Reads events until there are as many as asked for. */
async function read(batches: AsyncGenerator<EventBatch>, count: number) {
  const found: { id: string; text: string }[] = [];
  while (found.length < count) {
    const { value } = await batches.next();
    if (value?.kind !== "events") throw new Error("The subscription has ended");
    found.push(...value.events);
  }
  return found;
}

function textsOf(events: readonly { readonly text: string }[]): string[] {
  return events.map(({ text }) => text);
}

/** Those of one owner, whose texts begin with it. */
function ofOwner(texts: readonly string[], owner: number): string[] {
  return texts.filter((text) => text.startsWith(`${owner}:`));
}

Deno.test({ name: "events in PostgreSQL", ignore: !Postgres.isInstalled }, async (t) => {
  await using engine = await Postgres.start();

  await t.step(
    "C 11 and C 23 events of an owner are in commit order, at every server",
    async () => {
      const url = await engine.createDatabase();
      await using one = await openServer(url);
      await using other = await openServer(url);
      const end = new AbortController();
      const followers = [one, other].map((server) => server.follow(1, end.signal));
      for (const follower of followers) assert.equal((await follower.next()).value?.kind, "events");
      await Promise.allSettled(Array.from({ length: 60 }, (_, index) => {
        const texts = [`${index} a`, `${index} b`].map((text) => ({ owner: 1, text }));
        const foreign = { owner: 2 + index % 3, text: "foreign" };
        return [one, other][index % 2]?.append([...texts, foreign], index % 5 === 0);
      }));
      const [first = [], second] = await Promise.all(followers.map((it) => read(it, 96)));
      assert.deepEqual(first, second);
      assert.equal(first.length, 96);
      assert.ok(first.every(({ text }) => !text.includes("foreign")));
      // Those of one operation are together, and those of refused ones are missing.
      for (let index = 0; index < 96; index += 2) {
        const [number] = first[index]?.text.split(" ") ?? [];
        assert.notEqual(Number(number) % 5, 0);
        assert.equal(first[index + 1]?.text, `${number} b`);
      }
      const sequences = first.map(({ id }) => Number(id.split("-")[1]));
      assert.deepEqual(sequences, sequences.map((_, index) => index + 1));
      end.abort();
      for (const follower of followers) assert.equal((await follower.next()).done, true);
    },
  );

  await t.step("C 11 who returns before the notice of an event is not reset", async () => {
    await using server = await openServer(await engine.createDatabase());
    const { signal } = new AbortController();
    const waiting = server.follow(1, signal);
    await waiting.next();
    for (let index = 0; index < 5; index++) {
      await server.append([{ owner: 1, text: `seen ${index}` }]);
      const [seen] = await read(waiting, 1);
      // It looks for the next event, and finds none.
      const next = read(waiting, 1);
      await server.append([{ owner: 1, text: `new ${index}` }]);
      const again = server.follow(1, signal, seen?.id);
      assert.deepEqual(textsOf(await read(again, 1)), [`new ${index}`]);
      await again.return(undefined);
      await next;
    }
  });

  await t.step("C 11 and C 23 a database that has gone back has its own events", async () => {
    await using server = await openServer(await engine.createDatabase());
    const { signal } = new AbortController();
    const former = server.follow(1, signal);
    await former.next();
    await server.append([{ owner: 1, text: "lost" }]);
    const [seen] = await read(former, 1);
    await server.database.use(
      "writes",
      (session) =>
        session.script("UPDATE event_channels SET epoch = 'b', next = 1; DELETE FROM events"),
    );
    const again = server.follow(1, signal, seen?.id);
    assert.equal((await again.next()).value?.kind, "reset");
    await server.append([{ owner: 1, text: "new" }]);
    assert.deepEqual(await read(again, 1), [{ id: "b-1", text: "new" }]);
    assert.equal((await former.next()).done, true);
  });

  await t.step(
    "C 23 Last-Event-ID replays what was missed, at another server and after a restart",
    async () => {
      const url = await engine.createDatabase();
      const { signal } = new AbortController();
      let seen: string;
      {
        await using one = await openServer(url);
        await one.append([{ owner: 1, text: "a" }, { owner: 1, text: "b" }]);
        const position = (await one.follow(1, signal).next()).value;
        assert.ok(position?.kind === "events");
        seen = position.id;
        await one.append([{ owner: 1, text: "c" }]);
      }
      await using other = await openServer(url);
      const replayed = await read(other.follow(1, signal, seen), 1);
      assert.deepEqual(textsOf(replayed), ["c"]);
      for (const unknown of ["", "x-1", `${seen}0000`, seen.replace(/-.*/, "-x")]) {
        const { value } = await other.follow(1, signal, unknown).next();
        assert.equal(value?.kind, "reset", unknown);
        assert.equal(value.id, replayed[0]?.id);
      }
      // An owner without events gets a position that stays valid.
      const empty = (await other.follow(9, signal).next()).value;
      await other.append([{ owner: 9, text: "first" }]);
      assert.deepEqual((await read(other.follow(9, signal, empty?.id), 1))[0]?.text, "first");
    },
  );

  await t.step(
    "C 11 as many events as are kept are replayed, and those who are slower list again",
    async () => {
      const url = await engine.createDatabase();
      await using server = await openServer(url);
      const { signal } = new AbortController();
      const slow = server.follow(1, signal);
      const start = (await slow.next()).value?.id;
      const numbered = (count: number) =>
        Array.from({ length: count }, (_, index) => ({ owner: 1, text: `${index}` }));
      await server.append(numbered(10_400));
      // The events of one operation are kept together, so that whoever keeps up gets all of them.
      const fast = await read(server.follow(1, signal, start), 10_400);
      assert.deepEqual(textsOf(fast), textsOf(numbered(10_400)));
      await server.append(numbered(64));
      const count = async () =>
        Number((await server.database.get("SELECT count(*) AS n FROM events"))?.n);
      for (let left = Infinity; left !== 10_000; left = await count()) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assert.equal((await slow.next()).done, true);
      assert.equal((await server.follow(1, signal, start).next()).value?.kind, "reset");
      const after = start?.replace(/\d+$/, "464");
      const texts = textsOf(await read(server.follow(1, signal, after), 10_000));
      assert.deepEqual(texts, textsOf([...numbered(10_400).slice(464), ...numbered(64)]));
      assert.equal(await forgetEvents(server.database, 3_600_000), false);
      assert.equal(await forgetEvents(server.database, -1000), true);
      assert.equal(await count(), 9000);
    },
  );

  await t.step("C 31 the events of a very large change only take their numbers", async () => {
    await using server = await openServer(await engine.createDatabase());
    const { signal } = new AbortController();
    const follower = server.follow(1, signal);
    await follower.next();
    const count = 60_000;
    await server.store.write(async (transaction) => {
      await transaction.usage(1);
    }, {
      events: () => ({
        length: count,
        bytes: 9 * MIB,
        owners: new Map([[1, count]]),
        from: () => Promise.reject(new Error("None is read")),
        [Symbol.dispose]() {},
      }),
    });
    await server.append([{ owner: 1, text: "next" }]);
    // Its subscribers list again.
    assert.equal((await follower.next()).done, true);
    const row = await server.database.get("SELECT next FROM event_channels WHERE owner = 1");
    assert.equal(row?.next, count + 2);
  });

  await t.step("C 11 the bytes that are kept for an owner are bounded", async () => {
    const url = await engine.createDatabase();
    await using server = await openServer(url);
    const text = "x".repeat(64 * 1024);
    for (let round = 0; round < 4; round++) {
      await server.append(Array.from({ length: 64 }, () => ({ owner: 1, text })));
    }
    const bytes = async () =>
      Number((await server.database.get("SELECT sum(length(text)) AS n FROM events"))?.n);
    // Those of the last operation, and 4 MiB before.
    for (let left = Infinity; left > 8 * 1024 * 1024; left = await bytes()) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });

  await t.step("C 23 notices that are missed delay events, and lose none", async () => {
    const url = await engine.createDatabase();
    await using server = await openServer(url);
    await using other = await openServer(url);
    const { signal } = new AbortController();
    const woken = server.follow(1, signal);
    const polling = server.follow(1, signal, undefined, 20);
    for (const follower of [woken, polling]) await follower.next();
    for (let round = 0; round < 3; round++) {
      await server.database.use("reads", (session) =>
        session.run(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
        ));
      await other.append([{ owner: 1, text: `${round}` }]);
      const found = await Promise.all([read(woken, 1), read(polling, 1)]);
      assert.deepEqual(found.map(([event]) => event?.text), [`${round}`, `${round}`]);
    }
    const idle = await polling.next();
    assert.deepEqual(idle.value?.kind === "events" && idle.value.events, []);
  });

  await t.step(
    "C 11 and C 23 the stream of everyone has each event once, those of an owner in commit order",
    async () => {
      const url = await engine.createDatabase();
      await using one = await openServer(url);
      await using other = await openServer(url);
      const end = new AbortController();
      const followers = [one, other].map((it) => it.follow(undefined, end.signal));
      for (const follower of followers) await follower.next();
      const own = [1, 2, 3].map((owner) => one.follow(owner, end.signal));
      for (const follower of own) await follower.next();
      const reading = Promise.all(followers.map((it) => read(it, 600)));
      await Promise.all(Array.from({ length: 300 }, (_, index) => {
        const owner = 1 + index % 3;
        const texts = ["a", "b"].map((it) => ({ owner, text: `${owner}: ${index} ${it}` }));
        return [one, other][Math.floor(index / 3) % 2]?.append(texts);
      }));
      const [first = [], second] = await reading;
      assert.deepEqual(first, second);
      assert.equal(new Set(textsOf(first)).size, 600);
      for (const [index, follower] of own.entries()) {
        const expected = textsOf(await read(follower, 200));
        assert.deepEqual(ofOwner(textsOf(first), index + 1), expected);
      }
      // Ids of one stream mean nothing in another, and those of this one do at every server.
      const middle = first[299]?.id;
      assert.equal((await one.follow(1, end.signal, middle).next()).value?.kind, "reset");
      await using third = await openServer(url);
      assert.deepEqual(
        await read(third.follow(undefined, end.signal, middle), 300),
        first.slice(300),
      );
      end.abort();
    },
  );

  await t.step("C 11 events that come meanwhile keep no reader of the stream waiting", async () => {
    await using server = await openServer(await engine.createDatabase());
    const { database } = server;
    await server.append([{ owner: 1, text: "first" }]);
    let rounds = 0;
    const busy: Pick<Database, "get" | "use"> = {
      get: (sql, parameters) => database.get(sql, parameters),
      async use(purpose, work) {
        assert.ok(rounds++ < 9, "It never ends");
        const result = await database.use(purpose, work);
        await server.append([{ owner: 1, text: `${rounds}` }]);
        return result;
      },
    };
    await placeEvents(busy);
    const row = await database.get("SELECT next FROM event_channels WHERE owner = 0");
    assert.equal(row?.next, 2);
  });

  await t.step(
    "C 23 an event that commits late comes late in the stream of everyone, but is not skipped",
    async () => {
      const url = await engine.createDatabase();
      await using server = await openServer(url);
      const { signal } = new AbortController();
      const all = server.follow(undefined, signal);
      await all.next();
      const hold = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      // Its transaction has an id, and the lock of its tree, before the others begin.
      const late = server.store.write(async (transaction) => {
        await transaction.usage(1);
        begun.resolve();
        await hold.promise;
      }, { events: () => server.events.entriesOf([{ owner: 1, text: "late" }]) });
      await begun.promise;
      // This one has events in the table, but not committed ones.
      const open = await server.database.connect("writes");
      await open.session.script("BEGIN");
      await open.session.run("INSERT INTO event_channels VALUES (7, 'e', 2, 4)");
      await open.session.run("INSERT INTO events VALUES (7, 1, 4, now(), 'open')");
      await open.session.run("INSERT INTO event_arrivals (owner, first, count) VALUES (7, 1, 1)");
      await server.append([{ owner: 2, text: "early" }]);
      assert.deepEqual(textsOf(await read(all, 1)), ["early"]);
      hold.resolve();
      await late;
      assert.deepEqual(textsOf(await read(all, 1)), ["late"]);
      await open.session.commit();
      open.keep();
      await open[Symbol.asyncDispose]();
      await server.append([{ owner: 2, text: "last" }]);
      assert.deepEqual(textsOf(await read(all, 2)), ["open", "last"]);
    },
  );

  await t.step("C 11 the stream of everyone keeps as many events as that of an owner", async () => {
    const url = await engine.createDatabase();
    await using server = await openServer(url);
    const { signal } = new AbortController();
    const start = (await server.follow(undefined, signal).next()).value?.id;
    for (let owner = 1; owner <= 3; owner++) {
      await server.append(
        Array.from({ length: 4000 }, (_, index) => ({ owner, text: `${owner}: ${index}` })),
      );
    }
    await placeEvents(server.database);
    assert.equal((await server.follow(undefined, signal, start).next()).value?.kind, "reset");
    const after = start?.replace(/\d+$/, "2000");
    const texts = textsOf(await read(server.follow(undefined, signal, after), 10_000));
    assert.deepEqual([texts[0], texts.at(-1)], ["1: 2000", "3: 3999"]);
    assert.equal((await server.database.get("SELECT count(*) AS n FROM event_arrivals"))?.n, 0);
  });

  await t.step("C 11 subscribers of one owner share what is read", async () => {
    const url = await engine.createDatabase();
    await using server = await openServer(url);
    await using observer = await openServer(url);
    const { signal } = new AbortController();
    const followers = Array.from({ length: 200 }, () => server.follow(1, signal));
    await Promise.all(followers.map((it) => it.next()));
    const all = server.database.values.bind(server.database);
    let reads = 0;
    server.database.values = (...given) => {
      reads++;
      return all(...given);
    };
    const reading = Promise.all(followers.map((it) => read(it, 1)));
    await observer.append([{ owner: 1, text: "shared" }]);
    for (const found of await reading) assert.deepEqual(textsOf(found), ["shared"]);
    assert.ok(reads < 10, `${reads} reads`);
    assert.equal(server.events.subscribers, 200);
    assert.equal(observer.events.published, 1);
  });

  await t.step(
    "C 11 and C 23 an engine that restarts delays streams, which skip nothing",
    async () => {
      const url = await engine.createDatabase();
      await using server = await openServer(url);
      const { signal } = new AbortController();
      const followers = [1, undefined].map((owner) => server.follow(owner, signal));
      for (const follower of followers) await follower.next();
      const reading = Promise.all(followers.map((it) => read(it, 2)));
      await server.append([{ owner: 1, text: "before" }]);
      await engine.kill();
      server.events.publish([{ owner: 1, text: "while it is away" }]);
      await engine.restart();
      for (const found of await reading) {
        assert.deepEqual(textsOf(found), ["before", "while it is away"]);
      }
      assert.ok(server.lines.some((line) => line.includes("Cannot publish events")));
    },
  );

  await t.step("C 11 events without a change of their own are published in order", async () => {
    const url = await engine.createDatabase();
    const { signal } = new AbortController();
    const texts = Array.from({ length: 500 }, (_, index) => `${index}`);
    await using other = await openServer(url);
    const follower = other.follow(1, signal);
    await follower.next();
    {
      await using server = await openServer(url);
      for (const text of texts) server.events.publish([{ owner: 1, text }]);
    }
    assert.deepEqual(textsOf(await read(follower, 500)), texts);
    other.events.close();
    assert.equal((await follower.next()).done, true);
    assert.equal((await other.follow(1, signal).next()).value?.kind, "events");
  });
});
