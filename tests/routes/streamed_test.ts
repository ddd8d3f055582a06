import * as assert from "node:assert/strict";
import { Hono } from "hono";
import { type Chunk, ContentReader } from "../../core/content.ts";
import type { AppEnvironment } from "../../routes/environment.ts";
import type { Delivery } from "../../routes/environment.ts";
import { streamed } from "../../routes/streamed.ts";

/** Asks for the content by HTTP, and returns what became of it besides. */
async function ask(
  read: () => Promise<Chunk | undefined>,
  init: RequestInit & { stallMs?: number } = {},
) {
  const steps: string[] = [];
  const returned = Promise.withResolvers<void>();
  let delivery: Promise<Delivery> | undefined;
  const app = new Hono<AppEnvironment>();
  app.get("/", async (c) => {
    const content = new ContentReader(read, () => {
      steps.push("returned");
      returned.resolve();
    });
    const response = await streamed(c, content, {
      headers: { "X-Kind": "streamed" },
      onCancel: () => steps.push("cancelled"),
      ...(init.stallMs !== undefined && { stallMs: init.stallMs }),
    });
    delivery = c.get("delivery");
    return response;
  });
  app.onError((error, c) => c.text(`refused: ${error.message}`, 500));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, app.fetch);
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/`, init);
  return {
    response,
    steps,
    returned: returned.promise,
    delivery: () => delivery,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const chunk = (text: string): Chunk => new TextEncoder().encode(text);

Deno.test("RS 4.7.6 a stream that fails before its first byte is an error response", async () => {
  await using asked = await ask(() => Promise.reject(new Error("at once")));
  assert.equal(asked.response.status, 500);
  assert.equal(await asked.response.text(), "refused: at once");
  assert.deepEqual(asked.steps, ["returned"]);
});

Deno.test("RS 4.7.6 a stream that fails later breaks the connection off", async () => {
  const chunks = [chunk("first")];
  await using asked = await ask(() => {
    const next = chunks.shift();
    return next ? Promise.resolve(next) : Promise.reject(new Error("later"));
  });
  assert.equal(asked.response.status, 200);
  await assert.rejects(asked.response.text());
  const delivery = await asked.delivery();
  assert.equal(delivery?.complete, false);
  assert.match(String(delivery?.error), /later/);
  assert.deepEqual(asked.steps, ["returned"]);
});

Deno.test("C 9 a stream whose client goes away is cancelled, then returned", async () => {
  await using asked = await ask(() => Promise.resolve(new Uint8Array(65536)));
  const reader = asked.response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await asked.returned;
  assert.deepEqual(asked.steps, ["cancelled", "returned"]);
  assert.equal((await asked.delivery())?.complete, false);
});

Deno.test("C 11 a stream whose client takes nothing is given up", async () => {
  await using asked = await ask(() => Promise.resolve(new Uint8Array(65536)), { stallMs: 1 });
  // More than the sockets take in; nobody reads it.
  await asked.returned;
  assert.deepEqual(asked.steps, ["cancelled", "returned"]);
  assert.equal((await asked.delivery())?.complete, false);
  await asked.response.body?.cancel();
});

Deno.test("C 11 a stream that takes its time is not given up while the client takes it", async () => {
  const chunks = Array.from({ length: 5 }, () => chunk("piece"));
  const read = async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return chunks.shift();
  };
  await using asked = await ask(read, { stallMs: 5 });
  assert.equal(await asked.response.text(), "piece".repeat(5));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(asked.steps, ["returned"]);
  assert.equal((await asked.delivery())?.complete, true);
});

Deno.test("C 9 HEAD has the headers, and its content is returned unread", async () => {
  await using asked = await ask(() => Promise.resolve(chunk("endless")), { method: "HEAD" });
  assert.equal(asked.response.headers.get("X-Kind"), "streamed");
  assert.equal(await asked.response.text(), "");
  assert.deepEqual(asked.steps, ["returned"]);
});
