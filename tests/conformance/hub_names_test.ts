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
  await t.step(
    "C 31 settings are what they are, and others are refused with the reason",
    async () => {
      const put = (settings: object, repository = "a/b") =>
        hub.send("PUT", `/api/models/${repository}/settings`, {
          body: JSON.stringify(settings),
          headers: { "Content-Type": "application/json" },
        });
      for (const settings of [{ private: true }, { visibility: "private" }, { gated: false }]) {
        assert.deepEqual(jsonOf(await put(settings)), { private: true, gated: false });
      }
      for (const settings of [{ private: false }, { visibility: "public" }]) {
        assert.match(hubRefused(await put(settings), 400), /"a\/b": all repositories are private/);
      }
      assert.match(hubRefused(await put({ gated: "auto" }), 400), /nobody asks for access/);
      assert.match(
        hubRefused(await put({ discussionsDisabled: true }), 400),
        /discussionsDisabled/,
      );
      hubRefused(await put({ private: true }, "a/none"), 404, "RepoNotFound");
    },
  );
  await t.step("C 31 who asks for xet is sent to an address that says what to set", async () => {
    for (const path of ["models/a/b/xet-write-token/main", "datasets/a/b/xet-read-token/main"]) {
      const reply = await hub.send("GET", `/api/${path}`);
      assert.match(hubRefused(reply, 501), /HF_HUB_DISABLE_XET=1/);
    }
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

Deno.test("C 31 refusals have the code with which clients show them, and no broken connection", async () => {
  await using server = await TestServer.start();
  const hub = new HubClient(server, await server.as(1));
  jsonOf(await hub.create("a/b"));
  const viewer = new HubClient(server, await server.as(1, "resources.view"));
  const addresses = ["/a/b/resolve/main/f", "/api/models/a/b/revision/main"];
  for (const version of ["0.20.3", "0.30.2", "0.31.0", "1.0.1", "2.4.0"]) {
    const headers = { "User-Agent": `unknown/None; hf_hub/${version}; python/3.11` };
    const isOld = /^0\.[23]0/.test(version);
    for (const address of addresses) {
      const foreign = { headers: { ...headers, Authorization: "Bearer nothing" } };
      const reply = await hub.send("GET", address, foreign);
      hubRefused(reply, 401, isOld ? "GatedRepo" : undefined);
      const says = isOld
        ? /^The credential is invalid$/
        : /^Invalid credentials in Authorization header$/;
      assert.match(reply.headers.get("X-Error-Message") ?? "", says);
    }
    const refused = await viewer.send("GET", "/a/b/resolve/main/f", { headers });
    assert.match(hubRefused(refused, 403, "GatedRepo"), /resources\.download/);
  }
  const headers = { "User-Agent": "hf/2.4.0; hf_hub/2.4.0; python/3.11" };
  hubRefused(await viewer.send("GET", "/a/b/resolve/main/f", { headers }), 403);
});
