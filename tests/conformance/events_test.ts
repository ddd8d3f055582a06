import * as assert from "node:assert/strict";
import * as v from "valibot";
import { serverEvents } from "../../routes/events.ts";
import { ResourceEntry } from "../../schemas/resources.ts";
import { Client, items, refused } from "../support/client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { until } from "../support/until.ts";

const ChangedEntry = v.object({ ...ResourceEntry.entries, version: v.number() });

Deno.test("GET /events/", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const two = await server.as(2);
  const admin = await server.admin(9);

  await t.step(
    "RS 6 and C 11 publishes a change as an event with the entry as its data",
    async () => {
      await using events = await one.events();
      const [file] = items(await one.upload("", { "f.txt": "content" }));
      const block = await events.next();
      assert.equal(block?.event, "resource.added");
      assert.deepEqual(v.parse(ResourceEntry, JSON.parse(block?.data ?? "")), file);
      assert.match(block?.id ?? "", /^[0-9a-z]+-\d+$/);
      await one.remove({ path: "f.txt" });
      assert.deepEqual(await events.take(1), ["deleted f.txt"]);
    },
  );
  await t.step("RS 4.2.9 directories come before files, parents first", async () => {
    await using events = await one.events();
    await one.upload("x/y", { b: "1", a: "2" });
    assert.deepEqual(await events.take(4), [
      "added x",
      "added x/y",
      "added x/y/b",
      "added x/y/a",
    ]);
  });
  await t.step("RS 6.1 a failed operation publishes nothing", async () => {
    await using events = await one.events();
    refused(await one.upload("x/y", { new: "n", a: "taken" }), 409, "ErrResourcesAlreadyExists");
    refused(await one.remove({ "paths[]": ["x", "nothing"] }), 404, "ErrResourcesNotFound");
    refused(await one.mkdir("x/y/a/below"), 409, "ErrResourcesAlreadyExists");
    await one.mkdir("done");
    assert.deepEqual(await events.take(1), ["added done"]);
  });
  await t.step("RS 6.2 an operation that changes nothing publishes nothing", async () => {
    await using events = await one.events();
    await one.mkdir("x/y");
    await one.mkdir("after");
    assert.deepEqual(await events.take(1), ["added after"]);
  });
  await t.step("RS 6 and C 11 a caller receives events of its own records only", async () => {
    await using ones = await one.events();
    await using twos = await two.events();
    await using admins = await admin.events();
    await one.mkdir("for-one");
    await two.mkdir("for-two");
    await admin.mkdir("for-admin");
    assert.deepEqual(await ones.take(1), ["added for-one"]);
    assert.deepEqual(await twos.take(1), ["added for-two"]);
    assert.deepEqual(await admins.take(1), ["added for-admin"]);
  });
  await t.step("RS 6 the owner receives events of changes by an administrator", async () => {
    await using twos = await two.events();
    await using admins = await admin.events();
    await admin.remove({ path: "for-two" });
    await admin.mkdir("own");
    assert.deepEqual(await twos.take(1), ["deleted for-two"]);
    assert.deepEqual(await admins.take(1), ["added own"]);
  });
  await t.step("C 11 scope=all sends an administrator the events of all users", async () => {
    await using all = await admin.events({ scope: "all" });
    await one.mkdir("seen-one");
    await two.mkdir("seen-two");
    assert.deepEqual(await all.take(2), ["added seen-one", "added seen-two"]);
  });
  await t.step("C 11 scope=all is for administrators only", async () => {
    refused(await one.send("GET", "/events/?scope=all"), 403, "ErrNotPermitted");
    refused(await one.send("GET", "/events/?scope=mine"), 400, "ErrResourcesInvalidRequest");
    const uploader = await server.as(1, "resources.upload");
    refused(await uploader.send("GET", "/events/"), 403, "ErrNotPermitted");
  });
  await t.step("C 11 Last-Event-ID replays missed events", async () => {
    const events = await one.events();
    await one.mkdir("r1");
    await events.take(1);
    await events[Symbol.asyncDispose]();
    await one.mkdir("r2");
    await two.mkdir("not-for-one");
    await one.mkdir("r3");
    const expected = ["added r2", "added r3"];
    for (
      const again of [
        await one.events({}, { "Last-Event-ID": events.lastId ?? "" }),
        await one.events({ last_event_id: events.lastId }),
      ]
    ) {
      assert.deepEqual(await again.take(2), expected);
      await again[Symbol.asyncDispose]();
    }
  });
  await t.step("C 11 a subscriber has an event id before the first event", async () => {
    const events = await one.events();
    assert.ok((await events.block())?.id);
    await events[Symbol.asyncDispose]();
    await one.mkdir("missed");
    await using again = await one.events({ last_event_id: events.lastId });
    assert.deepEqual(await again.take(1), ["added missed"]);
  });
  await t.step("C 11 an unknown event id starts with a reset", async () => {
    for (const id of ["other-1", "nonsense", "", `${"9".repeat(30)}`]) {
      await using events = await one.events({}, { "Last-Event-ID": id });
      const reset = await events.next();
      assert.deepEqual([reset?.event, reset?.data], ["reset", "{}"], id);
      await one.mkdir(`after-reset-${id.length}`);
      assert.deepEqual(await events.take(1), [`added after-reset-${id.length}`]);
    }
  });
  await t.step("C 11 answers HEAD without holding a subscription", async () => {
    const head = await one.fetch("/events/", { method: "HEAD" });
    assert.equal(head.headers.get("Content-Type"), "text/event-stream");
    assert.equal(await head.text(), "");
  });
});

