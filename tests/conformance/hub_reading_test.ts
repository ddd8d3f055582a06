import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Settings } from "../../schemas/settings.ts";
import { HubClient, hubRefused, jsonOf } from "../support/hub.ts";
import { mintToken, TestServer } from "../support/server.ts";
import { Client } from "../support/client.ts";

const LARGE = "x".repeat(200_000);

/** A server with a model and a data set of user 7. */
async function withRepositories(settings: Partial<Settings> = {}) {
  const server = await TestServer.start({ settings });
  const user = await server.as(7);
  const files = {
    "models/team/one/a.txt": "hello",
    "models/team/one/sub/ä b+%.bin": LARGE,
    "models/team/one/sub/deep/c.json": "{}",
    "models/team/one/sub!/first": "1",
    "datasets/team/one/data.csv": "a,b",
  };
  for (const [path, content] of Object.entries(files)) {
    assert.equal((await user.put(path, content)).status, 201, path);
  }
  return { server, user, hub: new HubClient(server, user) };
}

/** The address of the second page of a folder, of one entry. */
async function secondPage(hub: HubClient): Promise<string> {
  const first = await hub.send("GET", "/api/models/team/one/tree/main/sub?limit=1");
  const [, second = ""] = /^<(.*)>/.exec(first.headers.get("Link") ?? "") ?? [];
  return second.slice(hub.url.length);
}

function sha(algorithm: string, text: string): string {
  return createHash(algorithm).update(text).digest("hex");
}

/** The commit id of files, by path. */
function commitIdOf(files: Record<string, string>): string {
  const lines = Object.entries(files).map(([path, text]) => `${sha("sha256", text)}  ${path}\n`);
  return sha("sha256", lines.join("")).slice(0, 40);
}

const FILES = {
  "a.txt": "hello",
  "sub!/first": "1",
  "sub/deep/c.json": "{}",
  "sub/ä b+%.bin": LARGE,
};

function blobId(text: string): string {
  return sha("sha1", `blob ${new TextEncoder().encode(text).length}\0${text}`);
}

interface TreeFile extends Readonly<Record<string, unknown>> {
  readonly oid: string;
  readonly size: number;
  readonly lfs?: { readonly oid: string; readonly size: number; readonly pointerSize: number };
}

/** What the clients parse of a file of a tree. */
function treeFile(path: keyof typeof FILES): TreeFile {
  const [text, size] = [FILES[path], new TextEncoder().encode(FILES[path]).length];
  const oid = sha("sha256", text);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
  const security = { safe: false, status: "unscanned", avScan: null, pickleImportScan: null };
  return {
    type: "file",
    ...(path.endsWith(".bin")
      ? { oid: blobId(pointer), lfs: { oid, size, pointerSize: pointer.length } }
      // A file of Git.
      : { oid: blobId(text) }),
    size,
    path,
    security,
    securityFileStatus: security,
  };
}

function object(value: unknown): Record<string, unknown> {
  assert.ok(typeof value === "object" && value !== null);
  return { ...value };
}

function list(value: unknown): Record<string, unknown>[] {
  assert.ok(Array.isArray(value));
  return value.map(object);
}

function paths(value: unknown): unknown[] {
  return list(value).map(({ path }) => path);
}

