import * as assert from "node:assert/strict";
import * as v from "valibot";
import { CapacityHistory } from "../../schemas/capacity.ts";
import { EntryShares, ExtensionShares, UserShares } from "../../schemas/shares.ts";
import { VerdictDays } from "../../schemas/verdicts.ts";
import { type Client, dataOf, refused } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { TestServer } from "../support/server.ts";
import { settledVerdicts } from "../support/verdicts.ts";

async function entries(client: Client, path?: string) {
  const reply = await client.send("GET", "/usage/entries", { query: { path } });
  return v.parse(EntryShares, dataOf(reply));
}

Deno.test("C 24 GET /usage/entries tells what is in a directory, each with all below it", async (t) => {
  await using server = await TestServer.start();
  const client = await server.as(1);
  await client.upload("models/llama", { "a.bin": "12345", "b.bin": "123" });
  await client.upload("models", { "c.bin": "12" });
  await (await server.as(2)).upload("models", { "unseen": "1".repeat(99) });

  await t.step("the largest first", async () => {
    assert.deepEqual(await entries(client, " models/ "), {
      path: "models",
      items: [
        { name: "llama", path: "models/llama", is_dir: true, files: 2, bytes: 8 },
        { name: "c.bin", path: "models/c.bin", is_dir: false, files: 1, bytes: 2 },
      ],
      others: { parts: 0, files: 0, bytes: 0 },
    });
    const { path, items } = await entries(client);
    assert.deepEqual([path, items.map((it) => `${it.path} ${it.bytes}`)], ["", ["models 10"]]);
  });
  await t.step("of more than 100, the others are together", async () => {
    const names = Array.from({ length: 120 }, (_, index) => `${index}`);
    await client.upload("many", Object.fromEntries(names.map((name) => [name, "12"])));
    const { items, others } = await entries(client, "many");
    assert.equal(items.length, 100);
    assert.deepEqual(others, { parts: 20, files: 20, bytes: 40 });
  });
  await t.step("in a shared tree, and in no other one", async () => {
    const guest = await server.as(3, "resources.view");
    refused(
      await guest.inTree(1).send("GET", "/usage/entries"),
      403,
      "ErrNotPermitted",
    );
    const admin = (await server.admin()).inTree(1);
    assert.equal((await entries(admin, "models")).items.length, 2);
  });
  await t.step("what is no directory is not found", async () => {
    for (const path of ["missing", "models/c.bin"]) {
      refused(
        await client.send("GET", "/usage/entries", { query: { path } }),
        404,
        "ErrResourcesNotFound",
      );
    }
    refused(
      await client.send("GET", "/usage/entries", { query: { path: "../a" } }),
      400,
      "ErrResourcesInvalidRequest",
    );
  });
});

Deno.test("C 24, C 27 GET /usage/extensions and /users/usage divide trees, all of them for administrators", async () => {
  await using server = await TestServer.start();
  const client = await server.as(1);
  await client.upload("", { "a.SafeTensors": "12345", "b.safetensors": "1", "README": "12" });
  await (await server.as(2)).upload("", { "c.bin": "123" });
  const extensions = async (by: Client, scope?: string) => {
    const reply = await by.send("GET", "/usage/extensions", { query: { scope } });
    return v.parse(ExtensionShares, dataOf(reply)).items;
  };
  const own = [
    { extension: "safetensors", files: 2, bytes: 6 },
    { extension: "", files: 1, bytes: 2 },
  ];
  assert.deepEqual(await extensions(client), own);
  const admin = await server.admin();
  dataOf(await admin.json("POST", "/users/", { name: "ben", number: 2 }));
  const all = [own[0], { extension: "bin", files: 1, bytes: 3 }, own[1]];
  assert.deepEqual(await extensions(admin, "all"), all);
  const users = v.parse(UserShares, dataOf(await admin.send("GET", "/users/usage")));
  assert.deepEqual(users, {
    items: [
      { user_id: 1, user_name: null, files: 3, bytes: 8 },
      { user_id: 2, user_name: "ben", files: 1, bytes: 3 },
    ],
    others: { parts: 0, files: 0, bytes: 0 },
  });
  refused(await client.send("GET", "/usage/extensions?scope=all"), 403, "ErrNotPermitted");
  refused(await client.send("GET", "/users/usage"), 403, "ErrNotPermitted");
});

Deno.test("C 24 GET /verdicts/days counts verdicts by the days of their scans", async () => {
  await using server = await TestServer.start({ settings: { gate: "mark" } });
  const client = await server.as(1);
  const hostile = await modelFile("pickle/hostile/eval.pkl");
  await client.upload("", { "a.pkl": hostile, "b.json": "{}" });
  await settledVerdicts(client);
  const days = async (by: Client) =>
    v.parse(VerdictDays, dataOf(await by.send("GET", "/verdicts/days")));
  const { items, total } = await days(client);
  assert.deepEqual([items.length, total], [30, 30]);
  assert.deepEqual(items.map(({ day }) => day), items.map(({ day }) => day).toSorted());
  const counted = (verdict: Exclude<keyof typeof items[number], "day">) =>
    items.reduce((sum, item) => sum + item[verdict], 0);
  assert.deepEqual(
    [counted("clean"), counted("suspicious"), counted("dangerous"), counted("unknown")],
    [1, 0, 1, 0],
  );
  // History keeps what was deleted, and what a file was called.
  await client.remove({ path: "a.pkl" });
  await client.move({ source: "b.json", destination: "c.json" });
  await settledVerdicts(client);
  const left = (await days(client)).items;
  assert.deepEqual(left.reduce((sum, { clean, dangerous }) => sum + clean + dangerous, 0), 1);
  assert.ok(items.slice(0, -2).every(({ clean, dangerous }) => clean + dangerous === 0));
  const other = await days(await server.as(2));
  assert.ok(other.items.every(({ clean, dangerous }) => clean + dangerous === 0));
  const blind = await server.as(1, "scans.view");
  refused(await blind.send("GET", "/verdicts/days"), 403, "ErrNotPermitted");
});

Deno.test("C 24 GET /capacity/history tells of the host now and before, and of scans that wait", async () => {
  await using server = await TestServer.start();
  const client = await server.as(1, "capacity.view");
  const reply = v.parse(
    CapacityHistory,
    dataOf(await client.send("GET", "/capacity/history")),
  );
  const last = reply.items.at(-1);
  assert.ok(last && last.readings.CPUCores > 0);
  assert.deepEqual([reply.interval_s, last.running, last.waiting], [30, 0, 0]);
  refused(
    await (await server.as(1, "scans.view")).send("GET", "/capacity/history"),
    403,
    "ErrNotPermitted",
  );
});
