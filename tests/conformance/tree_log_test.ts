import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { type HistoryEntry, HistoryList } from "../../schemas/history.ts";
import { Client, type QueryParameters, refused } from "../support/client.ts";
import { mintToken, TestServer } from "../support/server.ts";

const HISTORY = { settings: { history: 86_400_000 } };
const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

async function page(client: Client, query: QueryParameters) {
  const reply = await client.send("GET", "/resources/history", { query });
  assert.equal(reply.status, 200, reply.text);
  return v.parse(HistoryList, JSON.parse(reply.text).data);
}

/** All changes, in pages. */
async function changes(client: Client, path: string, limit = "100"): Promise<HistoryEntry[]> {
  const items: HistoryEntry[] = [];
  let after: string | undefined;
  do {
    const { next, ...found } = await page(client, { path, limit, after });
    assert.ok(found.items.length <= Number(limit));
    items.push(...found.items);
    after = next ?? undefined;
  } while (after !== undefined);
  return items;
}

/** A change in a few words. */
const words = ({ version, action, path, former_path: former }: HistoryEntry) =>
  `${version} ${action} ${former === null ? path : `${former} > ${path}`}`;

async function told(client: Client, path: string, limit?: string): Promise<string[]> {
  return (await changes(client, path, limit)).map(words);
}

Deno.test("C 26 the history of a file and of a directory", async (t) => {
  await using server = await TestServer.start(HISTORY);
  const one = await server.as(1);
  await one.put("d/a", "first"); // 1
  await one.put("d/a", "second"); // 2
  await one.put("d/b", "b"); // 3
  await one.move({ source: "d", destination: "e" }); // 4
  await one.remove({ path: "e/b" }); // 5
  await one.put("c", "c"); // 6
  await one.move({ source: "c", destination: "e/a", force: true }); // 7
  await one.copy({ source: "e/a", destination: "e/f" }); // 8
  await one.move({ source: "e/f", destination: "f" }); // 9

  await t.step("C 26 of the whole tree, newest first", async () => {
    const all = [
      "9 moved e/f > f",
      "8 added e/f",
      "7 moved c > e/a",
      "6 added c",
      "5 deleted e/b",
      "4 moved d > e",
      "4 moved d/a > e/a",
      "4 moved d/b > e/b",
      "3 added d/b",
      "2 replaced d/a",
      "1 added d",
      "1 added d/a",
    ];
    assert.deepEqual(await told(one, ""), all);
    for (const limit of ["1", "2", "3", "5"]) assert.deepEqual(await told(one, "", limit), all);
  });

  await t.step("C 26 a file that was moved keeps its history", async () => {
    const e = ["7 moved c > e/a", "6 added c"];
    assert.deepEqual(await told(one, "e/a"), e);
    assert.deepEqual(await told(one, "f"), ["9 moved e/f > f", "8 added e/f"]);
    assert.deepEqual(await told(one, "e/b"), [
      "5 deleted e/b",
      "4 moved d/b > e/b",
      "3 added d/b",
    ]);
    for (const limit of ["1", "2"]) assert.deepEqual(await told(one, "e/a", limit), e);
  });

  await t.step(
    "C 26 a directory that was moved keeps its history, and tells what left it",
    async () => {
      const e = [
        "9 moved e/f > f",
        "8 added e/f",
        "7 moved c > e/a",
        "5 deleted e/b",
        "4 moved d > e",
        "4 moved d/a > e/a",
        "4 moved d/b > e/b",
        "3 added d/b",
        "2 replaced d/a",
        "1 added d",
        "1 added d/a",
      ];
      assert.deepEqual(await told(one, "e"), e);
      for (const limit of ["1", "2", "4", "6"]) assert.deepEqual(await told(one, "e", limit), e);
      assert.deepEqual(await told(one, "d"), [
        "4 moved d > e",
        "4 moved d/a > e/a",
        "4 moved d/b > e/b",
        ...e.slice(7),
      ]);
      assert.deepEqual(await told(one, "nothing"), []);
    },
  );

  await t.step("C 26 with time, who, size, SHA-256 and verdict", async () => {
    const [moved, added] = await changes(one, "f");
    assert.equal(moved?.sha256, sha256("c"));
    assert.equal(moved.size, 1);
    assert.equal(moved.user_id, 1);
    assert.equal(moved.message, null);
    assert.equal(moved.verdict?.verdict, "unscanned");
    assert.ok(Date.parse(moved.time) >= Date.parse(added?.time ?? ""));
    assert.ok(Math.abs(Date.now() - Date.parse(moved.time)) < 600_000);
    const [directory] = await changes(one, "d");
    assert.deepEqual([directory?.is_dir, directory?.sha256, directory?.verdict], [
      true,
      null,
      null,
    ]);
  });

  await t.step("C 26 what is no place of a page, or not permitted, is refused", async () => {
    const get = (query: QueryParameters) => one.send("GET", "/resources/history", { query });
    for (const after of ["x", "", "1:2:3:4:5", "-1:a:b:"]) {
      refused(await get({ after }), 400, "ErrResourcesInvalidRequest");
    }
    refused(await get({ path: "../a" }), 400, "ErrResourcesInvalidRequest");
    const blind = await server.as(1, "resources.download");
    refused(await blind.send("GET", "/resources/history"), 403, "ErrNotPermitted");
    const two = await server.as(2);
    assert.deepEqual(await told(two, ""), []);
    refused(
      await two.inTree(1).send("GET", "/resources/history"),
      403,
      "ErrNotPermitted",
    );
  });
});

Deno.test("C 26 history tells who changed the tree of another user, in small and large changes", async () => {
  await using server = await TestServer.start({ ...HISTORY, maxDirectRecords: 3 });
  const one = await server.as(1);
  const trees = { "1": ["resources.view", "resources.upload", "resources.edit"] };
  const token = await mintToken({ userId: 2, privileges: ["resources.view"], trees });
  const two = new Client(server.url, token).inTree(1);
  await one.put("d/a", "a");
  await two.put("d/b", "b");
  for (const name of ["c", "e", "f"]) await one.put(`d/${name}`, name);
  assert.equal((await two.move({ source: "d", destination: "g" })).status, 200);
  assert.equal((await one.remove({ path: "g" })).status, 200);
  const who = (await changes(one, "")).map(({ version, user_id: user }) => `${version} ${user}`);
  assert.deepEqual([...new Set(who)], ["7 1", "6 2", "5 1", "4 1", "3 1", "2 2", "1 1"]);
});

Deno.test("C 26 without history, none is told", async () => {
  await using server = await TestServer.start({ settings: { history: 0 } });
  const one = await server.as(1);
  await one.put("a", "a");
  refused(await one.send("GET", "/resources/history"), 404, "ErrVersionsNotFound");
});
