import * as assert from "node:assert/strict";
import { Hono } from "hono";
import { type Chunk, ContentReader } from "../../../core/content.ts";
import type { AppEnvironment } from "../../../routes/request/environment.ts";
import type { Delivery } from "../../../routes/request/environment.ts";
import { streamed } from "../../../routes/reply/streamed.ts";

interface StreamInit {
  readonly stallMs?: number;
  readonly length?: number;
}

/** Serves content over HTTP, and records what happens to its reader. */
function serveStream(read: () => Promise<Chunk | undefined>, init: StreamInit) {
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
      headers: {
        "X-Kind": "streamed",
        ...(init.length !== undefined && { "Content-Length": String(init.length) }),
      },
      onCancel: () => steps.push("canceled"),
      ...(init.stallMs !== undefined && { stallMs: init.stallMs }),
    });
    delivery = c.get("delivery");
    return response;
  });
  app.onError((error, c) => c.text(`refused: ${error.message}`, 500));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, app.fetch);
  return {
    addr: server.addr,
    steps,
    returned: returned.promise,
    delivery: () => delivery,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Requests content over HTTP. Returns the response, and what happened to the reader of the content. */
async function request(
  read: () => Promise<Chunk | undefined>,
  init: RequestInit & StreamInit = {},
) {
  const server = serveStream(read, init);
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/`, init);
  return { ...server, response };
}

const chunk = (text: string): Chunk => new TextEncoder().encode(text);

Deno.test("RS 4.7.6 a stream that fails before its first byte becomes an error response", async () => {
  await using result = await request(() => Promise.reject(new Error("at once")));
  assert.equal(result.response.status, 500);
  assert.equal(await result.response.text(), "refused: at once");
  assert.deepEqual(result.steps, ["returned"]);
});

Deno.test("C 9 small content in one chunk is sent without a stream", async () => {
  for (const [text, streams] of [["small", false], ["x".repeat(65_537), true]] as const) {
    const chunks = [chunk(text)];
    await using result = await request(() => Promise.resolve(chunks.shift()), {
      length: text.length,
    });
    assert.equal(await result.response.text(), text);
    assert.equal(result.delivery() !== undefined, streams);
    assert.deepEqual(result.steps, ["returned"]);
  }
});

Deno.test("a stream frees the memory of a chunk before it reads the one after the next", async () => {
  const sent = [1, 2, 3, 4].map((byte) => new Uint8Array(100_000).fill(byte));
  const shared = new Uint8Array(100_000);
  const chunks: Chunk[] = [...sent, shared.subarray(0, 5)];
  const kept: number[] = [];
  await using result = await request(() => {
    kept.push(sent.filter(({ buffer }) => !buffer.detached).length);
    return Promise.resolve(chunks.shift());
  });
  const body = await result.response.bytes();
  const bytes = [1, 2, 3, 4].flatMap((byte) => Array.from({ length: 100_000 }, () => byte));
  assert.deepEqual([...body], [...bytes, 0, 0, 0, 0, 0]);
  assert.deepEqual(kept, [4, 3, 2, 1, 0, 0]);
  assert.equal(shared.length, 100_000);
});

Deno.test("RS 4.7.6 a stream that fails later aborts the connection", async () => {
  const chunks = [chunk("first")];
  await using result = await request(() => {
    const next = chunks.shift();
    return next ? Promise.resolve(next) : Promise.reject(new Error("later"));
  });
  assert.equal(result.response.status, 200);
  await assert.rejects(result.response.text());
  const delivery = await result.delivery();
  assert.equal(delivery?.complete, false);
  assert.match(String(delivery?.error), /later/);
  assert.deepEqual(result.steps, ["returned"]);
});

Deno.test("C 9 a stream whose client disconnects is canceled, then its reader is returned", async () => {
  await using result = await request(() => Promise.resolve(new Uint8Array(65536)));
  const reader = result.response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await result.returned;
  assert.deepEqual(result.steps, ["canceled", "returned"]);
  assert.equal((await result.delivery())?.complete, false);
});

Deno.test("C 11 a stream whose client stalls is canceled", async () => {
  await using result = await request(() => Promise.resolve(new Uint8Array(65536)), { stallMs: 1 });
  // The content exceeds the buffers of the sockets, and the client does not read it.
  await result.returned;
  assert.deepEqual(result.steps, ["canceled", "returned"]);
  assert.equal((await result.delivery())?.complete, false);
  await result.response.body?.cancel();
});

Deno.test("C 11 a slow stream is not canceled while its client reads", async () => {
  const chunks = Array.from({ length: 5 }, () => chunk("piece"));
  const read = async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return chunks.shift();
  };
  await using result = await request(read, { stallMs: 5 });
  assert.equal(await result.response.text(), "piece".repeat(5));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(result.steps, ["returned"]);
  assert.equal((await result.delivery())?.complete, true);
});

Deno.test("C 22 a client that reads slowly all the time gets the whole content", async () => {
  const stallMs = 2000;
  // 20 KiB a second in the time of the rule, in which a window has 60 s.
  const bytesPerMs = 20 * 1.024 * 60_000 / stallMs;
  const size = 6 * 2 ** 20;
  let left = size / 2 ** 16;
  const server = serveStream(
    () => Promise.resolve(left-- > 0 ? new Uint8Array(2 ** 16) : undefined),
    { stallMs, length: size },
  );
  await using _server = server;
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
  await connection.write(chunk("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  const started = performance.now();
  let read = 0;
  for (const buffer = new Uint8Array(4096); read < size;) {
    const bytes = await connection.read(buffer);
    assert.ok(bytes !== null, `cut after ${read} bytes`);
    read += bytes;
    const early = read / bytesPerMs - (performance.now() - started);
    if (early > 10) await new Promise((resolve) => setTimeout(resolve, early));
  }
  assert.equal((await server.delivery())?.complete, true);
});

Deno.test("C 9 HEAD returns the headers, and does not read the content", async () => {
  await using result = await request(() => Promise.resolve(chunk("endless")), { method: "HEAD" });
  assert.equal(result.response.headers.get("X-Kind"), "streamed");
  assert.equal(await result.response.text(), "");
  assert.deepEqual(result.steps, ["returned"]);
});
