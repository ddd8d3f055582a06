import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { HISTORY_ROW_BYTES } from "../../core/history.ts";
import { TagEntry, TagList } from "../../schemas/tags.ts";
import { type Client, items, type QueryParameters, refused } from "../support/client.ts";
import { IS_SHARED } from "../support/engines.ts";
import { TestServer } from "../support/server.ts";
import { storedHashes } from "../support/stored_content.ts";
import { until } from "../support/until.ts";

const md5 = (content: string) => createHash("md5").update(content).digest("hex");

function tag(client: Client, body: Record<string, unknown>) {
  return client.json("POST", "/tags/", body);
}

async function tags(client: Client, query: QueryParameters = {}): Promise<TagEntry[]> {
  const reply = await client.send("GET", "/tags/", { query });
  assert.equal(reply.status, 200, reply.text);
  return v.parse(TagList, JSON.parse(reply.text).data).items;
}

async function pathsAt(client: Client, at: string, query: QueryParameters = {}) {
  const reply = await client.send("GET", "/resources/", {
    query: { recursive: "true", at, ...query },
  });
  return items(reply).map(({ path }) => path).sort();
}

for (
  const [kind, options] of [["with", { settings: { history: 86_400_000 } }], [
    "without",
    { settings: { history: 0 } },
  ]] as const
) {
  Deno.test(`C 26 a tag names what it did for as long as it is there, ${kind} history`, async (t) => {
    await using server = await TestServer.start(options);
    const one = await server.as(1);
    const large = "l".repeat(100_000);
    await one.put("m/a/x", large);
    await one.put("m/a/y", "y");
    await one.put("m/b", "b");

    await t.step("C 26 it reads as it was, by all that takes at", async () => {
      const added = v.parse(
        TagEntry,
        JSON.parse((await tag(one, { name: "v1.0", path: "m/a", message: "First" })).text).data,
      );
      assert.deepEqual([added.files, added.size, added.message], [2, 100_001, "First"]);
      await one.put("m/a/x", "newer");
      await one.remove({ path: "m/a/y" });
      await one.put("m/a/z", "z");
      await one.move({ source: "m", destination: "n" });
      assert.deepEqual(await pathsAt(one, "v1.0"), ["m", "m/a", "m/a/x", "m/a/y"]);
      assert.deepEqual(await pathsAt(one, "v1.0", { path: "m/a" }), ["m", "m/a", "m/a/x", "m/a/y"]);
      assert.equal((await one.send("GET", "/files/m/a/x", { query: { at: "v1.0" } })).text, large);
      const sums = await one.send("GET", "/resources/checksums", {
        query: { at: "v1.0", path: "m/a" },
      });
      assert.deepEqual(sums.text.split("\n").map((line) => line.slice(66)), ["x", "y", ""]);
      const zip = await one.download({ path: "m/a", at: "v1.0", compression: "store" });
      assert.ok((await zip.text()).includes(large));
      refused(
        await one.send("GET", "/files/m/b", { query: { at: "v1.0" } }),
        404,
        "ErrResourcesNotFound",
      );
      refused(
        await one.send("GET", "/files/m/b", { query: { at: "v2" } }),
        404,
        "ErrVersionsNotFound",
      );
    });

    await t.step("C 26 a tag never moves, and names are checked", async () => {
      refused(await tag(one, { name: "v1.0", path: "n" }), 409, "ErrTagsConflict");
      for (
        const name of ["", "17", "2026-11-22T09:00:00Z", "a b", "-a", "a\u0000", "x".repeat(256)]
      ) {
        refused(await tag(one, { name, path: "n" }), 400, "ErrResourcesInvalidRequest");
      }
      refused(await tag(one, { name: "q", path: "q" }), 404, "ErrResourcesNotFound");
      assert.deepEqual((await tags(one)).map(({ name }) => name), ["v1.0"]);
      assert.deepEqual(await tags(await server.as(2)), []);
      refused(
        await tag(await server.as(1, "resources.view"), { name: "v", path: "n" }),
        403,
        "ErrNotPermitted",
      );
    });

    await t.step("C 26 a tag of a tag, of a file, of the whole tree", async () => {
      assert.equal((await tag(one, { name: "again", path: "m/a/x", at: "v1.0" })).status, 200);
      assert.deepEqual(await pathsAt(one, "again"), ["m", "m/a", "m/a/x"]);
      assert.equal((await tag(one, { name: "all", path: "" })).status, 200);
      assert.deepEqual(await pathsAt(one, "all"), ["n", "n/a", "n/a/x", "n/a/z", "n/b"]);
      assert.deepEqual((await tags(one, { path: "m/a" })).map(({ name }) => name), ["v1.0"]);
    });

    await t.step("C 26 what it names can be restored", async () => {
      const body = { path: "m/a", at: "v1.0" };
      const restored = await one.json("POST", "/resources/restore", body);
      assert.deepEqual(items(restored).map(({ path }) => path), ["m", "m/a", "m/a/x", "m/a/y"]);
      assert.equal((await one.file("GET", "m/a/x")).text, large);
      await one.remove({ path: "m" });
    });

    await t.step(
      "C 26 it keeps the content when history goes, and lets it go with it",
      async () => {
        const { history } = server.tree.records;
        for (let done = false; !done;) {
          const step = await history?.giveUp({ before: Date.now() + 60_000, maxBytes: Infinity });
          server.tree.sweeper.add(step?.hashes ?? []);
          done = step?.done ?? true;
        }
        await server.tree.sweeper.finish();
        assert.equal(
          (await one.send("GET", "/files/m/a/x", { query: { at: "v1.0" } })).text,
          large,
        );
        const remove = (name: string) => one.send("DELETE", "/tags/", { query: { name } });
        for (const name of ["v1.0", "again"]) assert.equal((await remove(name)).status, 200);
        refused(await remove("again"), 404, "ErrTagsNotFound");
        if (!IS_SHARED) await server.tree.sweeper.finish();
        await until(async () => !(await storedHashes(server.dataDir)).includes(md5(large)));
        assert.deepEqual((await tags(one)).map(({ name }) => name), ["all"]);
      },
    );
  });
}

Deno.test("C 26 a tag of a version, which the quota counts", async () => {
  await using server = await TestServer.start({
    settings: { history: 86_400_000, userQuota: 100 + HISTORY_ROW_BYTES },
  });
  const one = await server.as(1);
  await one.put("a", "a".repeat(40)); // 1
  await one.put("a", "b".repeat(30)); // 2
  refused(
    await tag(one, { name: "x", path: "a", at: 9 }),
    404,
    "ErrVersionsNotFound",
  );
  assert.equal((await tag(one, { name: "old", path: "a", at: 1 })).status, 200);
  assert.equal(
    (await one.send("GET", "/files/a", { query: { at: "old" } })).text,
    "a".repeat(40),
  );
  refused(await tag(one, { name: "older", path: "a", at: "1" }), 400, "ErrResourcesQuotaExceeded");
  refused(await one.put("c", "c".repeat(31)), 400, "ErrResourcesQuotaExceeded");
  const usage = JSON.parse((await one.send("GET", "/usage/")).text).data;
  // Its row counts, too, so that tags of empty files are bounded.
  assert.equal(usage.tagged_bytes, 40 + HISTORY_ROW_BYTES);
  await one.send("DELETE", "/tags/", { query: { name: "old" } });
  assert.equal((await one.put("c", "c".repeat(31))).status, 201);
});
