import * as assert from "node:assert/strict";
import * as v from "valibot";
import { jsonBody, jsonBytes } from "../../routes/body.ts";

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
