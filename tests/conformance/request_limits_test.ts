import * as assert from "node:assert/strict";
import type { ListQuery } from "../../core/ports.ts";
import { refused, type Reply } from "../support/client.ts";
import { allRecords } from "../support/invariants.ts";
import { seed } from "../support/seed.ts";
import { TestServer, USER_PRIVILEGES, withRecords } from "../support/server.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `d/${index}`);
const deep = (segments: number) => Array.from({ length: segments }, () => "s").join("/");

Deno.test("a request names at most 1000 paths and ids", async (t) => {
  await using server = await TestServer.start();
  const client = await server.as(1, ...USER_PRIVILEGES, "scans.run");
  await seed(server.tree.records, ["d/", ...numbered(1001)]);
  const before = await allRecords(server);
  const paths = numbered(1001);
  const ids = before.map(({ id }) => String(id)).slice(0, 500);
  const refusals: Record<string, () => Promise<Reply>> = {
    list: () => client.list({ "paths[]": paths }),
    delete: () => client.remove({ "paths[]": paths }),
    download: () => client.send("GET", "/resources/download", { query: { "paths[]": paths } }),
    "download of paths and ids": () =>
      client.send("GET", "/resources/download", {
        query: { "paths[]": paths.slice(0, 501), "ids[]": ids },
      }),
    move: () => client.move({ sources: paths, destination: "e" }),
    copy: () => client.copy({ sources: paths, destination: "e" }),
    scan: () => client.json("POST", "/scans/", { paths }),
  };
  for (const [name, request] of Object.entries(refusals)) {
    await t.step(`${name}: more are refused, and the message says how to split them`, async () => {
      const message = refused(await request(), 400, "ErrResourcesInvalidRequest");
      assert.match(message, /1001 \(maximum: 1000\); .* or send several requests/);
      assert.deepEqual(await allRecords(server), before);
    });
  }
  await t.step("RS 1.2 blank and repeated paths do not count", async () => {
    const sources = [...numbered(1000), "", " ", ...numbered(1000)];
    assert.equal((await client.copy({ sources, destination: "copies" })).status, 200);
  });
});

Deno.test("a new path has at most 256 segments", async (t) => {
  await using server = await TestServer.start();
  const client = await server.as(1);
  const refusedDeep = async (reply: Promise<Reply>) => {
    const before = await allRecords(server);
    const message = refused(await reply, 400, "ErrResourcesInvalidRequest");
    assert.match(message, /segments/);
    assert.deepEqual(await allRecords(server), before);
  };
  await t.step("RS 4.3.1 mkdir", async () => {
    await refusedDeep(client.mkdir(deep(257)));
    assert.equal((await client.mkdir(deep(256))).status, 200);
  });
  await t.step("RS 4.2.5 upload", async () => {
    await refusedDeep(client.upload(deep(256), { f: "x" }));
    assert.equal((await client.upload(deep(255), { f: "x" })).status, 200);
  });
  await t.step("RS 4.4 and 4.5 move and copy, descendants included", async () => {
    await refusedDeep(client.move({ source: `${deep(255)}/f`, destination: `${deep(256)}/` }));
    await client.upload("a/b", { c: "x" });
    await refusedDeep(client.move({ source: "a", destination: `${deep(254)}/a` }));
    await refusedDeep(client.copy({ source: "a", destination: `${deep(254)}/a` }));
    assert.equal((await client.copy({ source: "a", destination: `${deep(253)}/a` })).status, 200);
  });
  await t.step("RS 4.1.6 a listing may name a deeper one, but not very many", async () => {
    assert.equal((await client.list({ path: deep(2048) })).status, 200);
    const paths = ["a", "b", "c", "d", "e"].map((first) => `${first}/${deep(2047)}`);
    refused(await client.list({ "paths[]": paths }), 400, "ErrResourcesInvalidRequest");
  });
});

Deno.test("RS 4.1.5 paths below another one are not read twice", async () => {
  const queries: ListQuery[] = [];
  await using server = await TestServer.start(withRecords((records) => ({
    listJson(query) {
      queries.push(query);
      return records.listJson(query);
    },
  })));
  const client = await server.as(1);
  await client.upload("a/b/c", { f: "x", g: "y" });
  await client.mkdir("a-b");
  const nested = ["a/b", "a/b/c", "a", "a-b", "a/missing"];
  const paths = await client.paths({ "paths[]": nested, recursive: "true" });
  assert.deepEqual(paths, ["a", "a-b", "a/b", "a/b/c", "a/b/c/f", "a/b/c/g"]);
  assert.deepEqual(queries[0]?.directories, ["a-b", "a"]);
  const flat = await client.paths({ "paths[]": ["a", "a/b"] });
  assert.deepEqual(flat, ["a", "a/b", "a/b/c"]);
});
