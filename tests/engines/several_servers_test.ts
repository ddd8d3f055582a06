import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { NewTokenEntry } from "../../schemas/tokens.ts";
import { TestAuthenticator } from "../support/authenticator.ts";
import { Client, dataOf, refused } from "../support/client.ts";
import { inviteTo, TestConsole } from "../support/console.ts";
import { HubClient, jsonOf } from "../support/hub.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { S3Engine } from "../support/s3.ts";
import { accessKeyOf, S3Client } from "../support/s3_client.ts";
import {
  mintToken,
  TestServer,
  type TestServerOptions,
  USER_PRIVILEGES,
} from "../support/server.ts";

const startedPostgres = sharedPostgres();

const PRIVILEGES = [...USER_PRIVILEGES, "scans.run", "scans.view"];

Deno.test({
  name: "servers that share a database and an object store",
  ignore: !Postgres.isInstalled || !S3Engine.isInstalled,
}, async (t) => {
  const postgres = startedPostgres();
  await using store = await S3Engine.start();
  const databaseUrl = await postgres.createDatabase();
  const content = store.content();
  const start = (options: TestServerOptions = {}) =>
    TestServer.start({ content, ...options, settings: { databaseUrl, ...options.settings } });
  await using one = await start();
  const here = await one.as(1, ...PRIVILEGES);

  await t.step("C 11 and C 23 changes at one server are seen at the other, in order", async () => {
    await using other = await start();
    const there = await other.as(1, ...PRIVILEGES);
    const admin = await other.admin();
    await using events = await there.events();
    await using all = await admin.events({ scope: "all" });
    await here.upload("a", { f: "1" });
    await there.mkdir("b");
    await here.remove({ path: "a" });
    await (await one.as(2)).mkdir("of-another");
    const expected = ["added a", "added a/f", "added b", "deleted a", "deleted a/f"];
    assert.deepEqual(await events.take(5), expected);
    assert.deepEqual((await all.take(6)).slice(0, 5), expected);
    // What is missed is replayed at either server, but an id of one stream means nothing in another.
    const [seen, seenOfAll] = [events.lastId, all.lastId];
    await there.mkdir("c");
    for (const client of [here, there]) {
      await using again = await client.events({ last_event_id: seen });
      assert.deepEqual(await again.take(1), ["added c"]);
      await using foreign = await client.events({ last_event_id: seenOfAll });
      assert.equal((await foreign.next())?.event, "reset");
    }
    await using againAll = await (await one.admin()).events({
      scope: "all",
      last_event_id: seenOfAll,
    });
    assert.deepEqual(await againAll.take(1), ["added c"]);
  });

  await t.step("C 11 and C 23 so are scans and verdicts", async () => {
    await using other = await start({ settings: { gate: "mark" } });
    const there = await other.as(1, ...PRIVILEGES);
    await using events = await here.events();
    await there.upload("", { "m.json": "{}" });
    const types = async (count: number) => {
      const taken = [];
      while (taken.length < count) taken.push((await events.next())?.event);
      return taken;
    };
    assert.deepEqual(await types(2), ["resource.added", "resource.verdict"]);
    const { status } = await there.json("POST", "/scans/?wait=60", { path: "m.json" });
    assert.ok(status === 200 || status === 202);
    const scan = [];
    do scan.push((await events.next())?.event); while (scan.at(-1) !== "scan.finished");
    assert.deepEqual(scan.slice(0, 2), ["scan.queued", "scan.started"]);
  });

  await t.step("C 27 who is disabled at one server is refused at the other at once", async () => {
    await using other = await start();
    const admin = await one.admin();
    dataOf(await admin.json("POST", "/users/", { name: "ana", number: 77, groups: ["members"] }));
    const [ana, there] = [await one.as(77), await other.as(77)];
    const key = await accessKeyOf(one, { userId: 77 });
    const browser = new TestConsole(one);
    await browser.accept(await inviteTo(admin, "ana"), new TestAuthenticator());
    const { token } = await browser.ask("POST", "/api/tokens/", {
      privileges: ["resources.view"],
      short: true,
    });
    const elsewhere = new TestConsole({ origin: other.origin });
    const session = async () => {
      // Each server names the cookie by its own address.
      const value = browser.cookie.slice(browser.cookie.indexOf("="));
      const url = createHash("sha256").update(other.origin).digest("hex").slice(0, 8);
      elsewhere.cookie = `strongroom_console_${url}${value}`;
      return (await elsewhere.send("GET", "/session")).status;
    };
    const statuses = async () => [
      (await ana.list()).status,
      (await there.list()).status,
      await session(),
      (await new Client(other.url, token).list()).status,
      (await new S3Client(other, key).request({ method: "GET", path: "/s3/own" })).status,
    ];
    assert.deepEqual(await statuses(), [200, 200, 200, 200, 200]);
    const stream = await there.fetch("/events/");
    const reader = stream.body?.getReader();
    await reader?.read();
    dataOf(await admin.json("PATCH", "/users/ana", { disabled: true }));
    // The reply has come when no server takes any of them.
    assert.deepEqual(await statuses(), [401, 401, 401, 401, 403]);
    assert.equal((await reader?.read())?.done, true);
    assert.deepEqual(await (await other.admin()).paths({ tree: "ana" }), []);
  });

  await t.step("C 22 and C 23 a revocation at one server ends streams at the other", async () => {
    await using other = await start();
    const holder = new Client(
      one.url,
      await mintToken({ userId: 1, privileges: PRIVILEGES, jti: "holder" }),
    );
    const minted = await holder.json("POST", "/tokens/", { privileges: ["resources.view"] });
    const { token, jti } = v.parse(NewTokenEntry, dataOf(minted));
    const narrow = new Client(other.url, token);
    await using events = await narrow.events();
    await here.mkdir("before");
    assert.deepEqual(await events.take(1), ["added before"]);
    assert.equal((await holder.send("DELETE", `/tokens/${jti}`)).status, 200);
    await here.mkdir("after");
    assert.equal(await events.next(), undefined);
    refused(await narrow.list(), 401, "ErrAuthRequired");
  });

  await t.step("C 20 and C 23 commit ids follow changes at other servers", async () => {
    await using other = await start();
    const there = await other.as(1, ...PRIVILEGES);
    const hub = new HubClient(other, there);
    const idOf = async () => {
      const info = jsonOf(await hub.send("GET", "/api/models/team/one"));
      assert.ok(typeof info === "object" && info !== null && "sha" in info);
      return info.sha;
    };
    await here.put("models/team/one/a", "aaa");
    const first = await idOf();
    await here.put("models/team/two/a", "aaa");
    assert.equal(await idOf(), first);
    const ids = new Set([first]);
    for (const content of ["bbb", "ccc"]) {
      await here.put("models/team/one/a", content);
      ids.add(await idOf());
    }
    await here.move({ source: "models/team/one/a", destination: "models/team/one/b" });
    ids.add(await idOf());
    assert.equal(ids.size, 4);
    await here.remove({ path: "models/team/one/b" });
    await here.put("models/team/one/a", "aaa");
    assert.equal(await idOf(), first);
  });

  await t.step("C 23 a stream goes on at another server when its own stops", async () => {
    const other = await start();
    const events = await (await other.as(1)).events();
    await here.mkdir("first");
    assert.deepEqual(await events.take(1), ["added first"]);
    await here.mkdir("second");
    await other[Symbol.asyncDispose]();
    const rest = await events.take(2);
    await here.mkdir("third");
    await using again = await here.events({ last_event_id: events.lastId });
    const missed = await again.take(2 - rest.length);
    assert.deepEqual([...rest, ...missed], ["added second", "added third"]);
  });
});
