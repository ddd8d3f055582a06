import * as assert from "node:assert/strict";
import { auditOf } from "../support/audit.ts";
import { Client } from "../support/client.ts";
import { HubClient, hubRefused, jsonOf } from "../support/hub.ts";
import { mintToken, TestServer } from "../support/server.ts";

const MODEL = { name: "one", organization: "team", type: "model" };

/** A server with a model and a data set of one name, of user 7. */
async function start() {
  const server = await TestServer.start();
  const user = await server.as(7);
  for (const kind of ["models", "datasets"]) {
    await user.put(`${kind}/team/one/a.txt`, kind);
    await user.put(`${kind}/team/one/sub/b.bin`, "b");
  }
  return { server, user, hub: new HubClient(server, user) };
}

function remove(hub: HubClient, body: unknown) {
  return hub.send("DELETE", "/api/repos/delete", {
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
  });
}

function move(hub: HubClient, fromRepo: string, toRepo: string, type = "model") {
  return hub.post("/api/repos/move", { fromRepo, toRepo, type });
}

const DATASET = ["datasets", "datasets/team", "datasets/team/one"];
const DATASET_FILES = ["a.txt", "sub", "sub/b.bin"].map((path) => `datasets/team/one/${path}`);

Deno.test("C 31 delete removes a repository with its files", async (t) => {
  const { server, user, hub } = await start();
  await using _server = server;

  await t.step("C 31 what does not exist, or is a file, is RepoNotFound", async () => {
    await user.put("models/team/file", "file");
    for (const name of ["none", "file", "..", "one/sub", ""]) {
      hubRefused(await remove(hub, { ...MODEL, name }), 404, "RepoNotFound");
    }
    const reserved = hubRefused(
      await remove(hub, { ...MODEL, organization: "api" }),
      404,
      "RepoNotFound",
    );
    assert.match(reserved, /the namespace "api" is reserved/);
    hubRefused(await remove(hub, { organization: "team" }), 400);
    hubRefused(await remove(hub, { ...MODEL, type: "space" }), 400);
    await user.remove({ path: "models/team/file" });
  });
  await t.step("C 31 only with the privilege, in the tree of the address", async () => {
    const editor = new HubClient(server, await server.as(7, "resources.edit", "resources.view"));
    hubRefused(await remove(editor, MODEL), 403);
    const privileges = ["resources.delete", "resources.admin"];
    const admin = new Client(server.url, await mintToken({ userId: 8, privileges }));
    hubRefused(await remove(new HubClient(server, admin), MODEL), 404, "RepoNotFound");
  });
  await t.step("C 31 the other kind stays, and the namespace", async () => {
    jsonOf(await remove(hub, { ...MODEL, unknown: 1 }));
    assert.deepEqual(await user.tree(), [...DATASET, ...DATASET_FILES, "models", "models/team"]);
    hubRefused(await hub.send("GET", "/api/models/team/one"), 404, "RepoNotFound");
    hubRefused(await remove(hub, MODEL), 404, "RepoNotFound");
  });
  await t.step("C 31 without a namespace, that of the caller", async () => {
    await hub.post("/api/repos/create", { name: "mine" });
    jsonOf(await remove(hub, { name: "mine", organization: null }));
    assert.equal((await user.tree()).includes("models/user-7/mine"), false);
  });
  await t.step("C 22 it is in the audit log", async () => {
    const lines = (await auditOf(server)).filter(({ action }) => action === "hub.delete");
    const { user, paths, records } = lines.find(({ outcome }) => outcome === "ok") ?? {};
    assert.deepEqual({ user, paths, records }, { user: 7, paths: ["models/team/one"], records: 4 });
  });
});

Deno.test("C 31 move gives a repository another name", async (t) => {
  const { server, user, hub } = await start();
  await using _server = server;

  await t.step("C 31 with its files, into a new namespace", async () => {
    const { sha } = Object(jsonOf(await hub.send("GET", "/api/models/team/one")));
    jsonOf(await move(hub, "team/one", "group/two"));
    const files = ["a.txt", "sub", "sub/b.bin"].map((path) => `models/group/two/${path}`);
    assert.deepEqual(await user.tree(), [
      ...[...DATASET, ...DATASET_FILES],
      ...["models", "models/group", "models/group/two", ...files, "models/team"],
    ]);
    assert.equal(Object(jsonOf(await hub.send("GET", "/api/models/group/two"))).sha, sha);
    hubRefused(await hub.send("GET", "/api/models/team/one"), 404, "RepoNotFound");
  });
  await t.step("C 31 a data set", async () => {
    jsonOf(await move(hub, "team/one", "team/rows", "dataset"));
    assert.equal((await hub.send("GET", "/api/datasets/team/rows")).status, 200);
  });
  await t.step("C 31 never into one that exists, or over a file", async () => {
    await hub.create("team/three");
    const before = await user.tree();
    assert.match(hubRefused(await move(hub, "group/two", "team/three"), 409), /exists already/);
    await user.put("models/team/file", "file");
    hubRefused(await move(hub, "group/two", "team/file"), 409);
    hubRefused(await move(hub, "team/file", "team/four"), 404, "RepoNotFound");
    hubRefused(await move(hub, "group/two", "group/two"), 400);
    await user.remove({ path: "models/team/file" });
    assert.deepEqual(await user.tree(), before);
  });
  await t.step("C 31 the reason is said", async () => {
    hubRefused(await move(hub, "team/none", "team/four"), 404, "RepoNotFound");
    const reserved = await move(hub, "group/two", "spaces/two");
    assert.match(
      hubRefused(reserved, 400),
      /Cannot move to "spaces\/two": the namespace "spaces" is/,
    );
    assert.match(hubRefused(await move(hub, "group/two", "two"), 400), /expected a namespace and/);
    const uploader = new HubClient(server, await server.as(7, "resources.upload"));
    hubRefused(await move(uploader, "group/two", "group/five"), 403);
  });
  await t.step("C 22 it is in the audit log", async () => {
    const line = (await auditOf(server)).find(({ action }) => action === "hub.move");
    const { paths, outcome } = line ?? {};
    assert.deepEqual([paths, outcome], [["models/team/one", "models/group/two"], "ok"]);
  });
});

Deno.test("C 31 who asks for a public repository is told that none is", async () => {
  await using server = await TestServer.start();
  const hub = new HubClient(server, await server.as(7));
  const asked: [Record<string, unknown>, boolean][] = [
    [{}, false],
    [{ private: true }, false],
    [{ visibility: "private" }, false],
    [{ private: false }, true],
    [{ visibility: "public" }, true],
  ];
  for (const [index, [wanted, isWarned]] of asked.entries()) {
    const body = { name: `r${index}`, organization: "team", ...wanted };
    const reply = await hub.post("/api/repos/create", body);
    const { warning } = Object(jsonOf(reply));
    const shown = reply.headers.get("X-HF-Warning");
    assert.equal(warning !== undefined, isWarned);
    assert.equal(shown, isWarned ? `visibility; ${warning}` : null);
    if (isWarned) assert.match(String(warning), /is private: here, none is public/);
  }
});
