import * as assert from "node:assert/strict";
import * as v from "valibot";
import {
  commit,
  CommitReply,
  committed,
  HubClient,
  hubRefused,
  jsonOf,
  lfsObject,
  lines,
  postLfs,
} from "../support/hub.ts";
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
  await t.step("C 31 references, commits and access, without a history", async () => {
    const { sha } = v.parse(
      v.object({ sha: v.string() }),
      jsonOf(await hub.send("GET", "/api/models/a/b")),
    );
    const main = { name: "main", ref: "refs/heads/main", targetCommit: sha };
    assert.deepEqual(jsonOf(await hub.send("GET", "/api/models/a/b/refs")), {
      branches: [main],
      converts: [],
      tags: [],
      pullRequests: [],
    });
    const commits = jsonOf(await hub.send("GET", "/api/models/a/b/commits/main"));
    const [{ id, date }] = v.parse(
      v.tuple([v.object({ id: v.string(), date: v.string() })]),
      commits,
    );
    assert.deepEqual([id, date], [sha, new Date(date).toISOString()]);
    jsonOf(await hub.send("GET", "/api/models/a/b/auth-check"));
    for (const address of ["refs", "commits/main", "auth-check"]) {
      hubRefused(await hub.send("GET", `/api/models/a/none/${address}`), 404, "RepoNotFound");
    }
    hubRefused(await hub.send("GET", "/api/models/a/b/commits/v1"), 404, "RevisionNotFound");
    assert.equal((await hub.send("GET", "/a/b/raw/main/f")).text, "x");
  });
  await t.step("C 31 metadata is validated without a credential", async () => {
    const reply = await fetch(`${hub.url}/api/validate-yaml`, { method: "POST", body: "{}" });
    assert.deepEqual(await reply.json(), { errors: [], warnings: [] });
  });
  await t.step("C 24, 31 the address that clients print opens the console", async () => {
    const reply = await commit(hub, "a/b", lines.file("g", "y"));
    const { commitUrl } = v.parse(CommitReply, jsonOf(reply));
    const { status, headers, body } = await fetch(commitUrl, { redirect: "manual" });
    await body?.cancel();
    assert.deepEqual([status, headers.get("Location")], [302, "/#/files/models/a/b"]);
  });
  await t.step("C 20 sha_256 is SHA-256", async () => {
    const body = { operation: "upload", hash_algo: "sha_256", objects: [lfsObject("new")] };
    jsonOf(await postLfs(hub, "/a/b.git/info/lfs/objects/batch", body));
  });
});
