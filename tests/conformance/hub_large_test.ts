import * as assert from "node:assert/strict";
import type { PageRequest } from "../../core/hub/store.ts";
import { committed, commitText, HubClient, hubRefused, jsonOf, lines } from "../support/hub.ts";
import { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const FILES = 100_000;
const DIRECTORY = "models/team/large";
const API = "/api/models/team/large";

/** A server with a repository of very many files, which all have the same content. */
async function withFiles(count: number) {
  const server = await TestServer.start();
  const user = await server.as(7);
  await user.put(`${DIRECTORY}/first`, "content");
  const scope = { userId: 7, everyone: false };
  const found = await server.tree.records.findByPath(scope, [`${DIRECTORY}/first`]);
  const record = found.get(`${DIRECTORY}/first`);
  assert.ok(record);
  for (let start = 0; start < count; start += 5000) {
    const records = Array.from({ length: 5000 }, (_, index) => ({
      ...record,
      path: `${DIRECTORY}/file-${String(start + index).padStart(7, "0")}`,
    }));
    await server.tree.records.write((transaction) => transaction.insert(records));
  }
  return { server, user, hub: new HubClient(server, user) };
}

/** Notes the pages that are read, and how large they may be. */
function countPages({ hub: { store } }: TestServer): PageRequest[] {
  const requests: PageRequest[] = [];
  const page = store.page.bind(store);
  Object.defineProperty(store, "page", {
    value(request: PageRequest) {
      requests.push(request);
      return page(request);
    },
  });
  return requests;
}

Deno.test("C 20 a repository of 100 000 files is served in pages, as fast as it is read", async (t) => {
  const { server, user, hub } = await withFiles(FILES);
  await using _server = server;
  const requests = countPages(server);
  const headers = { Authorization: `Bearer ${user.token}` };

  await t.step("C 20 the information is streamed", async () => {
    const info: unknown = jsonOf(await hub.send("GET", `${API}?securityStatus=true`));
    assert.ok(typeof info === "object" && info !== null && "siblings" in info);
    assert.ok("securityRepoStatus" in info && Array.isArray(info.siblings));
    assert.equal(info.siblings.length, FILES + 1);
    const names = new Set(info.siblings.map(({ rfilename }) => rfilename));
    assert.equal(names.size, FILES + 1);
    assert.ok(requests.every(({ limit }) => limit <= 2000));
    assert.ok(requests.length >= FILES / 2000 + FILES / 1000);
  });
  await t.step("C 20 a client that reads nothing holds some pages", async () => {
    requests.length = 0;
    // Without a socket, whose buffers could take all of them.
    const reply = await server.app.request(`${hub.url}${API}?blobs=true`, { headers });
    const reader = reply.body?.getReader();
    await reader?.read();
    // It takes as long to read pages as there are of them, if nothing holds that up.
    await hub.send("GET", `${API}/tree/main?recursive=true`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const listed = requests.filter(({ form }) => form.kind === "siblings").length;
    assert.ok(listed < FILES / 1000 / 2, `${listed} pages`);
    await reader?.cancel();
  });
  await t.step("C 20 a change breaks the reply off, which would not be of one commit", async () => {
    const reply = await fetch(`${hub.url}${API}?blobs=true`, { headers });
    assert.equal(reply.status, 200);
    await user.put(`${DIRECTORY}/zzz`, "new");
    await assert.rejects(reply.text());
    assert.match(server.log.join("\n"), /The repository has changed/);
  });
  await t.step("C 20 a tree has a page of at most 1000, whatever is asked for", async () => {
    const reply = await hub.send("GET", `${API}/tree/main?limit=1000000`);
    const page: unknown = jsonOf(reply);
    assert.ok(Array.isArray(page));
    assert.equal(page.length, 1000);
    assert.match(reply.headers.get("Link") ?? "", /cursor=file-0000999>; rel="next"/);
  });
  await t.step("C 20 after its removal, which is a large change, there is none", async () => {
    assert.equal((await user.remove({ path: DIRECTORY })).status, 200);
    hubRefused(await hub.send("GET", API), 404, "RepoNotFound");
  });
});

/** Notes the files that are staged. */
function countStaged({ tree: { blobs } }: TestServer): { count: number } {
  const staged = { count: 0 };
  const stage = blobs.stage.bind(blobs);
  Object.defineProperty(blobs, "stage", {
    value(content: Parameters<typeof stage>[0]) {
      staged.count++;
      return stage(content);
    },
  });
  return staged;
}

Deno.test("C 22 the large commits of a user are read one at a time, others' and small ones beside them", async () => {
  await using server = await TestServer.start();
  const staged = countStaged(server);
  const ended: string[] = [];
  const repository = "team/one";
  const users = await Promise.all([7, 8].map((id) => server.as(id)));
  const [hub, other] = users.map((user) => new HubClient(server, user));
  assert.ok(hub !== undefined && other !== undefined);
  for (const each of [hub, other]) assert.equal((await each.create(repository)).status, 200);
  const textOf = (name: string, count: number) =>
    [
      lines.header(),
      ...Array.from({ length: count }, (_, index) => lines.file(`${name}/${index}`, name)),
    ]
      .map((line) => `${JSON.stringify(line)}\n`).join("");
  const commit = async (by: HubClient, name: string, body: BodyInit) => {
    committed(await commitText(by, repository, body));
    ended.push(name);
  };
  const held = Promise.withResolvers<void>();
  const first = commit(
    hub,
    "first",
    ReadableStream.from((async function* () {
      yield new TextEncoder().encode(textOf("first", 1500));
      await held.promise;
    })()),
  );
  await until(() => staged.count === 1500);
  const second = commit(hub, "second", textOf("second", 1500));
  await until(() => staged.count >= 1500 + 999);
  await commit(hub, "small", textOf("small", 900));
  await commit(other, "another's", textOf("another", 1500));
  assert.equal(staged.count, 1500 + 999 + 900 + 1500);
  assert.deepEqual(ended, ["small", "another's"]);
  held.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(ended.slice(2).sort(), ["first", "second"]);
});

Deno.test("C 20 a change of more records than are kept in memory changes the commit id", async () => {
  const { server, user, hub } = await withFiles(5000);
  await using _server = server;
  await user.put("models/team/other/f", "1");
  const shaOf = async () => {
    const info: unknown = jsonOf(await hub.send("GET", "/api/models/team/other?expand=sha"));
    assert.ok(typeof info === "object" && info !== null && "sha" in info);
    return info.sha;
  };
  const before = await shaOf();
  const copied = await user.copy({ source: DIRECTORY, destination: "models/team/other/sub" });
  assert.equal(copied.status, 200);
  const after = await shaOf();
  assert.notEqual(after, before);
  await user.remove({ path: "models/team/other/sub" });
  assert.equal(await shaOf(), before);
});
