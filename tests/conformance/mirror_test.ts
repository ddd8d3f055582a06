import * as assert from "node:assert/strict";
import * as v from "valibot";
import { dataOf, refused } from "../support/client.ts";
import { HubDouble } from "../support/hub_double.ts";
import { HubClient, hubRefused, jsonOf } from "../support/hub.ts";
import { download, mirrorClient, mirroring, open } from "../support/mirroring.ts";
import { noise } from "../support/random.ts";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;

Deno.test("C 28 files of another hub are fetched once, and have its commit ids and digests", async () => {
  await using parts = await mirroring();
  const { double, hub } = parts;
  const weights = noise(3 * MIB, 1);
  const commit = double.add("org/model", {
    "config.json": "{}\n",
    "sub/model.safetensors": { content: weights },
    "empty.txt": "",
  });
  const info = jsonOf(await hub.send("GET", "/api/models/org/model/revision/main"));
  assert.partialDeepStrictEqual(info, {
    ...{ id: "org/model", sha: commit, tags: ["license:mit"], pipeline_tag: "text-generation" },
    siblings: [
      { rfilename: "config.json" },
      { rfilename: "empty.txt" },
      { rfilename: "sub/model.safetensors" },
    ],
  });
  const tree = await hub.send("GET", `/api/models/org/model/tree/${commit}?recursive=true`);
  // Clients would use another protocol.
  assert.equal(tree.text.includes("xetHash"), false);
  assert.equal(double.taken().some(({ path }) => path.includes("/resolve/")), false);
  for (const attempt of [1, 2]) {
    const { response, bytes } = await download(
      hub,
      "/org/model/resolve/main/sub/model.safetensors",
    );
    assert.equal(response.status, 200);
    assert.deepEqual(bytes, weights);
    assert.equal(response.headers.get("X-Repo-Commit"), commit);
    assert.equal(response.headers.get("X-Xet-Hash"), null);
    const config = await download(hub, `/org/model/resolve/${commit}/config.json`);
    assert.equal(new TextDecoder().decode(config.bytes), "{}\n");
    const empty = await download(hub, `/org/model/resolve/${commit}/empty.txt`);
    assert.equal(empty.bytes.length, 0);
    // A redirect and the content of each, but for what has none.
    assert.equal(double.taken().length, attempt === 1 ? 4 : 0);
  }
});

Deno.test("C 28 listings of a mirrored repository are those of a repository", async () => {
  await using parts = await mirroring();
  const { double, hub } = parts;
  const files = Object.fromEntries(
    Array.from({ length: 7 }, (_, index) => [`d${index % 3}/f${index}.txt`, `${index}`]),
  );
  const commit = double.add("org/data", files, { kind: "datasets" });
  const paths = async (address: string) => {
    const found: string[] = [];
    for (let next: string | undefined = hub.url + address; next !== undefined;) {
      const response: Response = await fetch(next, {
        headers: { Authorization: `Bearer ${hub.token}` },
      });
      for (const { path } of await response.json()) found.push(path);
      assert.equal(response.headers.get("X-Repo-Commit"), commit);
      next = /<(.*)>/.exec(response.headers.get("Link") ?? "")?.[1];
    }
    return found;
  };
  const all = [...Object.keys(files), "d0", "d1", "d2"].sort();
  assert.deepEqual(await paths("/api/datasets/org/data/tree/main?recursive=true&limit=3"), all);
  assert.deepEqual(await paths("/api/datasets/org/data/tree/main"), ["d0", "d1", "d2"]);
  assert.deepEqual(await paths(`/api/datasets/org/data/tree/${commit}/d1`), [
    "d1/f1.txt",
    "d1/f4.txt",
  ]);
  const found = await hub.post("/api/datasets/org/data/paths-info/main", {
    paths: ["d1", "d2/f5.txt", "d2/none"],
  });
  assert.partialDeepStrictEqual(jsonOf(found), [
    { type: "directory", path: "d1" },
    { type: "file", path: "d2/f5.txt", size: 1 },
  ]);
  hubRefused(await hub.send("GET", "/api/datasets/org/data/tree/main/no"), 404, "EntryNotFound");
  hubRefused(await hub.send("GET", "/datasets/org/data/resolve/main/no"), 404, "EntryNotFound");
  hubRefused(await hub.send("GET", "/api/datasets/org/data/revision/no"), 404, "RevisionNotFound");
  hubRefused(await hub.send("GET", "/api/models/org/data"), 404, "RepoNotFound");
});

