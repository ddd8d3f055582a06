import * as assert from "node:assert/strict";
import { Log } from "../../core/log.ts";
import { refused } from "../support/client.ts";
import { fileHead, formBody, joinBytes } from "../support/raw_http.ts";
import { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/** A form that stays open until `end` is called. Until then its file is in `tmp/`. */
function endlessForm() {
  const whole = formBody([{ head: fileHead("slow"), content: new Uint8Array(3_000_000) }]);
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(it) {
      controller = it;
      it.enqueue(whole.slice(0, -30));
    },
  });
  return {
    body,
    end() {
      controller?.enqueue(whole.slice(-30));
      controller?.close();
    },
  };
}

const FORM = { "Content-Type": "multipart/form-data; boundary=boundary" };

Deno.test("stop() lets an upload finish, ends event streams and refuses new requests", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await using events = await one.events();
  const form = endlessForm();
  const upload = one.send("POST", "/resources/", { body: form.body, headers: FORM });
  await until(async () => (await server.temporaryFiles()).length > 0);
  const stopping = server.server.stop();
  refused(await one.list(), 503, "ErrUnavailable");
  assert.equal(await events.next(), undefined);
  form.end();
  assert.equal((await upload).status, 200);
  assert.equal(await stopping, true);
  await assert.rejects(one.list());
  assert.equal((await server.storedHashes()).length, 1);
});

Deno.test("stop() lets a download finish", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const content = new Uint8Array(30_000_000).fill(7);
  await one.upload("", { large: content });
  const response = await one.download({ path: "large" });
  const reader = response.body?.getReader();
  await reader?.read();
  const stopping = server.server.stop();
  let size = 0;
  for (;;) {
    const { done, value } = await reader?.read() ?? { done: true };
    if (done) break;
    size += value?.length ?? 0;
  }
  assert.ok(size > 29_000_000);
  assert.equal(await stopping, true);
});

Deno.test("stop() aborts uploads after the grace period, and leaves nothing of them", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const form = endlessForm();
  const upload = one.send("POST", "/resources/", { body: form.body, headers: FORM });
  const outcome = upload.then(({ status }) => status, () => "aborted");
  await until(async () => (await server.temporaryFiles()).length === 1);
  assert.equal(await server.server.stop(20), false);
  assert.notEqual(await outcome, 200);
  await until(async () => (await server.temporaryFiles()).length === 0);
  assert.deepEqual(await server.storedHashes(), []);
});

Deno.test("stop() waits no longer than the grace period for a client that goes on with a refused upload", async () => {
  await using server = await TestServer.start();
  const { port } = server.server.address;
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = "POST /api/v1/resources/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n";
  await connection.write(joinBytes([head, "more"]));
  const reply = new Uint8Array(30);
  await connection.read(reply);
  assert.match(new TextDecoder().decode(reply), /^HTTP\/1\.1 401 /);
  assert.equal(await server.server.stop(20), true);
});

Deno.test("stop() resolves immediately if no request is in flight", async () => {
  await using server = await TestServer.start();
  assert.equal(await server.server.stop(), true);
});

Deno.test("C 9 a slow client does not delay the downloads of others", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("", { large: new Uint8Array(20_000_000), small: "small" });
  const slow = await one.download({ path: "large" });
  const reader = slow.body?.getReader();
  await reader?.read();
  for (let index = 0; index < 20; index++) {
    assert.deepEqual(await one.bytes({ path: "small" }), joinBytes(["small"]));
  }
  await reader?.cancel();
});

Deno.test("requests succeed if the log cannot be written", async () => {
  const log = new Log({
    level: "info",
    format: "json",
    write() {
      throw new Error("No space left on device");
    },
  });
  await using server = await TestServer.start({ app: { log } });
  const one = await server.as(1);
  for (let request = 0; request < 3; request++) assert.equal((await one.list()).status, 200);
  assert.equal(await server.server.stop(), true);
});
