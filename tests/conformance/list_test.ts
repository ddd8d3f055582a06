import * as assert from "node:assert/strict";
import { items, refused } from "../support/client.ts";
import { seed } from "../support/seed.ts";
import { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

Deno.test("GET /resources/ by an owner", async (t) => {
  await using server = await TestServer.start();
  await seed(server.tree.records, [
    { path: "a/", updatedAt: 5000 },
    { path: "a/b/", updatedAt: 4000 },
    "a/b/c/",
    "a/b/c/deep.txt",
    "a/b/x.txt",
    "a/b/y.txt",
    "a-b/",
    "a-b/z.txt",
    { path: "root.txt", updatedAt: 9000 },
    { path: "older.txt", updatedAt: 5000 },
    { path: "a/", userId: 2 },
    { path: "a/theirs.txt", userId: 2 },
    { path: "secret/", userId: 2 },
  ]);
  const one = await server.as(1);

  await t.step("RS 4.1.1 lists the root if all paths are missing or blank", async () => {
    for (const query of [{}, { path: "" }, { path: " \t" }, { "paths[]": ["", "  "] }]) {
      assert.deepEqual((await one.paths(query)).sort(), ["a", "a-b", "older.txt", "root.txt"]);
    }
  });
  await t.step("RS 4.1.1 merges path and paths[] and skips blank paths", async () => {
    const query = { path: "a-b", "paths[]": ["a/b/c", " ", "a-b"] };
    assert.deepEqual(await one.paths(query), [
      "a",
      "a-b",
      "a-b/z.txt",
      "a/b",
      "a/b/c",
      "a/b/c/deep.txt",
    ]);
  });
  await t.step("RS 4.1.2 lists everything if the root is listed recursively", async () => {
    for (const recursive of ["true", "1"]) {
      assert.equal((await one.paths({ recursive })).length, 10);
    }
    for (const recursive of ["false", "0", "TRUE", "yes", ""]) {
      assert.equal((await one.paths({ recursive })).length, 4, recursive);
    }
  });
  await t.step("RS 4.1.3 lists a directory and its direct children", async () => {
    assert.deepEqual(await one.paths({ path: "a" }), ["a", "a/b"]);
    assert.deepEqual(await one.paths({ path: "a-b" }), ["a-b", "a-b/z.txt"]);
  });
  await t.step("RS 4.1.3 lists a directory with all its descendants recursively", async () => {
    assert.deepEqual(await one.paths({ path: "a", recursive: "1" }), [
      "a",
      "a/b",
      "a/b/c",
      "a/b/c/deep.txt",
      "a/b/x.txt",
      "a/b/y.txt",
    ]);
  });
  await t.step("RS 4.1.4 refuses an invalid path", async () => {
    for (const path of ["/a", "a/../b", "a:b", "..", "."]) {
      refused(await one.list({ path }), 400, "ErrResourcesInvalidRequest");
      refused(await one.list({ "paths[]": ["a", path] }), 400, "ErrResourcesInvalidRequest");
    }
  });
  await t.step("RS 4.1.6 adds the directories above each path", async () => {
    assert.deepEqual(await one.paths({ path: "a/b/c" }), ["a", "a/b", "a/b/c", "a/b/c/deep.txt"]);
    assert.deepEqual(await one.paths({ path: "a/b/nothing/here" }), ["a", "a/b"]);
  });
  await t.step("RS 4.1.7 orders the root by its times, then by name, then by id", async () => {
    assert.deepEqual(await one.paths(), ["root.txt", "a", "older.txt", "a-b"]);
    await seed(server.tree.records, [
      ...["b", "a"].map((path) => ({ path, userId: 5, updatedAt: 9e12 })),
      { path: "a", userId: 4, updatedAt: 9e12 },
    ]);
    const latest = items(await (await server.admin()).list()).slice(0, 3);
    assert.deepEqual(latest.map(({ path, user_id }) => [path, user_id]), [
      ["a", 5],
      ["a", 4],
      ["b", 5],
    ]);
  });
  await t.step("RS 4.1.7 and C 4 order paths by the bytes of their UTF-8", async () => {
    await seed(server.tree.records, [
      { path: "order/", userId: 3 },
      ...["\u{1F600}", "\uFF5E", "z", "é", "Z", "a b", "a!", "a"].map((name) => ({
        path: `order/${name}`,
        userId: 3,
      })),
    ]);
    const names = (await (await server.as(3)).paths({ path: "order" })).map((path) =>
      path.slice("order/".length)
    );
    assert.deepEqual(names.slice(1), ["Z", "a", "a b", "a!", "z", "é", "\uFF5E", "\u{1F600}"]);
  });
  await t.step("RS 4.1.8 counts the items", async () => {
    assert.equal(items(await one.list({ path: "a/b" })).length, 5);
    assert.equal((await one.list({ path: "nothing" })).text.includes('"total":0'), true);
  });
  await t.step("RS 1.3 shows only the caller's records", async () => {
    assert.deepEqual(await one.paths({ path: "secret" }), []);
    assert.equal((await one.paths({ path: "a", recursive: "1" })).includes("a/theirs.txt"), false);
  });
  await t.step("C 8 shows a file that is the listed path only if recursive", async () => {
    assert.deepEqual(await one.paths({ path: "a/b/x.txt" }), ["a", "a/b"]);
    assert.deepEqual(await one.paths({ path: "a/b/x.txt", recursive: "1" }), [
      "a",
      "a/b",
      "a/b/x.txt",
    ]);
    assert.deepEqual(await one.paths({ path: "root.txt" }), []);
    assert.deepEqual(await one.paths({ path: "root.txt", recursive: "1" }), ["root.txt"]);
  });
  await t.step("C 8 shows an empty list for a missing path", async () => {
    assert.deepEqual(await one.paths({ path: "nothing" }), []);
    assert.deepEqual(await one.paths({ path: "nothing", recursive: "1" }), []);
  });
  await t.step("C 3 writes entries with wire names and times", async () => {
    const [entry] = items(await one.list({ path: "root.txt", recursive: "1" }));
    assert.deepEqual(entry, {
      id: 9,
      user_id: 1,
      name: "root.txt",
      path: "root.txt",
      size: 0,
      is_dir: false,
      created_at: "1970-01-01T00:00:01.000Z",
      updated_at: "1970-01-01T00:00:09.000Z",
    });
  });
});

Deno.test("GET /resources/ by an administrator", async (t) => {
  await using server = await TestServer.start();
  await seed(server.tree.records, [
    { path: "shared/", userId: 1, updatedAt: 1000 },
    { path: "shared/", userId: 2, updatedAt: 3000 },
    { path: "shared/", userId: 3, updatedAt: 3000 },
    { path: "shared/own", userId: 1, updatedAt: 9000 },
    { path: "shared/own", userId: 1000, updatedAt: 1 },
    { path: "shared/", userId: 1000, updatedAt: 1 },
    { path: "shared/recent", userId: 1, updatedAt: 5000 },
    { path: "shared/recent", userId: 2, updatedAt: 6000 },
    { path: "only/", userId: 3 },
    { path: "only/file", userId: 3 },
    { path: "mixed/", userId: 1, updatedAt: 5000 },
    { path: "mixed", userId: 2, updatedAt: 6000 },
  ]);
  const admin = await server.admin();
  const owners = async (query: Record<string, string>) =>
    items(await admin.list(query)).map(({ path, user_id }) => `${path} ${user_id}`);

  await t.step(
    "C 8 lists the records of all users in the root, including equal paths",
    async () => {
      assert.deepEqual((await owners({})).sort(), [
        "mixed 1",
        "mixed 2",
        "only 3",
        "shared 1",
        "shared 1000",
        "shared 2",
        "shared 3",
      ]);
      assert.equal((await owners({ recursive: "1" })).length, 12);
    },
  );
  await t.step("RS 4.1.5 and C 8 prefer the caller's own record, then the latest", async () => {
    assert.deepEqual(await owners({ path: "shared" }), [
      "shared 1000",
      "shared/own 1000",
      "shared/recent 2",
    ]);
    assert.deepEqual(await owners({ path: "only", recursive: "1" }), ["only 3", "only/file 3"]);
  });
  await t.step("RS 1.4 breaks ties by the id", async () => {
    const other = await server.admin(77);
    const [first] = items(await other.list({ path: "shared" }));
    assert.equal(first?.user_id, 2);
  });
  await t.step("RS 4.1.3 lists a path that is a directory of any user", async () => {
    assert.deepEqual(await owners({ path: "mixed" }), ["mixed 1"]);
    assert.deepEqual(await owners({ path: "mixed", recursive: "1" }), ["mixed 2"]);
  });
});

Deno.test("C 8 streams a listing longer than a batch completely and in order", async () => {
  await using server = await TestServer.start();
  const names = Array.from({ length: 1750 }, (_, index) => `big/${String(index).padStart(5, "0")}`);
  await seed(server.tree.records, ["big/", ...names]);
  const one = await server.as(1);
  for (const query of [{ path: "big" }, { path: "big", recursive: "1" }]) {
    assert.deepEqual(await one.paths(query), ["big", ...names]);
  }
  for (const count of [499, 500, 501, 999, 1000, 1001]) {
    const expected = names.slice(0, count).map((path) => ({ path, userId: 1 + count }));
    await seed(server.tree.records, [{ path: "big/", userId: 1 + count }, ...expected]);
    const paths = await (await server.as(1 + count)).paths({ path: "big" });
    assert.equal(paths.length, count + 1);
  }
  const reply = await one.list({ recursive: "1" });
  assert.equal(items(reply).length, 1751);
  assert.equal(reply.headers.get("Content-Type"), "application/json");
});

Deno.test("C 8 a long listing ends on the server when its client disconnects", async () => {
  await using server = await TestServer.start();
  const names = Array.from({ length: 20_000 }, (_, index) => `big/${index}-${"n".repeat(200)}`);
  await seed(server.tree.records, ["big/", ...names]);
  const one = await server.as(1);
  const response = await one.fetch("/resources/?path=big");
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await until(() => server.log.some((line) => line.includes('"complete":false')));
  assert.equal(await server.server.stop(), true);
});