Deno.test("C 11 the replay buffer is bounded", async () => {
  await using server = await TestServer.start({ events: serverEvents({ maxEvents: 5 }) });
  const one = await server.as(1);
  const events = await one.events();
  await one.mkdir("first");
  await events.take(1);
  await events[Symbol.asyncDispose]();
  for (let index = 1; index <= 5; index++) await one.mkdir(`d${index}`);
  await using held = await one.events({ last_event_id: events.lastId });
  assert.deepEqual(await held.take(5), ["d1", "d2", "d3", "d4", "d5"].map((it) => `added ${it}`));
  await one.mkdir("d6");
  await using lost = await one.events({ last_event_id: events.lastId });
  assert.equal((await lost.next())?.event, "reset");
});

Deno.test("C 11 a stream starts with a reset after a restart", async () => {
  await using first = await TestServer.start({ events: serverEvents() });
  const events = await (await first.as(1)).events();
  await events.block();
  await events[Symbol.asyncDispose]();
  await using second = await TestServer.start({ events: serverEvents() });
  await using again = await (await second.as(1)).events({ last_event_id: events.lastId });
  assert.equal((await again.next())?.event, "reset");
});

Deno.test("C 11 comments keep an idle stream alive", async () => {
  await using server = await TestServer.start({ app: { eventOptions: { heartbeatMs: 5 } } });
  const one = await server.as(1);
  await using events = await one.events();
  for (let beat = 0; beat < 3; beat++) {
    const block = await events.block();
    assert.deepEqual([block?.event, block?.data], [undefined, undefined]);
  }
  await one.mkdir("still-there");
  assert.deepEqual(await events.take(1), ["added still-there"]);
});

Deno.test("C 11 a scan of many paths has events of bounded size", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1, ...USER_PRIVILEGES, "scans.run", "scans.view");
  const dir = Array.from({ length: 15 }, () => "d".repeat(250)).join("/");
  const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
  await one.upload(dir, Object.fromEntries(names.map((name) => [name, ""])));
  await using events = await one.events();
  const paths = names.map((name) => `${dir}/${name}`);
  assert.equal((await one.json("POST", "/scans/?wait=30", { paths })).status, 202);
  const event = await events.next();
  const data = JSON.parse(event?.data ?? "");
  assert.deepEqual([event?.event, data.paths_total], ["scan.queued", 20]);
  assert.deepEqual(data.paths, paths.slice(0, 4));
});

Deno.test("C 11 an operation with more events than the buffer reaches current subscribers", async () => {
  await using server = await TestServer.start({ events: serverEvents({ maxEvents: 3 }) });
  const one = await server.as(1);
  const two = await server.as(2);
  await using events = await one.events();
  await using others = await two.events();
  await one.upload("many", { a: "", b: "", c: "", d: "" });
  assert.equal((await events.take(5)).length, 5);
  await two.mkdir("own");
  assert.deepEqual(await others.take(1), ["added own"]);
});