Deno.test("C 28 all files of a large mirrored repository are named as they are read", async () => {
  await using parts = await mirroring();
  const { double, hub } = parts;
  const names = Array.from({ length: 1500 }, (_, index) => `${index}`.padStart(4, "0"));
  double.pageEntries = 1000;
  double.add("org/model", Object.fromEntries(names.map((name) => [name, "x"])));
  const response = await open(hub, "/api/models/org/model?securityStatus=true");
  // It is not made as a whole before.
  assert.equal(response.headers.get("Content-Length"), null);
  const info = await response.json();
  assert.deepEqual(info.siblings, names.map((rfilename) => ({ rfilename })));
  assert.deepEqual(info.securityRepoStatus, { scansDone: false, filesWithIssues: [] });
});

Deno.test("C 28 the next page of a listing may have a relative address", async () => {
  await using parts = await mirroring();
  const { double, hub } = parts;
  double.add("org/model", { a: "x", b: "x", c: "x" });
  double.referTo = (address) => new URL(address).search;
  const tree = jsonOf(await hub.send("GET", "/api/models/org/model/tree/main"));
  assert.partialDeepStrictEqual(tree, [{ path: "a" }, { path: "b" }, { path: "c" }]);
  double.add("org/other", { a: "x", b: "x", c: "x" });
  double.referTo = () => "http://[";
  assert.equal((await hub.send("GET", "/api/models/org/other/tree/main")).status, 503);
});

Deno.test("C 28 repositories without a namespace, and renamed ones, are mirrored by the name that is asked for", async () => {
  await using parts = await mirroring();
  const { double, hub, server } = parts;
  double.add("new/name", { "a.txt": "a" });
  double.repository("old/name").renamedTo = "new/name";
  double.repository("name").renamedTo = "new/name";
  for (const client of [hub, await mirrorClient(server, 1, ["mirror.use"], "/m")]) {
    const plain = await download(client, "/name/resolve/main/a.txt");
    assert.equal(new TextDecoder().decode(plain.bytes), "a");
  }
  for (const address of ["", "/revision/main", "/tree/main"]) {
    const reply = await hub.send("GET", `/api/models/name${address}`);
    assert.match(JSON.stringify(jsonOf(reply)), /a\.txt/);
  }
  assert.equal((await hub.send("GET", "/api/models/other")).status, 404);
  const { bytes } = await download(hub, "/old/name/resolve/main/a.txt");
  assert.equal(new TextDecoder().decode(bytes), "a");
  assert.partialDeepStrictEqual(jsonOf(await hub.send("GET", "/api/models/old/name")), {
    id: "old/name",
  });
});

Deno.test("C 28 addresses of repositories without a namespace are not taken for others", async () => {
  await using parts = await mirroring();
  const { double, hub, server } = parts;
  double.add("org/squad", { "a.txt": "a" }, { kind: "datasets" });
  double.repository("squad", "datasets").renamedTo = "org/squad";
  double.add("gpt2", { "a.txt": "a" });
  for (const client of [hub, await mirrorClient(server, 1, ["mirror.use"], "/m")]) {
    const { bytes } = await download(client, "/datasets/squad/resolve/main/a.txt");
    assert.equal(new TextDecoder().decode(bytes), "a");
    assert.equal((await client.send("GET", "/api/models/gpt2/auth-check")).status, 200);
    assert.equal((await client.send("GET", "/api/models/other/auth-check")).status, 404);
  }
});

