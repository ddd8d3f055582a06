import * as assert from "node:assert/strict";
import { Client, refused, type Reply } from "../support/client.ts";
import { DavClient, EXCLUSIVE, multistatusOf, SHARED } from "../support/dav.ts";
import { HubClient } from "../support/hub.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { CONTENT_TYPE, createUpload, TUS } from "../support/tus.ts";
import { until } from "../support/until.ts";

async function started(options: Parameters<typeof TestServer.start>[0] = {}) {
  const server = await TestServer.start(options);
  const api = await server.as(7);
  return { server, api, dav: new DavClient(server, api) };
}

/** The header `If` with the token of a lock. */
const having = (token: string) => ({ If: `(<${token}>)` });

/** A way to change the file `models/a/b/x.txt`, or to take it away. */
type Door = (server: TestServer, api: Client, dav: DavClient) => Promise<Reply>;

const DOORS: Readonly<Record<string, Door>> = {
  "PUT of a small file": (_server, api) => api.put("models/a/b/x.txt", "new"),
  "PUT of a large file": (_server, api) => api.put("models/a/b/x.txt", "n".repeat(200_000)),
  upload: (_server, api) =>
    api.send("POST", "/resources/", {
      query: { dir: "models/a/b", on_conflict: "replace" },
      body: formOf("x.txt"),
    }),
  "resumable upload": async (_server, api) => {
    const path = await createUpload(api, "models/a/b/x.txt", 3, {
      query: { on_conflict: "replace" },
    });
    const headers = { ...TUS, "Content-Type": CONTENT_TYPE, "Upload-Offset": "0" };
    return await api.send("PATCH", path, { headers, body: "new" });
  },
  "DELETE of the file": (_server, api) => api.file("DELETE", "models/a/b/x.txt"),
  "DELETE of what is above": (_server, api) => api.remove({ path: "models" }),
  "move of the file": (_server, api) =>
    api.move({ source: "models/a/b/x.txt", destination: "y.txt" }),
  "move of what is above": (_server, api) => api.move({ source: "models", destination: "other" }),
  "move onto the file": (_server, api) =>
    api.move({ source: "new.txt", destination: "models/a/b/x.txt", force: true }),
  "copy onto the file": (_server, api) =>
    api.copy({ source: "new.txt", destination: "models/a/b/x.txt", force: true }),
  "copy of a directory over what is above": (_server, api) =>
    api.copy({ source: "over", destination: "models", force: true }),
  "WebDAV's PUT": (_server, _api, dav) => dav.send("PUT", "models/a/b/x.txt", { body: "new" }),
  "WebDAV's MOVE onto what is above": (_server, _api, dav) =>
    dav.transfer("MOVE", "over", "models"),
  "commit of the hub": (server, api) => {
    const lines = [
      { key: "header", value: { summary: "x" } },
      { key: "file", value: { path: "x.txt", content: btoa("new"), encoding: "base64" } },
    ];
    return new HubClient(server, api).send("POST", "/api/models/a/b/commit/main", {
      body: lines.map((line) => JSON.stringify(line)).join("\n"),
      headers: { "Content-Type": "application/x-ndjson" },
    });
  },
};

function formOf(name: string): FormData {
  const form = new FormData();
  form.append("files", new Blob(["new"]), name);
  return form;
}

for (const [name, open] of Object.entries(DOORS)) {
  Deno.test(`C 30 a lock holds against every door: ${name}`, async () => {
    const { server, api, dav } = await started();
    await using _server = server;
    await api.upload("models/a/b", { "x.txt": "old" });
    await api.upload("over/a/b", { "x.txt": "new" });
    await api.put("new.txt", "new");
    const before = await api.tree();
    const token = await dav.lock("models/a/b/x.txt");
    const reply = await open(server, api, dav);
    assert.equal(reply.status, 423, reply.text);
    assert.deepEqual(await api.tree(), before);
    assert.equal((await dav.send("GET", "models/a/b/x.txt")).text, "old");
    await dav.unlock("models/a/b/x.txt", token);
    const later = await open(server, api, dav);
    assert.match(String(later.status), /^2/, later.text);
  });
}

