import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { auditOf } from "../support/audit.ts";
import { HubClient, hubRefused, jsonOf } from "../support/hub.ts";
import { mintToken, TestServer } from "../support/server.ts";
import { Client } from "../support/client.ts";

Deno.test("C 20 create makes the directory of a repository", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);

  await t.step("C 20 a model and a data set, with the address that the client parses", async () => {
    const url = `${server.origin}/hub/models/team/one`;
    assert.deepEqual(jsonOf(await hub.create("team/one")), {
      url,
      name: "team/one",
      id: "team/one",
    });
    const dataset = jsonOf(await hub.create("team/one", "dataset"));
    assert.deepEqual(dataset, {
      url: `${server.origin}/hub/datasets/team/one`,
      name: "team/one",
      id: "team/one",
    });
    assert.deepEqual(await user.tree(), [
      "datasets",
      "datasets/team",
      "datasets/team/one",
      "models",
      "models/team",
      "models/team/one",
    ]);
    assert.equal((await hub.send("GET", "/api/models/team/one")).status, 200);
  });
  await t.step("C 20 one that exists: 409 with its address", async () => {
    const reply = await hub.create("team/one");
    hubRefused(reply, 409);
    const body: unknown = JSON.parse(reply.text);
    assert.deepEqual(body, {
      error: "The repository team/one exists already",
      url: `${server.origin}/hub/models/team/one`,
    });
  });
  await t.step("C 20 without a namespace, that of the caller", async () => {
    for (const organization of [null, undefined]) {
      const body = { name: `mine-${organization}`, organization, visibility: "private" };
      assert.deepEqual(jsonOf(await hub.post("/api/repos/create", body)), {
        url: `${server.origin}/hub/models/user-7/${body.name}`,
        name: `user-7/${body.name}`,
        id: `user-7/${body.name}`,
      });
    }
  });
  await t.step("C 20 what cannot be made is refused with the reason", async () => {
    const refusals: [unknown, RegExp][] = [
      [{ name: "x", organization: "team", type: "space" }, /type must be .*, not "space"/],
      [{ organization: "team" }, /name is missing/],
      [{ name: 1 }, /name must be string/],
      [{ name: "x", organization: "" }, /expected a namespace/],
      ...["..", ".", "a/b", "", "a b", "a--b", "-a", "a.", "x".repeat(97), "a.git", "é", "a\0b"]
        .map((name): [unknown, RegExp] => [{ name, organization: "team" }, /expected a namespace/]),
      ...["..", "api", "datasets", "lfs", "models", "spaces", "t", "a/b"]
        .map((organization): [unknown, RegExp] => [
          { name: "x", organization },
          /^[a-z]+$/.test(organization)
            ? new RegExp(`the namespace "${organization}" is reserved`)
            : /expected a namespace/,
        ]),
    ];
    const before = await user.tree();
    for (const [body, reason] of refusals) {
      assert.match(hubRefused(await hub.post("/api/repos/create", body), 400), reason);
    }
    await user.upload("models/team", { file: "a file" });
    assert.match(hubRefused(await hub.create("team/file"), 400), /is a file/);
    assert.deepEqual(await user.tree(), [...before, "models/team/file"].sort());
  });
  await t.step(
    "C 20 the privilege to upload is needed, in the tree that the address names",
    async () => {
      const reader = new HubClient(server, await server.as(7, "resources.view"));
      hubRefused(await reader.create("team/two"), 403);
      const trees = { "9": ["resources.upload"] };
      const guest = new Client(
        server.url,
        await mintToken({ userId: 8, privileges: ["resources.upload"], trees }),
      );
      const url = `${server.origin}/hub/t/9/models/team/two`;
      const reply = await new HubClient(server, guest, 9).create("team/two");
      assert.deepEqual(jsonOf(reply), { url, name: "team/two", id: "team/two" });
      hubRefused(await new HubClient(server, guest, 7).create("team/two"), 403);
      assert.deepEqual(await (await server.as(9)).tree(), [
        "models",
        "models/team",
        "models/team/two",
      ]);
      hubRefused(
        await hub.send("POST", "/api/repos/create", { headers: { Authorization: "" } }),
        401,
      );
    },
  );
  await t.step("C 22 it is in the audit log", async () => {
    const [first] = await auditOf(server);
    const { user, tree, action, paths, outcome } = first ?? {};
    assert.deepEqual(
      { user, tree, action, paths, outcome },
      { user: 7, tree: 7, action: "hub.create", paths: ["models/team/one"], outcome: "ok" },
    );
  });
});

