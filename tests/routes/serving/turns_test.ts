import * as assert from "node:assert/strict";
import { RetryLater } from "../../../core/errors.ts";
import { type Load, Turns } from "../../../routes/serving/turns.ts";
import { refused } from "../../support/client.ts";
import { fileHead, formBody } from "../../support/raw_http.ts";
import { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";

const NEVER = new AbortController().signal;

/** Takes turns until one is refused. */
async function takeAll(turns: Turns, load: Load, userId: number) {
  const taken: Disposable[] = [];
  for (;;) {
    try {
      taken.push(await turns.take(load, userId, NEVER));
    } catch (error) {
      assert.ok(error instanceof RetryLater);
      return { taken, refusal: error };
    }
  }
}

Deno.test("C 22 a user is served a quarter of what all are served at once", async () => {
  const turns = new Turns(1);
  for (
    const [load, max] of [["request", 64], ["transfer", 128], ["job", 1000], [
      "stream",
      2000,
    ]] as const
  ) {
    const users = [];
    for (const userId of [1, 2, 3, 4]) users.push(await takeAll(turns, load, userId));
    assert.deepEqual(users.map(({ taken }) => taken.length), Array(4).fill(max / 4));
    for (const { refusal } of users.slice(0, 3)) assert.equal(refusal.kind, "ErrTooManyRequests");
    const other = await takeAll(turns, load, 5);
    assert.deepEqual([other.taken, other.refusal.kind], [[], "ErrUnavailable"]);
    users[0]?.taken[0]?.[Symbol.dispose]();
    assert.equal((await takeAll(turns, load, 5)).taken.length, 1);
  }
});

Deno.test("C 22 a request waits for its turn, and others do not wait for it", async () => {
  const turns = new Turns();
  const held: Disposable[] = [];
  for (let count = 0; count < 32; count++) held.push(await turns.take("transfer", 1, NEVER));
  const waiting = turns.take("transfer", 1, NEVER);
  using _other = await turns.take("transfer", 2, NEVER);
  const gone = new AbortController();
  const leaving = turns.take("transfer", 1, gone.signal);
  gone.abort(new Error("gone"));
  await assert.rejects(leaving, /gone/);
  held[0]?.[Symbol.dispose]();
  using _turn = await waiting;
});

Deno.test("C 22 a request begins before most of those that another user sent earlier", async () => {
  const turns = new Turns();
  const begun: number[] = [];
  const begin = async (userId: number) => {
    using _turn = await turns.take("request", userId, NEVER);
    begun.push(userId);
  };
  await Promise.all([...Array.from({ length: 16 }, () => begin(1)), begin(2)]);
  assert.deepEqual(begun, [1, 1, 1, 1, 2, ...Array(12).fill(1)]);
});

Deno.test("C 22 uploads of one user that stall do not take those of others, or its lists", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const two = await server.as(2);
  const gone = new AbortController();
  const form = formBody([{ head: fileHead("f"), content: "content" }]).subarray(0, -20);
  const stalled = Array.from({ length: 32 }, () =>
    one.fetch("/resources/?dir=stalled", {
      method: "POST",
      headers: { "Content-Type": "multipart/form-data; boundary=boundary" },
      body: new ReadableStream({ start: (body) => body.enqueue(form) }),
      signal: gone.signal,
    }));
  const ended = Promise.allSettled(stalled);
  const admin = await server.admin();
  await until(async () => {
    const headers = { Authorization: `Bearer ${admin.token}` };
    const metrics = await (await fetch(`${server.origin}/metrics`, { headers })).text();
    return metrics.includes("strongroom_http_requests_in_flight 33\n");
  });
  let isAnswered = false;
  const waiting = one.upload("", { f: "content" }).finally(() => isAnswered = true);
  for (let count = 0; count < 5; count++) {
    assert.equal((await two.upload("", { [`f${count}`]: "content" })).status, 200);
    assert.equal((await one.list()).status, 200);
  }
  assert.equal(isAnswered, false);
  gone.abort();
  await ended;
  assert.equal((await waiting).status, 200);
});

Deno.test("C 22 streams of one user beyond a quarter are refused until others end", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const streams = [];
  for (let count = 0; count < 500; count++) streams.push(await one.events());
  const refusal = await one.send("GET", "/events/");
  assert.match(refused(refusal, 429, "ErrTooManyRequests"), /More than 500 streams of events/);
  assert.match(refusal.headers.get("Retry-After") ?? "", /^\d+$/);
  await using _others = await (await server.as(2)).events();
  await streams.pop()?.[Symbol.asyncDispose]();
  let again = await one.fetch("/events/");
  while (again.status === 429) {
    await again.body?.cancel();
    again = await one.fetch("/events/");
  }
  await again.body?.cancel();
  for (const stream of streams) await stream[Symbol.asyncDispose]();
});