Deno.test("C 11 event ids tell nothing about the events of other users", async () => {
  await using server = await TestServer.start({ app: { eventOptions: { heartbeatMs: 20 } } });
  const one = await server.as(1);
  const two = await server.as(2);
  const admin = await server.admin(9);
  await using events = await two.events();
  await using all = await admin.events({ scope: "all" });
  await two.mkdir("first");
  const first = await events.next();
  await one.upload("others", { a: "", b: "" });
  // Comments have an id, too.
  assert.deepEqual((await events.block())?.id, first?.id);
  await two.mkdir("second");
  const second = await events.next();
  const sequence = (id = "") => Number(id.split("-")[1]);
  assert.equal(sequence(second?.id), sequence(first?.id) + 1);
  assert.equal((await all.take(5)).length, 5);
  // An id of one stream resumes no other one.
  for (const id of [all.lastId, events.lastId]) {
    await using ones = await one.events({ last_event_id: id });
    assert.equal((await ones.next())?.event, "reset");
  }
});

Deno.test("C 11 events of others neither displace events kept for replay nor reset a stream", async () => {
  await using server = await TestServer.start({ events: serverEvents({ maxEvents: 3 }) });
  const one = await server.as(1);
  const two = await server.as(2);
  const events = await two.events();
  await events.block();
  await events[Symbol.asyncDispose]();
  await two.mkdir("missed");
  for (let index = 0; index < 5; index++) await one.mkdir(`d${index}`);
  await using again = await two.events({ last_event_id: events.lastId });
  assert.deepEqual(await again.take(1), ["added missed"]);
});

Deno.test("C 11 events arrive in commit order", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await using events = await one.events();
  await Promise.all(
    Array.from({ length: 60 }, (_, index) => one.upload("", { [`f${index}`]: `${index}` })),
  );
  const received = (await events.take(60)).map((text) => text.slice("added ".length));
  // Ids are assigned in the order of the transactions.
  const byId = items(await one.list()).sort((a, b) => a.id - b.id).map(({ path }) => path);
  assert.deepEqual(received, byId);
});

Deno.test("C 10 and C 11 a stream ends when its credential expires", async () => {
  await using server = await TestServer.start();
  // Expired, but within the leeway.
  const token = await mintToken({ userId: 1, privileges: ["resources.view"], ttlSeconds: -26 });
  const late = new Client(server.url, token);
  await using events = await late.events();
  assert.equal(await events.next(), undefined);
  refused(await late.list(), 401, "ErrAuthRequired");
});

Deno.test("C 11 a stream ends as soon as its client disconnects", async () => {
  await using server = await TestServer.start({ app: { eventOptions: { heartbeatMs: 2 ** 30 } } });
  const one = await server.as(1);
  const events = await one.events();
  await events[Symbol.asyncDispose]();
  await until(() => server.log.some((line) => line.includes('"complete":false')));
});

Deno.test("C 26 a change carries the version that it has made of its tree", async () => {
  await using server = await TestServer.start({
    settings: { history: 86_400_000 },
    maxDirectRecords: 3,
  });
  const one = await server.as(1);
  const admin = await server.admin(9);
  await using events = await one.events();
  await using all = await admin.events({ scope: "all" });
  const seen = async (reader: typeof events, count: number) => {
    const found: string[] = [];
    while (found.length < count) {
      const { path, version } = v.parse(
        ChangedEntry,
        JSON.parse((await reader.next())?.data ?? ""),
      );
      found.push(`${version} ${path}`);
    }
    return found;
  };
  await one.upload("d", { a: "1", b: "2" });
  await one.mkdir("e");
  await one.move({ source: "d", destination: "e" });
  await one.put("d/a", "3");
  await admin.remove({ path: "d", user_id: "1" });
  const expected = [
    ...["1 d", "1 d/a", "1 d/b", "2 e", "3 e/d", "3 e/d/a", "3 e/d/b"],
    ...["4 d", "4 d/a", "5 d", "5 d/a"],
  ];
  assert.deepEqual(await seen(events, expected.length), expected);
  assert.deepEqual(await seen(all, expected.length), expected);
});

Deno.test("C 26 without history, a change has no version", async () => {
  await using server = await TestServer.start({ settings: { history: undefined } });
  const one = await server.as(1);
  await using events = await one.events();
  await one.mkdir("d");
  assert.ok(!("version" in JSON.parse((await events.next())?.data ?? "")));
});
