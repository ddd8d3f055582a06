import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { HashedFile } from "../../../cli/transfer/hashed_file.ts";
import { noise } from "../../support/random.ts";
import { TempDir } from "../../support/temp_dir.ts";

const SIZE = 1_000_000;

Deno.test("C 25 a part of a file is sent with its length, and each byte is hashed once", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/file`;
  const bytes = noise(SIZE);
  await Deno.writeFile(path, bytes);
  const received: { length: string | null; content: Uint8Array }[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const length = request.headers.get("Content-Length");
      received.push({ length, content: await request.bytes() });
      return new Response();
    },
  );
  const file = new HashedFile(path);
  await file.advance(300_000);
  let passed = 0;
  // The second one sends again what was lost of the first one.
  for (const start of [300_000, 500_000]) {
    using part = await file.part(start, SIZE - 10, (count) => {
      passed += count;
      return Promise.resolve();
    });
    const url = `http://127.0.0.1:${server.addr.port}/`;
    await (await fetch(url, { method: "PATCH", body: part.body })).body?.cancel();
    assert.equal(part.failure, undefined);
    const { length, content } = received.at(-1) ?? {};
    assert.equal(length, String(SIZE - 10 - start));
    assert.deepEqual(content, bytes.subarray(start, SIZE - 10));
  }
  assert.equal(passed, 2 * SIZE - 20 - 800_000);
  assert.deepEqual(await file.read(SIZE - 10, SIZE), bytes.subarray(SIZE - 10));
  assert.equal(file.digest(), createHash("sha256").update(bytes).digest("hex"));
});

Deno.test("C 25 a file that becomes shorter while it is sent is said to", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/file`;
  await Deno.writeFile(path, noise(1000));
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      await request.bytes().catch(() => {});
      return new Response();
    },
  );
  using part = await new HashedFile(path).part(0, 2000, () => Promise.resolve());
  const url = `http://127.0.0.1:${server.addr.port}/`;
  await assert.rejects(fetch(url, { method: "PATCH", body: part.body }));
  assert.match(String(part.failure), /It has become shorter meanwhile/);
});

Deno.test("C 25 a request that breaks is no failure of the file", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/file`;
  await Deno.writeFile(path, noise(SIZE));
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const breaking = (async () => {
    using connection = await listener.accept();
    await connection.read(new Uint8Array(1000));
  })();
  const waiting = Promise.withResolvers<void>();
  using part = await new HashedFile(path).part(0, SIZE, () => waiting.promise);
  const url = `http://127.0.0.1:${listener.addr.port}/`;
  await assert.rejects(fetch(url, { method: "PATCH", body: part.body }));
  await breaking;
  // The stream is read on after its reader is gone.
  waiting.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(part.failure, undefined);
});