Deno.test("C 30 a lock of a directory holds what is in it, or only which names it has", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  await api.upload("dir/sub", { "a.txt": "a" });
  const flat = await dav.lock("dir/sub", { Depth: "0" });
  refused(await api.put("dir/sub/b.txt", "b"), 423, "ErrResourcesLocked");
  refused(await api.file("DELETE", "dir/sub/a.txt"), 423, "ErrResourcesLocked");
  refused(await api.mkdir("dir/sub/c"), 423, "ErrResourcesLocked");
  refused(
    await api.move({ source: "dir/sub/a.txt", destination: "a.txt" }),
    423,
    "ErrResourcesLocked",
  );
  assert.equal((await api.put("dir/sub/a.txt", "changed")).status, 200);
  assert.equal((await api.put("dir/b.txt", "b")).status, 201);
  await dav.unlock("dir/sub", flat);
  const deep = await dav.lock("dir");
  refused(await api.put("dir/sub/a.txt", "a"), 423, "ErrResourcesLocked");
  refused(await api.put("dir/new/x.txt", "b"), 423, "ErrResourcesLocked");
  assert.equal((await api.put("elsewhere.txt", "a")).status, 201);
  // With its token, or from a name below, what it holds can be changed.
  const put = (headers: Record<string, string>) =>
    dav.send("PUT", "dir/sub/a.txt", { body: "b", headers });
  assert.equal((await put({})).status, 423);
  assert.equal((await put(having(deep))).status, 204);
  assert.equal((await put({ If: `<${dav.address("dir")}> (<${deep}>)` })).status, 204);
  assert.equal((await put({ If: "(<urn:uuid:none>)" })).status, 412);
  assert.equal((await put({ If: `(Not <urn:uuid:none>) (<${deep}>)` })).status, 204);
});

Deno.test("C 30 locks exclude each other, unless both are shared", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  await api.upload("dir", { "a.txt": "a" });
  const take = async (path: string, body: string, headers: Record<string, string> = {}) =>
    (await dav.send("LOCK", path, { body, headers })).status;
  assert.equal(await take("dir/a.txt", SHARED), 200);
  assert.equal(await take("dir/a.txt", SHARED), 200);
  assert.equal(await take("dir/a.txt", EXCLUSIVE), 423);
  assert.equal(await take("dir", EXCLUSIVE), 423);
  assert.equal(await take("dir", EXCLUSIVE, { Depth: "0" }), 200);
  assert.equal(await take("dir", SHARED), 423);
  assert.equal(await take("dir", "<lockinfo xmlns='DAV:'/>"), 400);
  assert.equal(await take("dir", SHARED, { Depth: "1" }), 400);
});

Deno.test("C 30 a LOCK where nothing is makes an empty file", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  const reply = await dav.send("LOCK", "new.txt", { body: EXCLUSIVE });
  assert.equal(reply.status, 201);
  assert.deepEqual(await api.tree(), ["new.txt"]);
  assert.equal((await dav.send("LOCK", "none/new.txt", { body: EXCLUSIVE })).status, 409);
  const [token = ""] = /urn:uuid:[\da-f-]+/.exec(reply.headers.get("Lock-Token") ?? "") ?? [];
  const put = await dav.send("PUT", "new.txt", { body: "a", headers: having(token) });
  assert.equal(put.status, 204);
});

Deno.test("C 30 only who has taken a lock can use its token", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  await api.put("a.txt", "a");
  const token = await dav.lock("a.txt");
  const other = new DavClient(
    server,
    new Client(
      server.url,
      await mintToken({ userId: 8, privileges: [], trees: { 7: USER_PRIVILEGES } }),
    ),
    7,
  );
  const put = (client: DavClient, path: string) =>
    client.send("PUT", path, { body: "b", headers: having(token) });
  assert.equal((await put(other, "a.txt")).status, 423);
  const headers = { "Lock-Token": `<${token}>` };
  assert.equal((await other.send("UNLOCK", "a.txt", { headers })).status, 403);
  assert.equal((await dav.send("UNLOCK", "other.txt", { headers })).status, 409);
  assert.equal((await dav.send("UNLOCK", "a.txt", { headers: { "Lock-Token": "x" } })).status, 400);
  assert.equal((await put(dav, "a.txt")).status, 204);
  // The owner of a tree ends the locks of others in it.
  await dav.unlock("a.txt", token);
  const taken = await other.lock("a.txt");
  await dav.unlock("a.txt", taken);
});

