import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { type DiffEntry, DiffList } from "../../schemas/history.ts";
import { type Client, type QueryParameters, refused } from "../support/client.ts";
import { TestServer } from "../support/server.ts";

const HISTORY = { settings: { history: 86_400_000 } };
const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

async function entries(client: Client, query: QueryParameters): Promise<DiffEntry[]> {
  const reply = await client.send("GET", "/resources/diff", { query });
  assert.equal(reply.status, 200, reply.text);
  const list = v.parse(DiffList, JSON.parse(reply.text).data);
  assert.equal(list.total, list.items.length);
  return list.items;
}

async function told(client: Client, query: QueryParameters): Promise<string[]> {
  return (await entries(client, query)).map(({ action, path, former_path: former }) =>
    `${action} ${former === null ? path : `${former} > ${path}`}`
  );
}

Deno.test("C 26 the differences between two versions, in the order of paths", async (t) => {
  await using server = await TestServer.start(HISTORY);
  const one = await server.as(1);
  for (const path of ["d/a", "d/b", "d/c", "d-x", "e/f"]) await one.put(path, path); // 5
  assert.equal((await one.json("POST", "/tags/", { name: "t", path: "d" })).status, 200);
  await one.put("d/a", "newer"); // 6
  await one.remove({ path: "d/b" }); // 7
  await one.move({ source: "d/c", destination: "d/n/c" }); // 8
  await one.move({ source: "e/f", destination: "d/f" }); // 9
  await one.move({ source: "d-x", destination: "e/x" }); // 10
  await one.put("e/y", "y"); // 11
  await one.put("e/y", "y2"); // 12
  await one.put("d/b2", "b"); // 13
  await one.remove({ path: "d/b2" }); // 14

  const all = [
    "replaced d/a",
    "deleted d/b",
    "moved e/f > d/f",
    "added d/n",
    "moved d/c > d/n/c",
    "moved d-x > e/x",
    "added e/y",
  ];
  await t.step("C 26 of the whole tree", async () => {
    assert.deepEqual(await told(one, { from: "5", to: "14" }), all);
    assert.deepEqual(await told(one, { from: "5" }), all);
    assert.deepEqual(await told(one, { from: "14", to: "14" }), []);
    assert.deepEqual(await told(one, { from: "0", to: "1" }), ["added d", "added d/a"]);
  });

  await t.step("C 26 of a directory and of a file", async () => {
    assert.deepEqual(await told(one, { from: "5", path: "e" }), [
      "moved e/f > d/f",
      "moved d-x > e/x",
      "added e/y",
    ]);
    const [file, ...others] = await entries(one, { from: "5", path: "d/a" });
    assert.deepEqual(others, []);
    assert.deepEqual([file?.action, file?.sha256, file?.size], ["replaced", sha256("newer"), 5]);
    const [deleted] = await entries(one, { from: "5", path: "d/b" });
    assert.deepEqual([deleted?.action, deleted?.sha256], ["deleted", sha256("d/b")]);
  });

  await t.step("C 26 backward, and with what a tag names", async () => {
    assert.deepEqual(await told(one, { from: "14", to: "5", path: "d" }), [
      "replaced d/a",
      "added d/b",
      "moved d/n/c > d/c",
      "moved d/f > e/f",
      "deleted d/n",
    ]);
    assert.deepEqual(await told(one, { from: "t", to: "5", path: "d" }), []);
    assert.deepEqual(await told(one, { from: "t", path: "d/b" }), ["deleted d/b"]);
  });

  await t.step("C 26 what cannot be compared is refused", async () => {
    const get = (query: QueryParameters) => one.send("GET", "/resources/diff", { query });
    refused(await get({}), 400, "ErrResourcesInvalidRequest");
    refused(await get({ from: "99" }), 404, "ErrVersionsNotFound");
    refused(await get({ from: "1", to: "99" }), 404, "ErrVersionsNotFound");
  });
});

Deno.test("C 26 many differences are streamed in order", async () => {
  await using server = await TestServer.start(HISTORY);
  const one = await server.as(1);
  const names = Array.from({ length: 900 }, (_, index) => `f${String(index).padStart(4, "0")}`);
  await one.upload("d", Object.fromEntries(names.map((name) => [name, name]))); // 1
  await one.move({ source: "d", destination: "e" }); // 2
  assert.deepEqual(await told(one, { from: "1", to: "2" }), [
    "moved d > e",
    ...names.map((name) => `moved d/${name} > e/${name}`),
  ]);
  assert.deepEqual(
    (await told(one, { from: "0", path: "e" })).slice(0, 2),
    ["added e", `added e/${names[0]}`],
  );
});