function sha1OfBlob(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

Deno.test("C 20 preupload says how files are sent, and what is there", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const address = "/api/models/team/one/preupload/main";
  const plan = async (files: unknown[]) => jsonOf(await hub.post(address, { files }));

  await t.step("C 20 only of a repository that exists", async () => {
    hubRefused(await hub.post(address, { files: [] }), 404, "RepoNotFound");
    await hub.create("team/one");
    hubRefused(
      await hub.post(address.replace("main", "dev"), { files: [] }),
      404,
      "RevisionNotFound",
    );
    assert.deepEqual(await plan([]), { files: [] });
    const info = jsonOf(await hub.send("GET", "/api/models/team/one"));
    assert.ok(typeof info === "object" && info !== null && "sha" in info);
    for (const revision of ["refs%2Fheads%2Fmain", String(info.sha)]) {
      jsonOf(await hub.post(address.replace("main", revision), { files: [] }));
    }
  });
  await t.step("C 20 up to 64 KiB in the commit, more by Git LFS", async () => {
    const files = [0, 65_536, 65_537, 5e12].map((size, index) => ({ path: `${index}`, size }));
    assert.deepEqual(await plan(files), {
      files: ["regular", "regular", "lfs", "lfs"].map((uploadMode, index) => ({
        path: `${index}`,
        uploadMode,
        shouldIgnore: false,
        oid: null,
      })),
    });
  });
  await t.step("C 20 the id of what is there, if it has the size", async () => {
    const large = new Uint8Array(70_000).fill(1);
    await user.upload("models/team/one/dir", { "a.txt": "hello", "empty": "", "large.bin": large });
    const oidsOf = async (...files: [string, number][]) => {
      const reply = await plan(files.map(([path, size]) => ({ path, size, sample: "QQ==" })));
      assert.ok(typeof reply === "object" && reply !== null && "files" in reply);
      assert.ok(Array.isArray(reply.files));
      return reply.files.map(({ oid }) => oid);
    };
    assert.deepEqual(
      await oidsOf(["dir/a.txt", 5], ["dir/empty", 0], ["dir/large.bin", 70_000]),
      [
        sha1OfBlob("hello"),
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        createHash("sha256").update(large).digest("hex"),
      ],
    );
    assert.deepEqual(
      await oidsOf(["dir/a.txt", 6], ["dir", 0], ["dir/large.bin", 5], ["dir/none", 5]),
      [null, null, null, null],
    );
  });
  await t.step("C 20 those who may only upload do not learn it", async () => {
    const writer = new HubClient(server, await server.as(7, "resources.upload"));
    const reply = jsonOf(await writer.post(address, { files: [{ path: "dir/a.txt", size: 5 }] }));
    assert.deepEqual(reply, {
      files: [{ path: "dir/a.txt", uploadMode: "regular", shouldIgnore: false, oid: null }],
    });
    const reader = new HubClient(server, await server.as(7, "resources.view"));
    hubRefused(await reader.post(address, { files: [] }), 403);
  });
  await t.step("C 20 hostile requests are refused", async () => {
    for (const path of ["../a", "/a", "a\0b", "a/../../b", "\ud800", "x/".repeat(300) + "x", ""]) {
      assert.match(
        hubRefused(await hub.post(address, { files: [{ path, size: 1 }] }), 400),
        /Invalid path|not valid JSON/,
      );
    }
    const tooMany = Array.from({ length: 1001 }, (_, index) => ({ path: `${index}`, size: 1 }));
    for (const files of [tooMany, [{ path: "a", size: -1 }], [{ path: "a" }], "a", undefined]) {
      hubRefused(await hub.post(address, { files }), 400);
    }
  });
});

Deno.test("C 20 the metadata of a README is valid, whatever it is", async () => {
  await using server = await TestServer.start();
  const hub = new HubClient(server, await server.as(7));
  for (const content of ["---\nlicense: mit\n---\n", "---\n{[\n---\n", "x".repeat(3_000_000)]) {
    const reply = await hub.post("/api/validate-yaml", { content, repoType: "model" });
    assert.deepEqual(jsonOf(reply), { errors: [], warnings: [] });
  }
});