Deno.test("C 28 a tree's own repositories come before those of another hub, and /hub/m has these alone", async () => {
  await using parts = await mirroring();
  const { double, hub, server } = parts;
  double.add("org/model", { "who.txt": "theirs" });
  await hub.create("org/model");
  const who = async (client: typeof hub) => {
    const { response, bytes } = await download(client, "/org/model/resolve/main/who.txt");
    return response.status === 200 ? new TextDecoder().decode(bytes) : response.status;
  };
  // An own repository hides another one, also where it lacks a file.
  assert.equal(await who(hub), 404);
  assert.deepEqual(double.taken(), []);
  const alone = await mirrorClient(server, 1, ["mirror.use"], "/m");
  assert.equal(await who(alone), "theirs");
  assert.equal(await who(await mirrorClient(server, 2)), "theirs");
  assert.equal(await who(await mirrorClient(server, 2, USER_PRIVILEGES)), 404);
  assert.equal(await who(await mirrorClient(server, 2, USER_PRIVILEGES, "/m")), 403);
  // What is mirrored cannot be written to.
  const commit = await alone.post("/api/models/org/model/commit/main", {});
  assert.equal(commit.status, 501);
});

Deno.test("C 28 nobody outside can take a name that is used inside", async () => {
  await using parts = await mirroring({ settings: { ownNamespaces: ["acme"] } });
  const { double, server } = parts;
  double.add("acme/secret", { "config.json": "evil" });
  double.add("ACME/secret", { "config.json": "evil" });
  double.add("acme/secret", { "config.json": "evil" }, { kind: "datasets" });
  for (const mount of ["", "/m"]) {
    const hub = await mirrorClient(server, 1, undefined, mount);
    for (const id of ["acme/secret", "ACME/secret", "acme%2Fsecret"]) {
      for (
        const address of [
          `/api/models/${id}`,
          `/api/models/${id}/revision/main`,
          `/api/models/${id}/tree/main`,
          `/${id}/resolve/main/config.json`,
          `/datasets/${id}/resolve/main/config.json`,
        ]
      ) {
        const reply = await hub.send("GET", address);
        assert.ok([400, 404, 501].includes(reply.status), `${address}: ${reply.status}`);
        assert.equal(reply.text.includes("evil"), false);
      }
    }
  }
  assert.deepEqual(double.requests, []);
  // Nor by an old name of what has it there.
  double.repository("past/secret").renamedTo = "acme/secret";
  const hub = await mirrorClient(server, 1);
  hubRefused(await hub.send("GET", "/past/secret/resolve/main/config.json"), 404, "RepoNotFound");
});

Deno.test("C 28 what was known of a namespace is not given once it is used inside", async () => {
  await using directory = await TempDir.make();
  await using double = HubDouble.start();
  double.add("org/model", { "a.txt": "a", "b.txt": "b" });
  let address = "";
  let id = 0;
  {
    await using parts = await mirroring({ dataDir: directory.path, double });
    const { hub, server } = parts;
    await download(hub, "/org/model/resolve/main/b.txt");
    const response = await fetch(`${hub.url}/org/model/resolve/main/a.txt`, {
      redirect: "manual",
      headers: { Authorization: `Bearer ${hub.token}` },
    });
    await response.body?.cancel();
    address = response.headers.get("Location") ?? "";
    const admin = await server.admin();
    const asked = dataOf(await admin.json("POST", "/mirror/", { repository: "org/model" }));
    id = v.parse(v.object({ id: v.number() }), asked).id;
  }
  const settings = { ownNamespaces: ["org"] };
  await using parts = await mirroring({ dataDir: directory.path, double, settings });
  const { server } = parts;
  const signed = await fetch(server.origin + address);
  assert.equal(signed.status, 404, await signed.text());
  const admin = await server.admin();
  for (const path of ["a.txt", "b.txt"]) {
    const reply = await admin.json("POST", `/mirror/${id}/fetches`, { path });
    refused(reply, 404, "ErrHubRepositoryNotFound");
  }
});

