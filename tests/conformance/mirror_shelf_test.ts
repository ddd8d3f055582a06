import * as assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import * as v from "valibot";
import { parsePolicy } from "../../core/policy/parse.ts";
import { MirrorEntry, MirrorFetch, MirrorFileList, MirrorList } from "../../schemas/mirror.ts";
import { type Client, dataOf, refused } from "../support/client.ts";
import { download, mirroring } from "../support/mirroring.ts";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { until } from "../support/until.ts";

async function ask(client: Client, body: Record<string, unknown>): Promise<MirrorEntry> {
  return v.parse(MirrorEntry, dataOf(await client.json("POST", "/mirror/", body)));
}

async function shelved(client: Client): Promise<string[]> {
  const { items } = v.parse(MirrorList, dataOf(await client.send("GET", "/mirror/")));
  return items.map((it) =>
    `${it.repository} ${it.fetched_files}/${it.files}${it.pinned_at === null ? "" : " pinned"}`
  );
}

async function filesOf(client: Client, id: number, query = {}) {
  const reply = await client.send("GET", `/mirror/${id}/files`, { query });
  return v.parse(MirrorFileList, dataOf(reply));
}

async function fetchAll(client: Client, id: number, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    await until(async () => {
      const reply = await client.json("POST", `/mirror/${id}/fetches`, { path });
      return v.parse(MirrorFetch, dataOf(reply)).is_fetched;
    });
  }
}

Deno.test("C 28 revisions of another hub are asked for, fetched ahead, pinned and given up", async (t) => {
  await using parts = await mirroring();
  const { double, server, hub } = parts;
  const commit = double.add("org/model", { "a.txt": "aa", "b.bin": "bbb", "dir/c": "c" });
  double.add("org/other", { f: "x" });
  const user = await server.as(1, ...USER_PRIVILEGES, "mirror.use");
  const admin = await server.admin();
  const entry = await ask(user, { repository: "org/model" });

  await t.step("nothing is fetched for asking", async () => {
    const { repository, type, files, bytes, fetched_files } = entry;
    assert.deepEqual({ repository, type, files, bytes, fetched_files, commit: entry.commit }, {
      ...{ repository: "org/model", type: "model", files: 3, bytes: 6, fetched_files: 0, commit },
    });
    assert.deepEqual(await shelved(user), []);
    const page = await filesOf(user, entry.id, { limit: "2" });
    assert.deepEqual(
      page.items.map(({ path, outcome, fetched_at }) => [path, outcome, fetched_at]),
      [
        ["a.txt", "allow", null],
        ["b.bin", "allow", null],
      ],
    );
    const rest = await filesOf(user, entry.id, { after: page.next ?? "" });
    assert.deepEqual([rest.items.map(({ path }) => path), rest.next], [["dir/c"], null]);
  });
  await t.step("files that are fetched ahead are served without the other hub", async () => {
    await fetchAll(user, entry.id, "a.txt", "dir/c");
    assert.deepEqual(await shelved(user), ["org/model 2/3"]);
    const asked = double.requests.length;
    const { bytes } = await download(hub, `/org/model/resolve/${commit}/a.txt`);
    assert.equal(new TextDecoder().decode(bytes), "aa");
    assert.equal(double.requests.length, asked);
  });
  await t.step("administrators pin and give up", async () => {
    const pin = (pinned: boolean) => admin.json("PATCH", `/mirror/${entry.id}`, { pinned });
    dataOf(await pin(true));
    assert.deepEqual(await shelved(user), ["org/model 2/3 pinned"]);
    dataOf(await pin(false));
    assert.deepEqual(await shelved(user), ["org/model 2/3"]);
    dataOf(await pin(true));
    dataOf(await admin.send("DELETE", `/mirror/${entry.id}`));
    assert.deepEqual(await shelved(user), []);
    const fetched = (await filesOf(user, entry.id)).items.filter(({ fetched_at }) => fetched_at);
    assert.deepEqual(fetched, []);
    await fetchAll(user, entry.id, "a.txt");
    assert.deepEqual(await shelved(user), ["org/model 1/3"]);
  });
  await t.step("who may do what", async () => {
    const stranger = await server.as(2);
    const forbidden = [
      await stranger.send("GET", "/mirror/"),
      await stranger.json("POST", "/mirror/", { repository: "org/model" }),
      await user.json("PATCH", `/mirror/${entry.id}`, { pinned: true }),
      await user.send("DELETE", `/mirror/${entry.id}`),
    ];
    for (const reply of forbidden) refused(reply, 403, "ErrNotPermitted");
    refused(await user.send("GET", "/mirror/999/files"), 404, "ErrHubRevisionNotFound");
    refused(
      await user.json("POST", `/mirror/${entry.id}/fetches`, { path: "none" }),
      404,
      "ErrHubEntryNotFound",
    );
    const missing = await user.json("POST", "/mirror/", { repository: "org/none" });
    refused(missing, 404, "ErrHubRepositoryNotFound");
  });
});

Deno.test("C 28 what the policy would do to a revision is said before it is fetched", async () => {
  const policy = parsePolicy({
    rule: [
      { name: "no-exe", deny: "No programs", file: "*.exe" },
      { name: "no-pickles", deny: "Convert it", format: "pickle" },
    ],
  });
  if ("problem" in policy) throw new Error(policy.problem);
  await using parts = await mirroring({ settings: { gate: "block" }, policy });
  const { double, server } = parts;
  double.add("org/model", { "a.exe": "x", "config.json": "{}" });
  const user = await server.as(1, ...USER_PRIVILEGES, "mirror.use");
  const { id } = await ask(user, { repository: "org/model" });
  const said = async () =>
    (await filesOf(user, id)).items.map(({ path, outcome, rule, missing }) =>
      [path, outcome, rule, ...missing].join(" ")
    );
  assert.deepEqual(await said(), [
    "a.exe deny no-exe",
    "config.json undecided no-pickles format",
  ]);
  const refusal = await user.json("POST", `/mirror/${id}/fetches`, { path: "a.exe" });
  assert.match(refused(refusal, 403, "ErrResourcesRefused"), /the rule no-exe refuses it/);
  await fetchAll(user, id, "config.json");
  assert.deepEqual(await said(), ["a.exe deny no-exe", "config.json allow default"]);
});

Deno.test("C 28 a server that mirrors no other hub says so", async () => {
  await using server = await TestServer.start();
  const user = await server.as(1, "mirror.use");
  assert.match(
    refused(await user.send("GET", "/mirror/"), 404, "ErrMirrorNotOffered"),
    /STRONGROOM_MIRROR_URL/,
  );
});

Deno.test("C 28 a file that the server was killed before it noted it is noted when it is asked for", async () => {
  await using parts = await mirroring();
  const { double, server, hub } = parts;
  double.add("org/model", { "a.txt": "aa" });
  await download(hub, "/org/model/resolve/main/a.txt");
  const user = await server.as(1, ...USER_PRIVILEGES, "mirror.use");
  {
    using database = new DatabaseSync(`${server.dataDir}/strongroom.db`, { timeout: 10_000 });
    database.exec("UPDATE mirror_entries SET fetched_at = NULL");
  }
  assert.deepEqual(await shelved(user), []);
  await download(hub, "/org/model/resolve/main/a.txt");
  assert.deepEqual(await shelved(user), ["org/model 1/1"]);
});