Deno.test("C 20 reading a repository", async (t) => {
  const { server, user, hub } = await withRepositories();
  await using _server = server;
  const commitId = commitIdOf(FILES);
  const model = "/api/models/team/one";

  await t.step("C 20 the information on a model", async () => {
    const info = object(jsonOf(await hub.send("GET", model)));
    assert.deepEqual(info.siblings, Object.keys(FILES).map((rfilename) => ({ rfilename })));
    assert.deepEqual(
      { id: info.id, author: info.author, sha: info.sha, private: info.private, tags: info.tags },
      { id: "team/one", author: "team", sha: commitId, private: true, tags: [] },
    );
    assert.match(String(info.lastModified), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal("securityRepoStatus" in info, false);
    for (const rev of ["main", "refs%2Fheads%2Fmain", commitId]) {
      assert.deepEqual(jsonOf(await hub.send("GET", `${model}/revision/${rev}`)), info, rev);
    }
  });
  await t.step("C 20 the information with sizes, digests and the security status", async () => {
    const info = object(jsonOf(await hub.send("GET", `${model}?blobs=True&securityStatus=true`)));
    const siblings = list(info.siblings);
    assert.deepEqual(siblings[0], { rfilename: "a.txt", size: 5, blobId: blobId("hello") });
    const { oid, size, lfs } = treeFile("sub/ä b+%.bin");
    assert.deepEqual(siblings[3], {
      rfilename: "sub/ä b+%.bin",
      size,
      blobId: oid,
      lfs: { sha256: lfs?.oid, size, pointerSize: lfs?.pointerSize },
    });
    assert.deepEqual(info.securityRepoStatus, { scansDone: false, filesWithIssues: [] });
    const few = object(jsonOf(await hub.send("GET", `${model}?expand=sha&expand=tags`)));
    assert.deepEqual(["siblings" in few, few.sha], [false, commitId]);
    assert.match(hubRefused(await hub.send("GET", `${model}?blobs=maybe`), 400), /"maybe"/);
  });
  await t.step("C 20 a data set with the same name is another repository", async () => {
    const info = object(jsonOf(await hub.send("GET", "/api/datasets/team/one")));
    assert.deepEqual(info.siblings, [{ rfilename: "data.csv" }]);
    assert.equal(info.sha, commitIdOf({ "data.csv": "a,b" }));
  });
  await t.step("C 20 a tree, one level or all, of the repository or a folder", async () => {
    const top = jsonOf(await hub.send("GET", `${model}/tree/main`));
    assert.deepEqual(paths(top), ["a.txt", "sub", "sub!"]);
    assert.deepEqual(list(top)[0], treeFile("a.txt"));
    const { oid, ...folder } = object(list(top)[1]);
    assert.deepEqual(folder, { type: "directory", size: 0, path: "sub" });
    assert.match(String(oid), /^[0-9a-f]{40}$/);
    const all = jsonOf(await hub.send("GET", `${model}/tree/${commitId}?recursive=true`));
    const expected = ["a.txt", "sub", "sub!", "sub!/first", "sub/deep", "sub/deep/c.json"];
    assert.deepEqual(paths(all), [...expected, "sub/ä b+%.bin"]);
    assert.deepEqual(list(all)[6], treeFile("sub/ä b+%.bin"));
    const below = await hub.send("GET", `${model}/tree/main/sub?recursive=1&expand=false`);
    assert.deepEqual(paths(jsonOf(below)), ["sub/deep", "sub/deep/c.json", "sub/ä b+%.bin"]);
    assert.equal(below.headers.get("X-Repo-Commit"), commitId);
    const expanded = list(jsonOf(await hub.send("GET", `${model}/tree/main?expand=true`)));
    for (const { lastCommit } of expanded) {
      const { date, ...commit } = object(lastCommit);
      assert.deepEqual(commit, { id: commitId, title: "" });
      assert.ok(Date.parse(String(date)) > Date.now() - 60_000);
    }
  });
  await t.step("C 20 pages of a tree are linked, and are all from one commit", async () => {
    const names: unknown[] = [];
    let pages = 0;
    let next: string | undefined = "/api/models/team/one/tree/main?recursive=true&limit=2";
    while (next !== undefined) {
      const reply = await hub.send("GET", next);
      names.push(...paths(jsonOf(reply)));
      pages++;
      const link: string | null = reply.headers.get("Link");
      next = /^<(.*)>; rel="next"$/.exec(link ?? "")?.[1]?.slice(hub.url.length);
      if (link !== null) assert.ok(next?.startsWith(`${model}/tree/${commitId}?`), link);
    }
    assert.equal(pages, 4);
    const all = jsonOf(await hub.send("GET", `${model}/tree/main?recursive=true`));
    assert.deepEqual(names, paths(all));
    const second = await secondPage(hub);
    await user.put("models/team/one/sub/aa", "new");
    assert.deepEqual(paths(jsonOf(await hub.send("GET", second))), ["sub/ä b+%.bin"]);
    await user.remove({ path: "models/team/one/sub/aa" });
    assert.deepEqual(paths(jsonOf(await hub.send("GET", second))), ["sub/ä b+%.bin"]);
    assert.match(hubRefused(await hub.send("GET", `${model}/tree/main?limit=0`), 400), /limit "0"/);
  });
  await t.step("C 20 a folder that is missing, or a file: EntryNotFound", async () => {
    for (const path of ["nope", "a.txt", "..%2f", "sub/..%2f..%2fx", "a%00", "%ff"]) {
      hubRefused(await hub.send("GET", `${model}/tree/main/${path}`), 404, "EntryNotFound");
    }
  });
  await t.step("C 20 paths-info leaves out what is missing or invalid", async () => {
    const wanted = ["sub", "nope", "a.txt", "../two/x", "", "sub/ä b+%.bin", "a.txt"];
    const found = jsonOf(await hub.post(`${model}/paths-info/main`, { paths: wanted }));
    assert.deepEqual(paths(found), ["a.txt", "sub", "sub/ä b+%.bin"]);
    assert.deepEqual(list(found)[2], treeFile("sub/ä b+%.bin"));
    const body = new URLSearchParams(wanted.map((path) => ["paths", path]));
    body.append("expand", "True");
    const form = jsonOf(await hub.send("POST", `${model}/paths-info/${commitId}`, { body }));
    assert.deepEqual(paths(form), ["a.txt", "sub", "sub/ä b+%.bin"]);
    assert.equal(object(list(form)[0]?.lastCommit).id, commitId);
    const one = jsonOf(await hub.post(`${model}/paths-info/main`, { paths: "a.txt" }));
    assert.deepEqual(one, [treeFile("a.txt")]);
    assert.deepEqual(jsonOf(await hub.post(`${model}/paths-info/main`, { paths: [] })), []);
    const many = Array.from({ length: 1001 }, (_, index) => `p${index}`);
    const refused = hubRefused(await hub.post(`${model}/paths-info/main`, { paths: many }), 400);
    assert.match(refused, /1001 \(maximum: 1000\)/);
    const missing = await hub.post(`${model}/paths-info/main`, { files: [] });
    assert.match(hubRefused(missing, 400), /paths is missing/);
  });
  await t.step("C 20 revisions, repositories and routes that do not exist", async () => {
    for (const rev of ["dev", "refs%2Fpr%2F1", "0".repeat(40), commitId.slice(0, 7), "MAIN"]) {
      for (const address of [`${model}/revision/${rev}`, `${model}/tree/${rev}`]) {
        hubRefused(await hub.send("GET", address), 404, "RevisionNotFound");
      }
    }
    const missing = [
      "/api/models/team/none",
      "/api/models/team/none/tree/main",
      "/api/models/a.txt/x",
      "/api/datasets/team/two",
      "/api/models/gpt2",
      "/api/models/gpt2/revision/main",
      "/gpt2/resolve/main/config.json",
      "/team/none/resolve/main/a.txt",
    ];
    for (const address of missing) {
      hubRefused(await hub.send("GET", address), 404, "RepoNotFound");
    }
  });
  await t.step("C 31 what the hub does not have is not offered, rather than missing", async () => {
    for (const address of ["/api/agent-harnesses", "/api/spaces/a/b", "/x", "/team/one"]) {
      assert.match(
        hubRefused(await hub.send("GET", address), 501),
        /^Not offered here: "\/hub\//,
      );
    }
    hubRefused(await hub.send("PUT", `${model}/discussions`), 501);
    const wrong = await hub.send("DELETE", model);
    assert.match(hubRefused(wrong, 405), /allowed: GET, HEAD/);
    assert.equal(wrong.headers.get("Allow"), "GET, HEAD");
  });
});

Deno.test("C 20 without history, a page of a commit that has been replaced is refused", async () => {
  const { server, user, hub } = await withRepositories({ history: 0 });
  await using _server = server;
  const second = await secondPage(hub);
  await user.put("models/team/one/sub/aa", "new");
  hubRefused(await hub.send("GET", second), 404, "RevisionNotFound");
  await user.remove({ path: "models/team/one/sub/aa" });
  assert.deepEqual(paths(jsonOf(await hub.send("GET", second))), ["sub/ä b+%.bin"]);
});

Deno.test("C 20 hostile names reach no path", async () => {
  const { server, user, hub } = await withRepositories();
  await using _server = server;
  await user.put("models/x--y/z/f", "1");
  await user.put("models/api/z/f", "1");
  await user.put("models/team/one.git/f", "1");
  await user.put("secret", "1");
  const ids = [
    "..%2f..%2fteam/one",
    "team%2fone/x",
    "team/%2e%2e%2f",
    "team/one%00",
    "team/one ",
    "team/-one",
    "team/one.",
    "x--y/z",
    "api/z",
    "team/one.git",
    "team/ön",
    `team/${"x".repeat(97)}`,
    "team/'; DROP TABLE records",
  ];
  for (const id of ids) {
    const encoded = id.replaceAll(" ", "%20");
    for (
      const address of [
        `/api/models/${encoded}`,
        `/api/models/${encoded}/tree/main`,
        `/${encoded}/resolve/main/f`,
      ]
    ) {
      hubRefused(await hub.send("GET", address), 404, "RepoNotFound");
    }
  }
  for (const list of ["", "/team/one/tree/main"]) {
    const reply = await hub.send("GET", `/api/models${list}?cursor=team%00`);
    assert.match(hubRefused(reply, 400), /Invalid path/);
  }
  for (const path of ["..%2f..%2f..%2fsecret", "%2fa.txt", "a.txt%2f..", "a%3ab", "nope"]) {
    const reply = await hub.send("GET", `/team/one/resolve/main/${path}`);
    hubRefused(reply, 404, "EntryNotFound");
    assert.equal(reply.headers.get("X-Repo-Commit"), commitIdOf(FILES));
  }
});

Deno.test("C 20 resolve serves a file as other downloads do", async (t) => {
  const { server, user, hub } = await withRepositories();
  await using _server = server;
  const address = "/team/one/resolve/main/sub/%C3%A4%20b+%25.bin";
  const [commitId, digest] = [commitIdOf(FILES), sha("sha256", LARGE)];
  const expected = {
    "x-repo-commit": commitId,
    etag: `"${digest}"`,
    "x-linked-etag": `"${digest}"`,
    "x-linked-size": "200000",
  };
  const shown = (headers: Headers) =>
    Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]));

  await t.step("C 20 GET and HEAD, by the branch or the commit id", async () => {
    for (const at of [address, address.replace("main", commitId)]) {
      for (const method of ["GET", "HEAD"]) {
        const reply = await hub.send(method, at);
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual(shown(reply.headers), expected);
        assert.equal(reply.headers.get("Content-Length"), "200000");
        assert.equal(reply.headers.get("Location"), null);
        assert.equal(reply.text, method === "GET" ? LARGE : "");
      }
    }
    assert.equal((await hub.send("GET", "/datasets/team/one/resolve/main/data.csv")).text, "a,b");
  });
  await t.step("C 20 ranges and preconditions use the SHA-256", async () => {
    const ask = (headers: HeadersInit) => hub.send("GET", address, { headers });
    const part = await ask({ Range: "bytes=199998-", "If-Range": `"${digest}"` });
    assert.deepEqual([part.status, part.text], [206, "xx"]);
    assert.deepEqual(shown(part.headers), expected);
    assert.equal((await ask({ Range: "bytes=1-2", "If-Range": '"other"' })).status, 200);
    const same = await ask({ "If-None-Match": `"${digest}"` });
    assert.deepEqual([same.status, shown(same.headers)], [304, expected]);
    assert.match(hubRefused(await ask({ "If-Match": '"other"' }), 412), /If-Match/);
    const beyond = await ask({ Range: "bytes=200000-" });
    assert.match(hubRefused(beyond, 416), /200000 bytes/);
    assert.equal(beyond.headers.get("Content-Range"), "bytes */200000");
  });
  await t.step("C 20 what is missing says so with the commit id", async () => {
    for (const path of ["nope", "sub", "a.txt/x"]) {
      const reply = await hub.send("GET", `/team/one/resolve/main/${path}`);
      hubRefused(reply, 404, "EntryNotFound");
      assert.equal(reply.headers.get("X-Repo-Commit"), commitId);
    }
    const other = await hub.send("GET", "/team/one/resolve/dev/a.txt");
    hubRefused(other, 404, "RevisionNotFound");
    const head = await hub.send("HEAD", "/team/one/resolve/main/nope");
    assert.deepEqual([head.status, head.headers.get("X-Error-Code")], [404, "EntryNotFound"]);
    assert.match(head.headers.get("X-Error-Message") ?? "", /^"nope" in team\/one: not found$/);
  });
  await t.step("C 20 an empty file", async () => {
    await user.put("models/team/one/empty", "");
    const reply = await hub.send("GET", "/team/one/resolve/main/empty");
    assert.deepEqual([reply.status, reply.text], [200, ""]);
    assert.equal(reply.headers.get("X-Linked-Size"), "0");
    assert.equal(reply.headers.get("ETag"), `"${blobId("")}"`);
  });
});

