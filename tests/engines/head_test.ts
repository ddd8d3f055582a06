import * as assert from "node:assert/strict";
import { FaultyProxy } from "../support/faulty_proxy.ts";
import { S3Engine } from "../support/s3.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const SIZE = 200_000;

Deno.test({
  name: "C 31 HEAD and 304 of a large file ask the store once at most",
  ignore: !S3Engine.isInstalled,
}, async (t) => {
  await using store = await S3Engine.start();
  await using proxy = new FaultyProxy(store.port);
  await using directory = await TempDir.make();
  const content = store.content(store.contentUrl("room", proxy.endpoint));
  const start = () => TestServer.start({ dataDir: directory.path, content });
  /** Requests for what the server has stored, but for its probe. */
  const asked = () => proxy.requests.filter(({ target }) => !target.endsWith("/probe"));
  const promise = async (server: TestServer) => {
    const client = await server.as(1);
    const head = await client.fetch("/files/large", { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("Content-Length")], [200, String(SIZE)]);
    const { headers } = head;
    for (const path of ["/files/large", "/resources/download?path=large"]) {
      const unchanged = await client.fetch(path, {
        headers: { "If-None-Match": headers.get("ETag") ?? "" },
      });
      assert.equal(unchanged.status, 304);
      assert.equal((await client.fetch(path, { method: "HEAD" })).status, 200);
    }
  };
  await t.step("none of the server that has stored it", async () => {
    await using server = await start();
    const client = await server.as(1);
    assert.equal((await client.put("large", "x".repeat(SIZE))).status, 201);
    proxy.requests.length = 0;
    await promise(server);
    assert.deepEqual(asked(), []);
  });
  await t.step("one of another, for a byte", async () => {
    await using server = await start();
    proxy.requests.length = 0;
    await promise(server);
    assert.equal(asked().length, 1);
  });
});