Deno.test("C 30 a lock ends by itself, after an hour at most, unless it is refreshed", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  await api.put("a.txt", "a");
  const timeout = async (headers: Record<string, string>, body?: string) => {
    const reply = await dav.send("LOCK", "a.txt", { headers, ...body !== undefined && { body } });
    return [/Second-(\d+)/.exec(reply.text)?.[1], reply.headers.get("Lock-Token")?.slice(1, -1)];
  };
  const [longest, token = ""] = await timeout(
    { Timeout: "Infinite, Second-4100000000" },
    EXCLUSIVE,
  );
  assert.equal(longest, "3600");
  const found = await dav.send("PROPFIND", "a.txt", {
    body: `<propfind xmlns="DAV:"><prop><lockdiscovery/></prop></propfind>`,
  });
  assert.ok(found.text.includes(token));
  assert.deepEqual([...(await multistatusOf(found)).values()], [{ lockdiscovery: "<activelock>" }]);
  assert.equal((await dav.send("LOCK", "a.txt", { headers: having("urn:uuid:x") })).status, 412);
  assert.equal((await timeout({ ...having(token), Timeout: "Second-1" }))[0], "1");
  await until(async () => (await api.put("a.txt", "b")).status === 200);
  assert.equal((await dav.send("PUT", "a.txt", { body: "c", headers: having(token) })).status, 412);
});

Deno.test("C 30 the lock of what is gone is gone, and of what has moved", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  await api.upload("dir", { "a.txt": "a", "b.txt": "b" });
  const [first, second] = [await dav.lock("dir/a.txt"), await dav.lock("dir/b.txt")];
  const headers = having(first);
  assert.equal((await dav.send("DELETE", "dir/a.txt", { headers })).status, 204);
  assert.equal((await api.put("dir/a.txt", "a")).status, 201);
  await dav.transfer("MOVE", "dir/b.txt", "dir/c.txt", having(second));
  assert.equal((await api.put("dir/c.txt", "c")).status, 200);
  assert.equal((await api.put("dir/b.txt", "b")).status, 201);
});

Deno.test("C 30 a lock holds against changes of many records, of which none remains", async () => {
  const { server, api, dav } = await started({ maxDirectRecords: 3 });
  await using _server = server;
  const files = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`${name}.txt`, name]));
  await api.upload("dir", files);
  await api.upload("other", files);
  const before = await api.tree();
  const token = await dav.lock("dir/e.txt");
  refused(await api.remove({ path: "dir" }), 423, "ErrResourcesLocked");
  refused(await api.move({ source: "dir", destination: "moved" }), 423, "ErrResourcesLocked");
  refused(
    await api.copy({ source: "other", destination: "dir", force: true }),
    423,
    "ErrResourcesLocked",
  );
  assert.equal((await dav.send("DELETE", "dir")).status, 423);
  assert.deepEqual(await api.tree(), before);
  await dav.unlock("dir/e.txt", token);
  assert.equal((await api.remove({ path: "dir" })).status, 200);
});

Deno.test("C 30 a lock holds after a restart", async () => {
  await using directory = await TempDir.make();
  const options = { dataDir: directory.path };
  {
    const { server, api, dav } = await started(options);
    await using _server = server;
    await api.put("a.txt", "a");
    await dav.lock("a.txt");
  }
  const { server, api } = await started(options);
  await using _server = server;
  refused(await api.put("a.txt", "b"), 423, "ErrResourcesLocked");
});