Deno.test("C 28 a revision is fixed, and served with the other hub away", async () => {
  await using parts = await mirroring({ settings: { mirrorFresh: 0 } });
  const { double, hub } = parts;
  const first = double.add("org/model", { "a.txt": "one", "b.txt": "b" });
  const text = async (revision: string, path = "a.txt") => {
    const { response, bytes } = await download(hub, `/org/model/resolve/${revision}/${path}`);
    return [
      response.status,
      response.headers.get("X-Repo-Commit"),
      new TextDecoder().decode(bytes),
    ];
  };
  assert.deepEqual(await text("main"), [200, first, "one"]);
  const second = double.add("org/model", { "a.txt": "two", "b.txt": "b" });
  assert.deepEqual(await text("main"), [200, second, "two"]);
  assert.deepEqual(await text(first), [200, first, "one"]);
  double.fault = () => ({ status: 503 });
  double.taken();
  assert.deepEqual(await text(first), [200, first, "one"]);
  assert.deepEqual(double.taken(), []);
  const stale = await open(hub, "/api/models/org/model/revision/main");
  assert.equal((await stale.json()).sha, second);
  assert.ok(Date.parse(stale.headers.get("X-Mirror-Stale") ?? "") <= Date.now());
  // What was never fetched cannot be had.
  assert.equal((await text("main", "b.txt"))[0], 503);
  // Nor can be found what is gone, but for what is here.
  double.fault = () => undefined;
  double.remove("org/model");
  assert.deepEqual(await text("main"), [200, second, "two"]);
});

Deno.test("C 28 a name is asked again when its time is over, and not before", async () => {
  await using parts = await mirroring({ settings: { mirrorFresh: 3_600_000 } });
  const { double, hub } = parts;
  const first = double.add("org/model", { "a.txt": "one" });
  assert.partialDeepStrictEqual(jsonOf(await hub.send("GET", "/api/models/org/model")), {
    sha: first,
  });
  double.taken();
  double.add("org/model", { "a.txt": "two" });
  for (const revision of ["main", "HEAD", first]) {
    const info = jsonOf(await hub.send("GET", `/api/models/org/model/revision/${revision}`));
    assert.partialDeepStrictEqual(info, { sha: first });
  }
  assert.deepEqual(double.taken(), []);
});

Deno.test("C 28 content that the mirror has under another revision is not fetched again", async () => {
  await using parts = await mirroring({ settings: { mirrorFresh: 0 } });
  const { double, hub } = parts;
  const content = noise(2 * MIB, 2);
  for (const version of ["one", "two"]) {
    double.add("org/model", { "w.bin": { content }, "a.txt": version });
    const { bytes } = await download(hub, "/org/model/resolve/main/w.bin");
    assert.deepEqual(bytes, content);
  }
  assert.equal(double.taken().filter(({ host }) => host === "content").length, 1);
});

Deno.test("C 28 many clients share one fetch, and read before it has ended", async () => {
  await using parts = await mirroring();
  const { double, hub, server } = parts;
  const content = noise(4 * MIB, 3);
  double.add("org/model", { "w.bin": { content } });
  // Half of it comes, and the rest after all have read of it.
  double.fault = ({ host, range }) =>
    host === "content" && range === null ? { stallAt: 2 * MIB } : undefined;
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => open(hub, "/org/model/resolve/main/w.bin")),
  );
  const readers = responses.map((it) => it.body?.getReader());
  for (const reader of readers) assert.ok((await reader?.read())?.value?.length);
  assert.equal(double.taken().filter(({ host }) => host === "content").length, 1);
  double.resume();
  for (const reader of readers) {
    for (let part = await reader?.read(); part?.done === false;) part = await reader?.read();
  }
  const rest = double.taken().filter(({ host }) => host === "content");
  assert.deepEqual(rest.map(({ range }) => range), [`bytes=${2 * MIB}-`]);
  const { bytes } = await download(hub, "/org/model/resolve/main/w.bin");
  assert.deepEqual(bytes, content);
  await until(async () => (await server.temporaryFiles()).length === 0);
});

Deno.test("C 28 the tree of the mirror is changed by nobody else", async () => {
  await using parts = await mirroring();
  const { double, hub, server } = parts;
  const commit = double.add("org/model", { "a.txt": "one" });
  await download(hub, "/org/model/resolve/main/a.txt");
  const admin = await server.admin();
  const path = `models/org/model@${commit}/a.txt`;
  const found = await admin.send("GET", "/resources/", {
    query: { tree: "mirror", recursive: "true" },
  });
  assert.ok(found.text.includes(path), found.text);
  const query = { tree: "mirror", path };
  for (
    const reply of [
      await admin.send("DELETE", "/resources/", { query }),
      await admin.send("DELETE", "/resources/", { query: { path } }),
      await admin.send("PUT", `/files/${path}`, { query: { tree: "mirror" }, body: "two" }),
    ]
  ) assert.equal(reply.status, 403, reply.text);
  assert.equal((await download(hub, "/org/model/resolve/main/a.txt")).response.status, 200);
});

