import * as assert from "node:assert/strict";
import { commit, committed, HubClient, jsonOf, lfsObject, lines, postLfs } from "../support/hub.ts";
import { TestServer } from "../support/server.ts";

Deno.test("C 31 the hub takes other names that clients use for the same", async (t) => {
  await using server = await TestServer.start();
  const hub = new HubClient(server, await server.as(1));

  await t.step("C 20 create ignores keys that it does not know", async () => {
    const body = { organization: "a", name: "b", license: "mit", sdk: "x", resourceGroupId: "1" };
    jsonOf(await hub.post("/api/repos/create", body));
  });
  await t.step("C 31 HEAD is main", async () => {
    committed(await commit(hub, "a/b", lines.file("f", "x")));
    jsonOf(await hub.send("GET", "/api/models/a/b/revision/HEAD"));
    assert.equal((await hub.send("GET", "/a/b/resolve/HEAD/f")).text, "x");
    const files = [{ path: "g", size: 1 }];
    jsonOf(await hub.post("/api/models/a/b/preupload/HEAD", { files }));
  });
  await t.step("C 20 sha_256 is SHA-256", async () => {
    const body = { operation: "upload", hash_algo: "sha_256", objects: [lfsObject("new")] };
    jsonOf(await postLfs(hub, "/a/b.git/info/lfs/objects/batch", body));
  });
});
