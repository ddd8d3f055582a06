import * as assert from "node:assert/strict";
import type { BlobStore } from "../../core/blob_store.ts";
import { items, refused } from "../support/client.ts";
import { seed } from "../support/seed.ts";
import { until } from "../support/until.ts";
import { IN_FILES } from "../support/engines.ts";
import { TestServer } from "../support/server.ts";

/** Content goes with its last record, not when history gives it up. */
const WITHOUT_HISTORY = { settings: { history: 0 } };

Deno.test("DELETE /resources/", async (t) => {
  await using server = await TestServer.start(WITHOUT_HISTORY);
  const one = await server.as(1);
  const two = await server.as(2);
  await one.upload("a/b", { "x": "1", "y": "2" });
  await one.upload("a", { "z": "3" });
  await one.upload("a-b", { "w": "4" });
  await one.upload("kept", { "same": "1" });
  await two.upload("a/b", { "x": "theirs" });
  const paths = async () => await one.tree();
  const all = await paths();

  await t.step("RS 4.6.1 refuses missing and blank paths", async () => {
    for (const query of [{}, { path: "" }, { path: " " }, { "paths[]": ["", " "] }]) {
      refused(await one.remove(query), 400, "ErrResourcesInvalidRequest");
    }
  });
  await t.step("RS 4.6.1 refuses an invalid path", async () => {
    for (const path of ["/a", "a/../kept", "..", "a|b"]) {
      refused(await one.remove({ "paths[]": ["a", path] }), 400, "ErrResourcesInvalidRequest");
    }
  });
  await t.step("RS 4.6.2 deletes nothing if one path has no record", async () => {
    const message = refused(
      await one.remove({ "paths[]": ["a/b/x", "nothing"] }),
      404,
      "ErrResourcesNotFound",
    );
    assert.match(message, /"nothing"/);
  });
  await t.step("RS 1.3 does not find records of other users", async () => {
    await two.upload("private", { "p": "p" });
    refused(await one.remove({ path: "private" }), 404, "ErrResourcesNotFound");
  });
  await t.step("C 5.5 the refusals changed nothing", async () => {
    assert.deepEqual(await paths(), all);
  });
  await t.step(
    "RS 4.6.3 and 4.6.5 removes each descendant once and lists them sorted",
    async () => {
      await using events = await one.events();
      const before = await server.storedHashes();
      const reply = await one.remove({ path: "a/b/x", "paths[]": ["a", "a/b", "a-b", " a\\b "] });
      const expected = ["a", "a-b", "a-b/w", "a/b", "a/b/x", "a/b/y", "a/z"];
      assert.deepEqual(items(reply).map(({ path }) => path), expected);
      assert.deepEqual(await events.take(7), expected.map((path) => `deleted ${path}`));
      assert.deepEqual(await paths(), ["kept", "kept/same"]);
      // RS 4.6.4: no other record refers to three of the four contents.
      assert.equal((await server.storedHashes()).length, before.length - 3);
    },
  );
  await t.step("RS 4.6.4 content stays while a record refers to it", async () => {
    assert.deepEqual(new TextDecoder().decode(await one.bytes({ path: "kept/same" })), "1");
    assert.deepEqual(new TextDecoder().decode(await two.bytes({ path: "a/b/x" })), "theirs");
  });
  await t.step("RS 4.6.3 deletes an empty directory", async () => {
    await one.mkdir("empty");
    assert.equal(items(await one.remove({ path: "empty" })).length, 1);
  });
  await t.step("C 5.4 deleting the last record removes its content and empty folders", async () => {
    await one.remove({ path: "kept" });
    await two.remove({ "paths[]": ["a", "private"] });
    assert.deepEqual(await server.storedHashes(), []);
    if (!IN_FILES) return;
    assert.deepEqual(await Array.fromAsync(Deno.readDir(`${server.dataDir}/blobs`)), []);
  });
});

Deno.test("DELETE /resources/ by an administrator", async (t) => {
  await using server = await TestServer.start();
  await seed(server.tree.records, [
    { path: "d/", userId: 1, updatedAt: 1000 },
    { path: "d/one", userId: 1 },
    { path: "d/", userId: 2, updatedAt: 2000 },
    { path: "d/two", userId: 2 },
    { path: "own", userId: 9, updatedAt: 1 },
    { path: "own", userId: 2, updatedAt: 2000 },
  ]);
  const admin = await server.admin(9);
  const owners = (reply: Parameters<typeof items>[0]) =>
    items(reply).map(({ path, user_id }) => `${path} ${user_id}`);

  await t.step("RS 1.4 prefers the caller's own record", async () => {
    assert.deepEqual(owners(await admin.remove({ path: "own" })), ["own 9"]);
    assert.deepEqual(owners(await admin.remove({ path: "own" })), ["own 2"]);
  });
  await t.step(
    "RS 1.4 and 4.6.3 take the latest record and only its owner's descendants",
    async () => {
      await using events = await (await server.as(2)).events();
      assert.deepEqual(owners(await admin.remove({ path: "d" })), ["d 2", "d/two 2"]);
      assert.deepEqual(await events.take(2), ["deleted d", "deleted d/two"]);
      assert.deepEqual(owners(await admin.remove({ path: "d" })), ["d 1", "d/one 1"]);
    },
  );
});