Deno.test("C 28 what was asked for longest ago makes room, and what is too large is refused", async () => {
  await using parts = await mirroring({ settings: { mirrorMaxBytes: 3 * MIB } });
  const { double, hub } = parts;
  const names = ["a", "b", "c"];
  const content = (index: number) => ({ content: noise(Math.floor(1.4 * MIB), index) });
  double.add("org/model", {
    ...Object.fromEntries(names.map((name, index) => [name, content(index)])),
    huge: { content: noise(4 * MIB, 9) },
  });
  const get = async (name: string) => {
    const { response } = await download(hub, `/org/model/resolve/main/${name}`);
    return [response.status, double.taken().some(({ host }) => host === "content")];
  };
  for (const name of names) assert.deepEqual(await get(name), [200, true]);
  // Two of them fit: the first has made room for the last.
  assert.deepEqual(await get("c"), [200, false]);
  assert.deepEqual(await get("a"), [200, true]);
  assert.deepEqual(await get("huge"), [400, false]);
  assert.deepEqual(await get("a"), [200, false]);
});

Deno.test("C 28 another strongroom can be mirrored, with a credential for it", async () => {
  await using other = await TestServer.start();
  const theirs = await other.as(7);
  const content = noise(2 * MIB, 4);
  await theirs.put("models/org/model/config.json", "{}");
  await theirs.put("models/org/model/w.bin", content);
  const mirrorUrl = `${other.origin}/hub`;
  await using parts = await mirroring({
    settings: { mirrorUrl, mirrorToken: theirs.token, mirrorHosts: [] },
  });
  const { hub } = parts;
  for (
    const [path, expected] of [["config.json", new TextEncoder().encode("{}")], [
      "w.bin",
      content,
    ]] as const
  ) {
    const { response, bytes } = await download(hub, `/org/model/resolve/main/${path}`);
    assert.equal(response.status, 200);
    assert.deepEqual(bytes, expected);
  }
  const direct = jsonOf(await new HubClient(other, theirs).send("GET", "/api/models/org/model"));
  const mirrored = jsonOf(await hub.send("GET", "/api/models/org/model"));
  const { sha } = v.parse(v.object({ sha: v.string() }), direct);
  assert.partialDeepStrictEqual(mirrored, { sha });
});

Deno.test("C 28 what the other hub gives to others only is refused with its reason", async () => {
  await using parts = await mirroring();
  const { double, hub } = parts;
  double.add("org/model", { "a.txt": "a" });
  double.repository("org/model").isGated = true;
  const message = hubRefused(
    await hub.send("GET", "/org/model/resolve/main/a.txt"),
    403,
    "GatedRepo",
  );
  assert.match(message, /Access to org\/model is restricted/);
});

Deno.test("C 28 admissions are in the audit log, and metrics count what the mirror does", async () => {
  await using parts = await mirroring({ settings: { metrics: "open" } });
  const { double, hub, server } = parts;
  const commit = double.add("org/model", { "a.txt": "four" });
  for (const revision of ["main", commit]) {
    await download(hub, `/org/model/resolve/${revision}/a.txt`);
  }
  const log = (await Deno.readTextFile(`${server.dataDir}/audit.log`)).trim().split("\n");
  const admitted = log.map((line) => JSON.parse(line)).filter(({ action }) =>
    action === "mirror.admit"
  );
  assert.equal(admitted.length, 1);
  assert.partialDeepStrictEqual(admitted[0], {
    ...{ user: 1, tree_name: "mirror", outcome: "ok", size: 4 },
    paths: [`models/org/model@${commit}/a.txt`],
  });
  const metrics = await (await fetch(`${server.origin}/metrics`)).text();
  for (
    const [name, value] of [
      ["requests_total", 2],
      ["hits_total", 1],
      ["fetched_files_total", 1],
      ["fetched_bytes_total", 4],
      ["fetches", 0],
    ]
  ) assert.ok(metrics.includes(`\nstrongroom_mirror_${name} ${value}\n`), metrics);
});