Deno.test("C 20 lists of repositories are by namespace and name, in pages", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const names = ["a-b/x", "a/One", "a/two", "b/one", "b/x--y", "bad--ns/x"];
  for (const name of names) await user.mkdir(`models/${name}`);
  await user.put("models/file", "1");
  await user.put("models/a/file", "1");
  await (await server.as(8)).mkdir("models/a/foreign");
  const ids = (value: unknown) => list(value).map(({ id }) => id);
  const get = async (query: string) => ids(jsonOf(await hub.send("GET", `/api/models${query}`)));

  assert.deepEqual(await get(""), ["a/One", "a/two", "a-b/x", "b/one"]);
  assert.deepEqual(await get("?author=a"), ["a/One", "a/two"]);
  assert.deepEqual(await get("?search=ONE"), ["a/One", "b/one"]);
  assert.deepEqual(await get("?author=a&search=tw&full=True"), ["a/two"]);
  assert.deepEqual(await get("?author=..&limit=5000"), []);
  assert.deepEqual(ids(jsonOf(await hub.send("GET", "/api/datasets"))), []);
  const [first] = list(jsonOf(await hub.send("GET", "/api/models")));
  const { createdAt, lastModified, ...rest } = object(first);
  assert.deepEqual(rest, {
    _id: "a/One",
    id: "a/One",
    modelId: "a/One",
    author: "a",
    private: true,
    gated: false,
    disabled: false,
    downloads: 0,
    likes: 0,
    tags: [],
  });
  assert.ok(Date.parse(String(createdAt)) <= Date.parse(String(lastModified)));

  const found: unknown[] = [];
  let next: string | undefined = "/api/models?limit=1&search=one";
  for (let pages = 0; next !== undefined; pages++) {
    assert.ok(pages < 10);
    const reply = await hub.send("GET", next);
    found.push(...ids(jsonOf(reply)));
    const link: string | null = reply.headers.get("Link");
    next = /^<(.*)>; rel="next"$/.exec(link ?? "")?.[1]?.slice(hub.url.length);
  }
  assert.deepEqual(found, ["a/One", "b/one"]);
  const filtered = await hub.send("GET", "/api/models?gated=true");
  assert.match(hubRefused(filtered, 400), /Unsupported parameter gated/);
});

