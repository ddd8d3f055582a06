import * as assert from "node:assert/strict";
import { type Client, items, refused, type Reply } from "../support/client.ts";
import { TestServer } from "../support/server.ts";

const HISTORY = { settings: { history: 86_400_000 } };

function restore(client: Client, body: Record<string, unknown>): Promise<Reply> {
  return client.json("POST", "/resources/restore", body);
}

const paths = (reply: Reply) => items(reply).map(({ path }) => path);

/** Paths and MD5 below a directory, at a version. */
async function contents(client: Client, path: string, at?: string): Promise<string[]> {
  const reply = await client.send("GET", "/resources/checksums", { query: { path, at } });
  assert.equal(reply.status, 200, reply.text);
  return reply.text.split("\n").filter((line) => line !== "");
}

for (const [kind, options] of [["small", {}], ["large", { maxDirectRecords: 3 }]] as const) {
  Deno.test(`C 26 a ${kind} restore is one change, with the rules of a copy`, async (t) => {
    await using server = await TestServer.start({ ...HISTORY, ...options });
    const one = await server.as(1);
    for (const name of ["a", "b", "x/c", "x/d", "x/y/e"]) await one.put(`d/${name}`, name); // 5
    await one.put("d/a", "newer"); // 6
    const before = await contents(one, "d");
    await one.move({ source: "d/x", destination: "z" }); // 7
    await one.remove({ path: "d" }); // 8

    await t.step("C 26 what was deleted comes back", async () => {
      const reply = await restore(one, { path: "d", at: 6 }); // 9
      assert.deepEqual(
        paths(reply),
        ["d", "d/a", "d/b", "d/x", "d/x/c", "d/x/d", "d/x/y", "d/x/y/e"],
      );
      assert.deepEqual(await contents(one, "d"), before);
      const { headers } = await one.send("GET", "/resources/", {
        query: { at: new Date(Date.now() + 60_000).toISOString() },
      });
      assert.equal(headers.get("X-Version"), "9");
      assert.deepEqual(await contents(one, "d", "6"), before);
    });

    await t.step("C 26 a conflict changes nothing, and force merges and replaces", async () => {
      refused(await restore(one, { path: "d", at: 5 }), 409, "ErrResourcesConflict");
      refused(await restore(one, { path: "d/a", at: 5 }), 409, "ErrResourcesConflict");
      await one.put("d/new", "new"); // 10
      assert.equal((await restore(one, { path: "d", at: "5", force: true })).status, 200); // 11
      const restored = await contents(one, "d");
      const old = await contents(one, "d", "5");
      assert.deepEqual(restored.filter((line) => !line.endsWith("new")), old);
      assert.equal(restored.length, old.length + 1);
      assert.equal((await restore(one, { path: "d/a", at: 6, force: true })).status, 200);
      assert.equal((await one.file("GET", "d/a")).text, "newer");
    });

    await t.step("C 26 to another place, as a copy goes there", async () => {
      assert.deepEqual(paths(await restore(one, { path: "d/a", at: 1, destination: "e/" })), [
        "e",
        "e/a",
      ]);
      assert.equal((await one.file("GET", "e/a")).text, "a");
      assert.deepEqual(paths(await restore(one, { path: "d/a", at: 6, destination: "d/old" })), [
        "d/old",
      ]);
      assert.equal((await restore(one, { path: "d/x", at: 6, destination: "d/x/x" })).status, 200);
      assert.deepEqual(await contents(one, "d/x/x"), await contents(one, "d/x", "6"));
    });

    await t.step("C 26 what cannot be restored is refused", async () => {
      refused(await restore(one, { path: "q", at: 6 }), 404, "ErrResourcesNotFound");
      refused(await restore(one, { path: "d", at: 999 }), 404, "ErrVersionsNotFound");
      refused(await restore(one, { path: "d", at: "now" }), 404, "ErrVersionsNotFound");
      refused(await restore(one, { path: "d", at: "" }), 400, "ErrResourcesInvalidRequest");
      refused(await restore(one, { path: "d" }), 400, "ErrResourcesInvalidRequest");
      refused(await restore(one, { path: "", at: 6 }), 400, "ErrResourcesInvalidRequest");
      const viewer = await server.as(1, "resources.view", "resources.download");
      refused(await restore(viewer, { path: "d", at: 6 }), 403, "ErrNotPermitted");
    });

    await t.step("C 26 the content stays when history goes", async () => {
      await one.remove({ path: "d" });
      assert.equal((await restore(one, { path: "d", at: 6 })).status, 200);
      const { history } = server.tree.records;
      assert.ok(history);
      for (let done = false; !done;) {
        const step = await history.giveUp({ before: Date.now() + 60_000, maxBytes: Infinity });
        server.tree.sweeper.add(step.hashes);
        done = step.done;
      }
      await server.tree.sweeper.finish();
      assert.deepEqual(await contents(one, "d"), before);
      assert.equal((await one.file("GET", "d/a")).text, "newer");
      refused(await restore(one, { path: "d", at: 6 }), 404, "ErrVersionsNotFound");
    });
  });
}
