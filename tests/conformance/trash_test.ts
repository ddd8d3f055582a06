import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { historyOf } from "../../core/tree/tree_log.ts";
import { type TrashEntry, TrashList } from "../../schemas/history.ts";
import { type Client, type QueryParameters, refused, type Reply } from "../support/client.ts";
import { IS_SHARED } from "../support/engines.ts";
import { HubClient, hubRefused, jsonOf } from "../support/hub.ts";
import { TestServer } from "../support/server.ts";
import { storedHashes } from "../support/stored_content.ts";
import { until } from "../support/until.ts";

const HISTORY = { settings: { history: 86_400_000 } };
const md5 = (content: string) => createHash("md5").update(content).digest("hex");
const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

async function trash(client: Client, limit = "100"): Promise<TrashEntry[]> {
  const items: TrashEntry[] = [];
  let after: string | undefined;
  do {
    const reply = await client.send("GET", "/resources/trash", { query: { limit, after } });
    assert.equal(reply.status, 200, reply.text);
    const page = v.parse(TrashList, JSON.parse(reply.text).data);
    items.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return items;
}

const words = ({ version, path, files, size }: TrashEntry) => `${version} ${path} ${files} ${size}`;

function dropTrash(client: Client, query: QueryParameters = {}) {
  return client.send("DELETE", "/resources/trash", { query });
}

/** Resolves when the contents are no longer stored. */
async function gone(server: TestServer, ...contents: readonly string[]): Promise<void> {
  if (!IS_SHARED) await server.tree.sweeper.finish();
  await until(async () => {
    const stored = await storedHashes(server.dataDir);
    return contents.every((content) => !stored.includes(md5(content)));
  });
}

Deno.test("C 26 the trash has what was deleted as a whole", async (t) => {
  await using server = await TestServer.start(HISTORY);
  const one = await server.as(1);
  for (const path of ["d/a", "d/x/b", "d/x/c", "e", "f", "g/h", "i/h"]) await one.put(path, path);
  await one.remove({ path: "d" }); // 8
  await one.remove({ "paths[]": ["e", "f"] }); // 9
  await one.put("g/h", "replaced"); // 10
  await one.move({ source: "g/h", destination: "i/h", force: true }); // 11
  await one.move({ source: "i", destination: "g", force: true }); // 12
  await one.put("e2", "e"); // 13
  const all = ["9 e 1 1", "9 f 1 1", "8 d 3 13"];

  await t.step("C 26 an entry for each, newest first", async () => {
    for (const limit of ["1", "2", "100"]) {
      assert.deepEqual((await trash(one, limit)).map(words), all);
    }
    const [file, , directory] = await trash(one);
    assert.deepEqual([file?.is_dir, directory?.is_dir, file?.user_id], [false, true, 1]);
    assert.deepEqual(await trash(await server.as(2)), []);
  });

  await t.step("C 26 what is restored from it leaves it", async () => {
    for (const { path, version } of await trash(one)) {
      if (path === "f") continue;
      const body = { path, at: version - 1 };
      assert.equal((await one.json("POST", "/resources/restore", body)).status, 200);
    }
    assert.equal((await one.file("GET", "d/x/b")).text, "d/x/b");
    assert.deepEqual((await trash(one)).map(words), ["9 f 1 1"]);
    await one.remove({ path: "d/a" });
    assert.deepEqual((await trash(one)).map(({ path }) => path), ["d/a", "f", "d"]);
  });

  await t.step("C 26 it needs the privileges to view and to delete", async () => {
    const viewer = await server.as(1, "resources.view");
    refused(await dropTrash(viewer), 403, "ErrNotPermitted");
    const deleter = await server.as(1, "resources.delete");
    refused(await deleter.send("GET", "/resources/trash"), 403, "ErrNotPermitted");
    refused(await dropTrash(one, { path: "q" }), 404, "ErrResourcesNotFound");
  });
});

Deno.test("C 26 what was restored and deleted again is in the trash once", async (t) => {
  await using server = await TestServer.start(HISTORY);
  const one = await server.as(1);
  const list = async () => (await trash(one)).map(({ version, path }) => `${version} ${path}`);
  const restore = async (path: string, at: number) => {
    const reply = await one.json("POST", "/resources/restore", { path, at });
    assert.equal(reply.status, 200, reply.text);
  };
  await one.put("d/x/a", "a"); // 1
  await one.put("f", "f"); // 2
  await one.remove({ "paths[]": ["d", "f"] }); // 3
  await t.step("C 26 by its last deletion", async () => {
    await restore("d", 2); // 4
    await restore("f", 2); // 5
    assert.deepEqual(await list(), []);
    await one.remove({ "paths[]": ["d", "f"] }); // 6
    assert.deepEqual(await list(), ["6 d", "6 f"]);
  });

  await t.step("C 26 beside what was at its path with other content", async () => {
    await one.put("d/x/a", "b"); // 7
    await one.put("f", "g"); // 8
    await one.remove({ "paths[]": ["d", "f"] }); // 9
    assert.deepEqual(await list(), ["9 d", "9 f", "6 d", "6 f"]);
    await restore("d", 2); // 10
    await restore("f", 2); // 11
    assert.deepEqual(await list(), ["9 d", "9 f"]);
    await one.remove({ "paths[]": ["d", "f"] }); // 12
    assert.deepEqual(await list(), ["12 d", "12 f", "9 d", "9 f"]);
    for (const limit of ["1", "3"]) assert.equal((await trash(one, limit)).length, 4);
  });

  await t.step("C 26 in order, as before", async () => {
    await until(() => historyOf(server.tree).settle());
    assert.deepEqual(await list(), ["12 d", "12 f", "9 d", "9 f"]);
  });

  await t.step("C 26 all of it goes with what is given up", async () => {
    assert.equal((await dropTrash(one)).status, 200);
    await nothingReads(one, ["a", "b", "f", "g"], 12);
  });
});

for (const [kind, options] of [["few", {}], ["many", { maxDirectRecords: 2 }]] as const) {
  Deno.test(`C 26 nothing reads ${kind} files that were purged`, async (t) => {
    await using server = await TestServer.start({ ...HISTORY, ...options });
    const one = await server.as(1);
    const secret = `secret ${"s".repeat(100_000)}`;
    const older = "an older secret";
    await one.put("c/before", older); // 1
    await one.put("c/before", secret); // 2
    await one.move({ source: "c", destination: "d" }); // 3
    await one.move({ source: "d/before", destination: "d/secret" }); // 4
    await one.copy({ source: "d/secret", destination: "copy" }); // 5
    await one.remove({ path: "copy" }); // 6
    await one.put("d/x/other", "other"); // 7
    await one.put("kept", "kept"); // 8
    const { link } = await linkOf(one, "d/secret");

    await t.step("C 26 by a deletion with purge", async () => {
      const reply = await one.remove({ path: "d", purge: "true" }); // 9
      assert.equal(reply.status, 200, reply.text);
      await nothingReads(one, [secret, older, "other"], 9);
      assert.equal((await fetch(link)).status, 404);
      await gone(server, secret, older, "other");
      assert.equal((await one.file("GET", "kept")).text, "kept");
      assert.deepEqual((await trash(one)).map(words), []);
    });

    await t.step("C 26 by giving up the trash", async () => {
      await one.put("e/a", secret); // 10
      await one.put("f", older); // 11
      await one.put("living", "living"); // 12
      await one.put("same", "living"); // 13
      await one.remove({ "paths[]": ["e", "f", "same"] }); // 14
      assert.equal((await dropTrash(one, { path: "e" })).status, 200);
      assert.deepEqual((await trash(one)).map(({ path }) => path), ["f", "same"]);
      await gone(server, secret);
      assert.equal((await one.send("GET", "/files/f", { query: { at: "13" } })).text, older);
      assert.equal(JSON.parse((await dropTrash(one)).text).data.total, 2);
      await nothingReads(one, [secret, older], 14);
      await gone(server, older);
      assert.equal((await one.file("GET", "living")).text, "living");
      const usage = JSON.parse((await one.send("GET", "/usage/")).text).data;
      assert.equal(usage.history_bytes, 0);
    });
  });
}

Deno.test("C 26 what no deletion purges keeps its place in each version", async (t) => {
  await using server = await TestServer.start(HISTORY);
  const one = await server.as(1);
  const at = (version: number) => one.paths({ recursive: "true", at: String(version) });

  await t.step("C 26 a file that was deleted before its directory got another name", async () => {
    await one.put("a/b/f", "kept"); // 1
    await one.remove({ path: "a/b/f" }); // 2
    await one.put("a/b/g", "g"); // 3
    await one.move({ source: "a", destination: "c" }); // 4
    assert.equal((await one.remove({ path: "c", purge: "true" })).status, 200); // 5
    assert.deepEqual(await at(1), ["a", "a/b", "a/b/f"]);
    assert.deepEqual(await at(4), []);
    assert.deepEqual((await trash(one)).map(({ path }) => path), ["a/b/f"]);
    const restored = await one.json("POST", "/resources/restore", { path: "a", at: 1 }); // 6
    assert.equal(restored.status, 200, restored.text);
    assert.equal((await one.file("GET", "a/b/f")).text, "kept");
  });

  await t.step("C 26 a directory that was moved out of one", async () => {
    await one.mkdir("d/e/h"); // 7
    await one.move({ source: "d/e", destination: "e" }); // 8
    assert.equal((await one.remove({ path: "d", purge: "true" })).status, 200); // 9
    assert.deepEqual((await at(7)).filter((path) => !path.startsWith("a")), ["d", "d/e", "d/e/h"]);
  });
});

async function linkOf(client: Client, path: string): Promise<{ link: string }> {
  const reply = await client.json("POST", "/links/", { path, expires_in: "1h" });
  return { link: JSON.parse(reply.text).data.url };
}

/** No version of the tree has any of the contents, by any way to read it. */
async function nothingReads(
  client: Client,
  contents: readonly string[],
  last: number,
): Promise<void> {
  const hashes = contents.map(sha256);
  for (let version = 0; version <= last; version++) {
    const at = String(version);
    const sums = (await client.send("GET", "/resources/checksums", { query: { at } })).text;
    for (const hash of hashes) assert.ok(!sums.includes(hash), `version ${at}`);
    const listed = await client.send("GET", "/resources/", { query: { at, recursive: "true" } });
    for (const { path, is_dir: isDir } of JSON.parse(listed.text).data.items) {
      const read = await client.download({ path, at }, isDir ? {} : { Range: "bytes=0-6" });
      const text = await read.text();
      for (const content of contents) assert.ok(!text.includes(content.slice(0, 7)), path);
    }
  }
  const history = await client.send("GET", "/resources/history", { query: { limit: "1000" } });
  for (const hash of hashes) assert.ok(!history.text.includes(hash));
}

Deno.test("C 26 an administrator purges a content from all trees", async () => {
  await using server = await TestServer.start(HISTORY);
  const [one, two, admin] = [await server.as(1), await server.as(2), await server.admin()];
  const secret = `secret ${"s".repeat(100_000)}`;
  await one.put("a", secret);
  await one.move({ source: "a", destination: "b" });
  await two.put("c/d", secret);
  await two.put("c/d", "harmless");
  await two.put("e", secret);
  const body = { sha256: sha256(secret) };
  refused(await one.json("POST", "/resources/purge", body), 403, "ErrNotPermitted");
  const reply = await admin.json("POST", "/resources/purge", body);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(
    JSON.parse(reply.text).data.items.map(({ path }: { path: string }) => path),
    ["b", "e"],
  );
  await nothingReads(one, [secret], 3);
  await nothingReads(two, [secret], 4);
  await gone(server, secret);
  assert.equal((await two.file("GET", "c/d")).text, "harmless");
  refused(await admin.json("POST", "/resources/purge", body), 404, "ErrResourcesNotFound");
  refused(
    await admin.json("POST", "/resources/purge", { sha256: "x" }),
    400,
    "ErrResourcesInvalidRequest",
  );
});

Deno.test("C 26 no revision of the hub has what was purged", async () => {
  await using server = await TestServer.start(HISTORY);
  const one = await server.as(1);
  const hub = new HubClient(server, one);
  await one.put("models/team/one/secret.bin", "secret");
  await one.put("models/team/one/config.json", "{}");
  const sha = shaOf(await hub.send("GET", "/api/models/team/one"));
  const promised = await fetch(`${hub.url}/team/one/resolve/${sha}/secret.bin`, {
    headers: { Authorization: `Bearer ${one.token}` },
    redirect: "manual",
  });
  await promised.body?.cancel();
  const address = new URL(promised.headers.get("Location") ?? "", hub.url);
  await one.put("models/team/one/config.json", "{ }");
  const revision = () => hub.send("GET", `/api/models/team/one/revision/${sha}`);
  assert.equal(shaOf(await revision()), sha);
  assert.equal((await hub.send("GET", `/team/one/resolve/${sha}/secret.bin`)).text, "secret");
  assert.equal((await one.remove({ path: "models/team/one/secret.bin", purge: "1" })).status, 200);
  hubRefused(await revision(), 404, "RevisionNotFound");
  hubRefused(
    await hub.send("GET", `/team/one/resolve/${sha}/secret.bin`),
    404,
    "RevisionNotFound",
  );
  const kept = await fetch(address);
  await kept.body?.cancel();
  assert.equal(kept.status, 404);
});

function shaOf(reply: Reply): unknown {
  const info: unknown = jsonOf(reply);
  assert.ok(typeof info === "object" && info !== null && "sha" in info);
  return info.sha;
}
