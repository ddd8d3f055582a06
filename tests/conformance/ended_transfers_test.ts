import * as assert from "node:assert/strict";
import * as v from "valibot";
import { Client, dataOf } from "../support/client.ts";
import { TestConsole } from "../support/console.ts";
import { breaksOff } from "../support/ended_transfers.ts";
import { S3Client } from "../support/s3_client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";

const LARGE_BYTES = 64 * 2 ** 20;

/** A server with a large file of user 7, who is a person. */
async function startServer() {
  // No comment that keeps a stream alive is an occasion to end it.
  const server = await TestServer.start({ app: { eventOptions: { heartbeatMs: 2 ** 30 } } });
  const admin = await server.admin();
  dataOf(await admin.json("POST", "/users/", { name: "ana", number: 7 }));
  const ana = await server.as(7);
  assert.equal((await ana.put("d/large", new Uint8Array(LARGE_BYTES))).status, 201);
  const disable = async () => dataOf(await admin.json("PATCH", "/users/ana", { disabled: true }));
  return { server, ana, disable };
}

Deno.test("C 27 a ZIP ends while it runs when its credential is revoked", async () => {
  const { server } = await startServer();
  await using _ = server;
  const claims = { userId: 7, privileges: USER_PRIVILEGES, jti: "lost" };
  const lost = new Client(server.url, await mintToken(claims));
  const admin = await server.admin();
  const response = await lost.download({ path: "d", compression: "store" });
  await breaksOff(response, LARGE_BYTES, () => admin.send("DELETE", "/tokens/lost"));
});

Deno.test("C 27 a download by a link ends with the credential that made the link", async () => {
  const { server, ana, disable } = await startServer();
  await using _ = server;
  const link = dataOf(await ana.json("POST", "/links/", { path: "d/large", expires_in: "1h" }));
  const { url } = v.parse(v.object({ url: v.string() }), link);
  await breaksOff(await fetch(url), LARGE_BYTES, disable);
});

Deno.test("C 27 a download of the console ends when its session is ended in another browser", async () => {
  const { server } = await startServer();
  await using _ = server;
  const credential = await mintToken({ userId: 7, privileges: USER_PRIVILEGES });
  const signIn = async () => {
    const browser = new TestConsole(server);
    browser.session = (await browser.ask("POST", "/session", { credential })).name;
    return browser;
  };
  const [one, other] = [await signIn(), await signIn()];
  const response = await fetch(`${server.origin}/console/api/resources/download?path=d/large`, {
    headers: { Cookie: one.cookie },
  });
  await breaksOff(response, LARGE_BYTES, () => other.ask("DELETE", `/sessions/${one.session}`));
  assert.deepEqual([await one.isSignedIn(), await other.isSignedIn()], [false, true]);
});

Deno.test("C 27, C 30 a download by a presigned address ends when its person is disabled", async () => {
  const { server, disable } = await startServer();
  await using _ = server;
  const ana = await S3Client.of(server, { userId: 7 });
  const { path, query } = ana.presign({ method: "GET", path: "/s3/own/d/large" });
  await breaksOff(await fetch(`${server.origin}${path}?${query}`), LARGE_BYTES, disable);
});

Deno.test("C 27 a stream of events ends, without an event, when its person is disabled", async () => {
  const { server, ana, disable } = await startServer();
  await using _ = server;
  const response = await ana.fetch("/events/");
  const reader = response.body?.getReader();
  assert.ok(reader);
  await reader.read();
  await disable();
  assert.equal((await reader.read()).done, true);
});

Deno.test("C 27 an upload ends while it runs when its person is disabled, and stores nothing", async () => {
  const { server, ana, disable } = await startServer();
  await using _ = server;
  const sent = Promise.withResolvers<void>();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(2 ** 16)),
    pull: () => sent.resolve(),
  }, { highWaterMark: 1 });
  const reply = ana.fetch("/files/new", { method: "PUT", body });
  await sent.promise;
  await disable();
  const response = await reply;
  assert.deepEqual([response.status, (await response.json()).code], [401, "ErrAuthRequired"]);
  assert.deepEqual(await (await server.admin()).inTree(7).tree(), ["d", "d/large"]);
});
