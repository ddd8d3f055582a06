import * as assert from "node:assert/strict";
import * as v from "valibot";
import { joinChunks } from "../../../core/content.ts";
import { bodyContent, jsonBody, jsonBytes } from "../../../routes/request/body.ts";
import { rawRequest } from "../../support/raw_http.ts";

Deno.test("C 3 refuses a JSON body that stalls", async () => {
  let cancelled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"path":')),
    cancel() {
      cancelled = true;
    },
  });
  const request = new Request("http://localhost/", { method: "POST", body });
  await assert.rejects(jsonBody(request, v.unknown(), { withinMs: 1 }), {
    kind: "ErrResourcesInvalidRequest",
  });
  assert.equal(cancelled, true);
});

Deno.test("C 2 names the key that is wrong in a JSON body", async () => {
  const schema = v.object({ path: v.string(), list: v.array(v.string()) });
  const problemIn = async (body: unknown) => {
    const request = new Request("http://localhost/", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return await jsonBody(request, schema).then(String, (error: Error) => error.message);
  };
  assert.match(await problemIn({}), /path is missing$/);
  assert.match(await problemIn({ path: 1 }), /path must be string, not 1$/);
  const long = await problemIn({ path: "a", list: `\n${"x".repeat(100_000)}` });
  assert.match(long, /list must be Array, not "\\nx+…"$/);
  assert.ok(long.length < 400);
  assert.match(await problemIn({ path: "a", list: ["a", 1] }), /list\.1 must be string, not 1$/);
});

Deno.test("C 22 refuses a JSON body of more values than a request needs, before it is parsed", async () => {
  const schema = v.object({ paths: v.array(v.string()) });
  const problemIn = async (body: string) => {
    const headers = { "Content-Type": "application/json" };
    const request = new Request("http://localhost/", { method: "POST", headers, body });
    return await jsonBody(request, schema).then(() => "none", (error: Error) => error.message);
  };
  const paths = (count: number, path = '""') => `{"paths":[${Array(count).fill(path).join(",")}]}`;
  assert.equal(await problemIn(paths(40_000)), "none");
  assert.match(await problemIn(paths(60_000)), /it has more than 50000 values$/);
  assert.match(await problemIn(paths(30_000, "{}")), /it has more than 20000 objects$/);
  assert.match(await problemIn("[".repeat(101)), /it has more than 100 levels of nesting$/);
});

Deno.test("C 3 cancels a body that stalls, and says how long it waited", async () => {
  let cancelled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"issues":')),
    cancel() {
      cancelled = true;
    },
  });
  const request = new Request("http://localhost/", { method: "POST", body });
  await assert.rejects(jsonBytes(request, { maxBytes: 2 ** 20, stallMs: 1 }), {
    kind: "ErrResourcesInvalidRequest",
    message: /received 10 bytes in 0\.001 s/,
  });
  assert.equal(cancelled, true);
});

Deno.test("C 15 does not read a body beyond the size limit", async () => {
  let chunks = 0;
  let cancelled = false;
  const body = new ReadableStream({
    pull: (controller) => {
      chunks++;
      controller.enqueue(new Uint8Array(10));
    },
    cancel() {
      cancelled = true;
    },
  }, { highWaterMark: 0 });
  const request = new Request("http://localhost/", { method: "POST", body });
  await assert.rejects(jsonBytes(request, { maxBytes: 25 }), /larger than 25 bytes/);
  assert.deepEqual([chunks, cancelled], [3, true]);
});

Deno.test("C 6 reads bodies of a stated length whole, and short ones into little memory", async () => {
  const limits = { maxBytes: 2 ** 22, stallMs: 2000 };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const chunks = await Array.fromAsync(bodyContent(request, limits));
      const [first] = chunks;
      return Response.json({
        bytes: [...joinChunks(chunks)].filter((byte, index) => byte === index % 251).length,
        memory: first?.buffer.byteLength ?? 0,
      });
    },
  );
  const { hostname, port } = server.addr;
  for (const bytes of [0, 1, 1000, 1023, 1024, 1025, 10_000, 31_743, 31_744, 65_535, 65_537]) {
    const body = Uint8Array.from({ length: bytes }, (_, index) => index % 251);
    const address = `http://${hostname}:${port}`;
    const whole = await fetch(address, { method: "POST", body });
    const headers = { "Content-Length": String(bytes) };
    const request = { line: "POST /", headers, body, pieceBytes: 700 };
    const pieces = JSON.parse((await rawRequest(address, request)).body);
    for (const read of [await whole.json(), pieces]) {
      assert.equal(read.bytes, bytes);
      if (bytes <= 1025) assert.ok(read.memory <= 8192, `${read.memory} for ${bytes}`);
    }
  }
  await server.shutdown();
});

Deno.test("C 6 reads chunked bodies of any size and in any pieces", async () => {
  const limits = { maxBytes: 2 ** 22, stallMs: 2000 };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const isJson = request.url.endsWith("/json");
      const read = async () => (await jsonBytes(request, limits)).length;
      const stream = async () => {
        let length = 0;
        for await (const chunk of bodyContent(request, limits)) length += chunk.length;
        return length;
      };
      return new Response(
        await (isJson ? read() : stream()).then(String, (error) => error.message),
      );
    },
  );
  const send = async (path: string, bytes: number, pieceBytes: number) => {
    const headers = { "Transfer-Encoding": "chunked" };
    const body = new Uint8Array(bytes);
    const { hostname, port } = server.addr;
    const request = { line: `POST ${path}`, headers, body, pieceBytes };
    return (await rawRequest(`http://${hostname}:${port}`, request)).body;
  };
  // The memory that they are read into is nearly full when a chunk ends.
  for (const bytes of [4090, 4091, 4092, 4093, 4094, 4095, 4096, 8190, 8191, 8192]) {
    assert.equal(await send("/json", bytes, bytes), String(bytes));
    assert.equal(await send("/json", bytes + 100, bytes), String(bytes + 100));
  }
  for (const bytes of [65_532, 65_535, 65_536, 2 ** 20 - 1, 2 ** 20 + 1]) {
    assert.equal(await send("/content", bytes, bytes), String(bytes));
    assert.equal(await send("/content", bytes + 100, bytes), String(bytes + 100));
  }
  await server.shutdown();
});