Deno.test("C 20 whoami-v2 names the caller, and errors are those that clients show", async () => {
  await using server = await TestServer.start();
  const reader = new HubClient(server, await server.as(7, "resources.view"));
  assert.deepEqual(jsonOf(await reader.send("GET", "/api/whoami-v2")), {
    type: "user",
    id: "7",
    name: "user-7",
    fullname: "user-7",
    isPro: false,
    orgs: [],
    auth: {
      type: "access_token",
      accessToken: { displayName: "user-7", role: "read" },
    },
  });
  await (await server.as(7)).put("models/a/b/f", "1");
  const denied = await reader.send("GET", "/a/b/resolve/main/f");
  // Clients take any other 403 of a file for a broken connection (C 31).
  assert.match(hubRefused(denied, 403, "GatedRepo"), /^Privilege resources\.download required/);

  const stranger = new HubClient(server, new Client(server.url, "wrong"));
  for (const address of ["/api/whoami-v2", "/api/models/a/b", "/a/b/resolve/main/f"]) {
    const reply = await stranger.send("GET", address);
    hubRefused(reply, 401);
    // Otherwise the clients say that the repository does not exist.
    const message = "Invalid credentials in Authorization header";
    assert.equal(reply.headers.get("X-Error-Message"), message);
    assert.match(reply.headers.get("WWW-Authenticate") ?? "", /^Bearer /);
  }
  const long = await reader.send(
    "GET",
    `/api/models/a/b/revision/${encodeURIComponent("ü\n".repeat(900))}`,
  );
  hubRefused(long, 404, "RevisionNotFound");
  const shown = long.headers.get("X-Error-Message") ?? "";
  assert.match(shown, /^[\x20-\x7e]{1,1000}$/);
  assert.match(shown, /%C3%BC/);
});