Deno.test("RS 4.6.3 deletes a subtree of thousands completely and keeps its siblings", async () => {
  await using server = await TestServer.start();
  const files = Array.from({ length: 3456 }, (_, index) => `big/${index % 7}/${index}`);
  const directories = Array.from({ length: 7 }, (_, index) => `big/${index}/`);
  await seed(server.tree.records, ["big/", ...directories, ...files]);
  await seed(server.tree.records, ["big!", "big-", "big0", "bigger"]);
  const one = await server.as(1);
  const removed = items(await one.remove({ path: "big" })).map(({ path }) => path);
  assert.equal(removed.length, 3464);
  assert.deepEqual(removed, removed.toSorted());
  assert.deepEqual(await one.tree(), ["big!", "big-", "big0", "bigger"]);
});

Deno.test("RS 4.6.5 orders records of several owners at one path by age", async () => {
  await using server = await TestServer.start();
  await seed(server.tree.records, [
    { path: "t/", userId: 2, createdAt: 9 },
    { path: "t/x", userId: 2, createdAt: 8, content: "2" },
    { path: "t/", userId: 3, createdAt: 5 },
    { path: "t/x/", userId: 3, createdAt: 5, updatedAt: 9000 },
  ]);
  const admin = await server.admin();
  // `t` resolves to the record of user 2, `t/x` to that of user 3.
  const gone = items(await admin.remove({ "paths[]": ["t", "t/x"] }));
  assert.deepEqual(gone.map(({ path, user_id }) => [path, user_id]), [
    ["t", 2],
    ["t/x", 3],
    ["t/x", 2],
  ]);
});

Deno.test("C 5.4 content is removed after the reply, which so does not tell who else has it", async () => {
  const removed: { hashes: readonly string[]; replied: boolean }[] = [];
  let replied = false;
  await using server = await TestServer.start({
    ...WITHOUT_HISTORY,
    wrap: (tree) => ({
      ...tree,
      blobs: new Proxy(tree.blobs, {
        get(blobs, name) {
          if (name !== "remove") {
            const value: unknown = Reflect.get(blobs, name);
            return typeof value === "function" ? value.bind(blobs) : value;
          }
          return (...[hashes, transaction]: Parameters<BlobStore["remove"]>) => {
            removed.push({ hashes, replied });
            return blobs.remove(hashes, transaction);
          };
        },
        set: (blobs, name, value) => Reflect.set(blobs, name, value),
      }),
    }),
  });
  const one = await server.as(1);
  await one.upload("", { a: "mine", b: "ours" });
  await (await server.as(2)).upload("", { b: "ours" });
  assert.equal((await server.storedHashes()).length, 2);
  assert.equal((await one.remove({ "paths[]": ["a", "b"] })).status, 200);
  replied = true;
  await until(() => removed.length > 0);
  assert.equal((await server.storedHashes()).length, 1);
  assert.deepEqual(removed.map(({ hashes, replied }) => [hashes.length, replied]), [[1, true]]);
});

Deno.test("POST /resources/delete takes paths in a body, more than an address has room for", async () => {
  await using server = await TestServer.start();
  const client = await server.as(1);
  const long = "a long name ".repeat(15);
  const names = Array.from({ length: 1000 }, (_, index) => `${long}${index}.txt`);
  await client.upload("many", Object.fromEntries(names.map((name) => [name, ""])));
  const paths = names.map((name) => `many/${name}`);
  const remove = (paths: unknown) => client.json("POST", "/resources/delete", { paths });
  refused(await remove([...paths.slice(1), "missing"]), 404, "ErrResourcesNotFound");
  refused(await remove([...paths, "many"]), 400, "ErrResourcesInvalidRequest");
  for (const none of [[], [" "], "many", undefined]) {
    refused(await remove(none), 400, "ErrResourcesInvalidRequest");
  }
  const viewer = await server.as(1, "resources.view");
  refused(await viewer.json("POST", "/resources/delete", { paths }), 403, "ErrNotPermitted");
  assert.equal(items(await remove(paths)).length, 1000);
  assert.deepEqual(await client.tree(), ["many"]);
});
