import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { HISTORY_ROW_BYTES } from "../../core/history.ts";
import { type Client, refused } from "../support/client.ts";
import { IS_SHARED } from "../support/engines.ts";
import { TestServer } from "../support/server.ts";
import { storedHashes } from "../support/stored_content.ts";
import { openDatabase } from "../support/test_database.ts";
import { until } from "../support/until.ts";

const HISTORY = { settings: { history: 86_400_000 } };
const md5 = (content: string) => createHash("md5").update(content).digest("hex");
const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

async function read(client: Client, path: string, query: Record<string, string>) {
  const reply = await client.send("GET", path, { query });
  assert.equal(reply.status, 200, reply.text);
  return reply;
}

async function pathsAt(client: Client, at: string, query: Record<string, string> = {}) {
  const reply = await read(client, "/resources/", { recursive: "true", at, ...query });
  assert.equal(reply.headers.get("X-Version"), at);
  return JSON.parse(reply.text).data.items.map(({ path }: { path: string }) => path).sort();
}

Deno.test("C 26 a tree reads as it was, through each route that takes at", async (t) => {
  await using server = await TestServer.start(HISTORY);
  const one = await server.as(1);
  await one.put("d/a", "first");
  await one.put("d/a", "second");
  await one.put("d/b", "b");
  await one.move({ source: "d", destination: "e" });
  await one.remove({ path: "e/b" });

  await t.step("C 26 listings, with the version in the reply", async () => {
    assert.deepEqual(await pathsAt(one, "0"), []);
    assert.deepEqual(await pathsAt(one, "1"), ["d", "d/a"]);
    assert.deepEqual(await pathsAt(one, "3"), ["d", "d/a", "d/b"]);
    assert.deepEqual(await pathsAt(one, "4"), ["e", "e/a", "e/b"]);
    assert.deepEqual(await pathsAt(one, "5"), ["e", "e/a"]);
    assert.deepEqual(await pathsAt(one, "3", { path: "d" }), ["d", "d/a", "d/b"]);
    assert.equal(
      (await one.send("GET", "/resources/", { query: {} })).headers.get("X-Version"),
      null,
    );
  });

  await t.step("C 26 files and ranges", async () => {
    for (const [at, content] of [["1", "first"], ["2", "second"]] as const) {
      assert.equal((await read(one, "/files/d/a", { at })).text, content);
      assert.equal((await read(one, "/resources/download", { path: "d/a", at })).text, content);
      const head = await one.send("HEAD", "/files/d/a", { query: { at } });
      assert.equal(head.headers.get("ETag"), `"${md5(content)}"`);
      const ranged = await one.send("GET", "/files/d/a", {
        query: { at },
        headers: { Range: "bytes=1-2" },
      });
      assert.equal(ranged.text, content.slice(1, 3));
    }
    refused(
      await one.send("GET", "/files/d/a", { query: { at: "4" } }),
      404,
      "ErrResourcesNotFound",
    );
  });

  await t.step("C 26 records, checksums and archives", async () => {
    const stat = JSON.parse((await read(one, "/resources/stat", { path: "d/a", at: "1" })).text);
    assert.equal(stat.data.sha256, sha256("first"));
    assert.equal(
      (await read(one, "/resources/checksums", { path: "d", at: "3" })).text,
      `${sha256("second")}  a\n${sha256("b")}  b\n`,
    );
    const zip = await read(one, "/resources/download", {
      path: "d",
      at: "3",
      compression: "store",
    });
    assert.ok(zip.text.includes("second"));
    assert.equal(zip.headers.get("X-Version"), "3");
  });

  await t.step("C 26 the version at a time", async () => {
    const at = new Date(Date.now() + 60_000).toISOString();
    const reply = await read(one, "/resources/", { recursive: "true", at });
    assert.equal(reply.headers.get("X-Version"), "5");
    const before = await read(one, "/resources/", { at: "2020-01-01T00:00:00Z" });
    assert.equal(before.headers.get("X-Version"), "0");
  });

  await t.step("C 26 what is not kept, or is no version, is refused", async () => {
    const get = (at: string) => one.send("GET", "/resources/", { query: { at } });
    refused(await get("6"), 404, "ErrVersionsNotFound");
    refused(await get("yesterday"), 404, "ErrVersionsNotFound");
    refused(await get(""), 400, "ErrResourcesInvalidRequest");
    const two = await server.as(2);
    refused(
      await two.send("GET", "/resources/", { query: { at: "1", tree: "1" } }),
      403,
      "ErrNotPermitted",
    );
    refused(
      await two.send("GET", "/resources/", { query: { at: "1" } }),
      404,
      "ErrVersionsNotFound",
    );
  });
});

Deno.test("C 26 without history, there is none to read", async () => {
  await using server = await TestServer.start({ settings: { history: 0 } });
  const one = await server.as(1);
  await one.put("a", "a");
  for (const at of ["0", "1"]) {
    refused(
      await one.send("GET", "/resources/", { query: { at } }),
      404,
      "ErrVersionsNotFound",
    );
  }
});

Deno.test("C 26 content stays while a version has it, and goes when that is given up", async () => {
  await using server = await TestServer.start(HISTORY);
  const { dataDir } = server;
  const one = await server.as(1);
  const large = "l".repeat(100_000);
  await one.put("small", "small");
  await one.put("large", large);
  await one.remove({ path: "small" });
  await one.remove({ path: "large" });
  await server.tree.sweeper.finish();
  assert.equal((await read(one, "/files/large", { at: "2" })).text, large);
  assert.equal((await read(one, "/files/small", { at: "2" })).text, "small");

  await using database = await openDatabase(dataDir);
  const bytes = async () =>
    Number((await database.get("SELECT history_bytes FROM tree_versions"))?.history_bytes);
  // Two rows count besides what they keep.
  const kept = 100_005 + 2 * HISTORY_ROW_BYTES;
  assert.equal(await bytes(), kept);
  const usage = JSON.parse((await read(one, "/usage/", {})).text).data;
  assert.deepEqual([usage.bytes, usage.history_bytes], [0, kept]);
  const { history } = server.tree.records;
  assert.ok(history);
  const bounds = { before: Date.now() + 60_000, maxBytes: Infinity };
  for (let done = false; !done;) {
    const step = await history.giveUp(bounds);
    server.tree.sweeper.add(step.hashes);
    done = step.done;
  }
  assert.equal(await bytes(), 0);
  refused(
    await one.send("GET", "/files/large", { query: { at: "2" } }),
    404,
    "ErrVersionsNotFound",
  );
  if (!IS_SHARED) await server.tree.sweeper.finish();
  await until(async () => {
    const stored = await storedHashes(dataDir);
    return !stored.includes(md5(large)) && !stored.includes(md5("small"));
  });
});

Deno.test("C 26 a tree keeps at most so many bytes of history", async () => {
  await using server = await TestServer.start(HISTORY);
  const one = await server.as(1);
  for (let index = 0; index < 30; index++) await one.put("f", `content ${index}`);
  const { history } = server.tree.records;
  assert.ok(history);
  const maxBytes = 12 * HISTORY_ROW_BYTES;
  for (let done = false; !done;) {
    ({ done } = await history.giveUp({ before: 0, maxBytes }));
  }
  await using database = await openDatabase(server.dataDir);
  const row = await database.get("SELECT oldest, history_bytes FROM tree_versions");
  assert.ok(Number(row?.history_bytes) <= maxBytes && Number(row?.history_bytes) > 0);
  const at = String(row?.oldest);
  assert.equal(
    (await read(one, "/files/f", { at })).text,
    `content ${Number(at) - 1}`,
  );
});