Deno.test("C 19, 20 the hub of a shared tree has its repositories, by the privileges there", async () => {
  const { server } = await withRepositories();
  await using _server = server;
  const trees = { "7": ["resources.view"] };
  const token = await mintToken({ userId: 9, privileges: ["resources.admin"], trees });
  const member = new Client(server.url, token);
  const shared = new HubClient(server, member, 7);
  const info = object(jsonOf(await shared.send("GET", "/api/models/team/one")));
  assert.equal(info.sha, commitIdOf(FILES));
  const denied = await shared.send("GET", "/team/one/resolve/main/a.txt");
  const reason = hubRefused(denied, 403, "GatedRepo");
  assert.match(reason, /resources\.download required in the tree of user 7/);
  const page = await shared.send("GET", "/api/models/team/one/tree/main?limit=1");
  const link = page.headers.get("Link");
  assert.ok(link?.startsWith(`<${server.origin}/hub/t/7/api/models/team/one/tree/`), link ?? "");

  // An administrator reaches its own tree, and that which it names.
  hubRefused(
    await new HubClient(server, member).send("GET", "/api/models/team/one"),
    404,
    "RepoNotFound",
  );
  const admin = await server.admin();
  hubRefused(
    await new HubClient(server, admin).send("GET", "/team/one/resolve/main/a.txt"),
    404,
    "RepoNotFound",
  );
  const named = new HubClient(server, admin, 7);
  assert.equal((await named.send("GET", "/team/one/resolve/main/a.txt")).text, "hello");
  const foreign = new HubClient(server, await server.as(8), 7);
  for (const address of ["/api/models/team/one", "/team/one/resolve/main/a.txt", "/api/models"]) {
    const code = address.includes("/resolve/") ? "GatedRepo" : undefined;
    hubRefused(await foreign.send("GET", address), 403, code);
  }
  const reply = await new HubClient(server, admin).send("GET", "/t/x/api/models/team/one");
  assert.match(hubRefused(reply, 404), /Nobody has the name "x"/);
});
