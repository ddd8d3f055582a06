import * as assert from "node:assert/strict";
import * as jose from "jose";
import { ROUTES } from "../../routes/routes.ts";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { Client, dataOf, entry, items, refused, type Reply } from "../support/client.ts";
import { revokeBeside } from "../support/credential_register.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";

/** A client of user 3 whose requests name the tree of user 7. */
async function memberOf(
  { url }: TestServer,
  granted: readonly string[],
  claims: { privileges?: readonly string[]; jti?: string; quota?: number } = {},
): Promise<Client> {
  const trees = { "7": granted };
  const token = await mintToken({ userId: 3, privileges: [], ...claims, trees });
  return new Client(url, token).inTree(7);
}

function notPermitted(reply: Reply): string {
  return refused(reply, 403, "ErrNotPermitted");
}

/** The routes that act in a tree, with a request to each that needs nothing to exist. */
const TREE_ROUTES = ROUTES.filter(({ tree }) => tree).map(({ method, path, privilege = "" }) => ({
  method,
  path: path.slice(BASE_PATH.length).replace("{id}", "1"),
  privilege,
}));

Deno.test("C 19 every route that takes resources, events or scans takes a tree", () => {
  const routes = ROUTES.filter(({ tree }) => tree).map(({ path }) => path.slice(BASE_PATH.length));
  const families = new Set(routes.map((path) => path.split("/")[1]));
  for (const { path, method, tree = false } of ROUTES) {
    // It has no credential. A content is purged from all trees.
    if (method === "OPTIONS" || path === `${BASE_PATH}/resources/purge`) continue;
    const family = path.slice(BASE_PATH.length).split("/")[1];
    assert.equal(tree, path.startsWith(BASE_PATH) && families.has(family), path);
  }
  for (const family of ["resources", "files", "events", "scans", "usage", "links", "uploads"]) {
    assert.ok(families.has(family));
  }
});

Deno.test("C 19 a credential with the claim trees acts in the tree of another user", async (t) => {
  await using server = await TestServer.start();
  const owner = await server.as(7);
  const member = await memberOf(server, USER_PRIVILEGES, { privileges: USER_PRIVILEGES });
  const own = new Client(server.url, member.token);

  await t.step("C 19 what it makes there belongs to that user", async () => {
    const [file] = items(await member.upload("team", { "a.txt": "of the team" }));
    assert.equal(file?.user_id, 7);
    assert.equal(entry(await member.mkdir("team/new")).user_id, 7);
    assert.deepEqual(await owner.tree(), ["team", "team/a.txt", "team/new"]);
    assert.deepEqual(await own.tree(), []);
  });
  await t.step("C 19 it sees, reads, moves, copies and deletes there", async () => {
    assert.deepEqual(await member.tree(), await owner.tree());
    const read = new TextDecoder().decode(await member.bytes({ path: "team/a.txt" }));
    assert.equal(read, "of the team");
    assert.equal(
      items(await member.move({ source: "team/a.txt", destination: "b" }))[0]?.user_id,
      7,
    );
    assert.equal(items(await member.copy({ source: "b", destination: "c" }))[0]?.user_id, 7);
    assert.equal((await member.remove({ path: "c" })).status, 200);
    assert.deepEqual(await owner.tree(), ["b", "team", "team/new"]);
  });
  await t.step("C 19 paths and ids are those of that tree, and of no other", async () => {
    const [mine] = items(await own.upload("", { "b": "my own", "mine": "mine" }));
    const bytes = async (client: Client) =>
      new TextDecoder().decode(await client.bytes({ path: "b" }));
    assert.deepEqual([await bytes(member), await bytes(own)], ["of the team", "my own"]);
    const id = String(mine?.id);
    for (const query of [{ path: "mine" }, { id }]) {
      assert.equal((await member.download(query).then(replyOf)).status, 404);
      assert.equal((await member.send("GET", "/resources/stat", { query })).status, 404);
    }
    refused(await member.remove({ path: "mine" }), 404, "ErrResourcesNotFound");
  });
  await t.step("C 19 without the parameter, the tree is its own", async () => {
    assert.deepEqual(await own.tree(), ["b", "mine"]);
    assert.deepEqual(await own.inTree(3).tree(), ["b", "mine"]);
  });
});

async function replyOf(response: Response): Promise<Reply> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

Deno.test("C 19 attack: another's tree without a claim is 403 on every route", async () => {
  await using server = await TestServer.start();
  await (await server.as(7)).upload("", { secret: "secret" });
  const everything = TREE_ROUTES.map(({ privilege }) => privilege);
  const outsiders = [
    await server.as(3, ...everything),
    await memberOf(server, everything, { privileges: everything }).then((it) => it.inTree(8)),
    await memberOf(server, []),
  ];
  assert.ok(TREE_ROUTES.length >= 16);
  for (const outsider of outsiders) {
    const client = outsider.query.tree === undefined ? outsider.inTree(7) : outsider;
    for (const { method, path } of TREE_ROUTES) {
      // Authorization comes before all else: the rest of the request is invalid.
      assert.match(
        notPermitted(await client.send(method, path, { query: { path: "/..", scope: "?" } })),
        /^Privilege \S+ required in the tree of user [78]$/,
      );
    }
  }
  assert.deepEqual(await (await server.as(7)).tree(), ["secret"]);
});

Deno.test("C 19 attack: in a tree, the privileges are exactly those of the claim", async (t) => {
  await using server = await TestServer.start();
  const all = [...new Set(TREE_ROUTES.map(({ privilege }) => privilege))];

  await t.step(
    "C 19 each route needs its privilege in the claim, not in the credential",
    async () => {
      for (const { method, path, privilege } of TREE_ROUTES) {
        const others = all.filter((it) => it !== privilege);
        const member = await memberOf(server, others, { privileges: all });
        assert.match(notPermitted(await member.send(method, path)), new RegExp(privilege));
      }
    },
  );
  await t.step("C 17 replacing needs resources.edit in the claim, too", async () => {
    await (await server.as(7)).upload("", { "kept.txt": "kept" });
    const member = await memberOf(server, ["resources.upload"], { privileges: all });
    const put = await member.send("PUT", "/files/kept.txt", { body: "replaced" });
    assert.match(notPermitted(put), /resources.edit required in the tree of user 7/);
    const form = new FormData();
    form.append("files", new Blob(["replaced"]), "kept.txt");
    const query = { on_conflict: "replace" };
    notPermitted(await member.send("POST", "/resources/", { query, body: form }));
    assert.equal((await (await server.as(7)).bytes({ path: "kept.txt" })).length, 4);
    await (await server.as(7)).remove({ path: "kept.txt" });
  });
  await t.step("C 15 scans need resources.download in the claim, too", async () => {
    const member = await memberOf(server, ["scans.run"], { privileges: all });
    assert.match(notPermitted(await member.json("POST", "/scans", { path: "a" })), /download/);
  });
  await t.step("C 19 the claim gives nothing in the caller's own tree", async () => {
    const own = new Client(server.url, (await memberOf(server, all)).token);
    for (const { method, path } of TREE_ROUTES) notPermitted(await own.send(method, path));
  });
  await t.step("C 19 resources.admin in a claim reaches no further than that tree", async () => {
    const [other] = items(await (await server.as(8)).upload("", { "other.txt": "of 8" }));
    await (await server.as(7)).upload("", { "team.txt": "of 7" });
    const member = await memberOf(server, ["resources.admin"]);
    assert.deepEqual(await member.tree(), ["team.txt"]);
    for (const query of [{ path: "other.txt" }, { id: String(other?.id) }]) {
      assert.equal((await member.download(query).then(replyOf)).status, 404);
    }
    refused(await member.remove({ path: "other.txt" }), 404, "ErrResourcesNotFound");
    for (const path of ["/usage/", "/events/"]) {
      notPermitted(await member.send("GET", path, { query: { scope: "all" } }));
    }
    for (const path of ["/waivers", "/capacity"]) notPermitted(await member.send("GET", path));
    notPermitted(await member.inTree(8).list());
    notPermitted(await new Client(server.url, member.token).list());
  });
});

Deno.test("C 19 attack: a forged or malformed claim is refused", async (t) => {
  await using server = await TestServer.start();
  const list = (token: string) => new Client(server.url, token).inTree(7).list();

  await t.step("C 10 a claim that is added to a signed credential", async () => {
    const token = await mintToken({ userId: 3, privileges: ["resources.view"] });
    const [head, payload = "", signature] = token.split(".");
    const claims = JSON.parse(new TextDecoder().decode(jose.base64url.decode(payload)));
    const forged = jose.base64url.encode(
      JSON.stringify({ ...claims, trees: { "7": ["resources.view"] } }),
    );
    refused(await list(`${head}.${forged}.${signature}`), 401, "ErrAuthRequired");
    const none = jose.base64url.encode(JSON.stringify({ alg: "none", typ: "JWT" }));
    refused(await list(`${none}.${forged}.`), 401, "ErrAuthRequired");
    notPermitted(await list(token));
  });
  await t.step("C 10 a claim of another form", async () => {
    const secret = new TextEncoder().encode("the secret of the tests, longer than 32 bytes");
    const trees = [
      null,
      "7",
      ["7"],
      { "7": "resources.view" },
      { "7": [7] },
      { "07": ["resources.view"] },
      { "0": ["resources.view"] },
      { " 7": ["resources.view"] },
      { "9007199254740993": ["resources.view"] },
      { "*": ["resources.view"] },
    ];
    for (const claim of trees) {
      const token = await new jose.SignJWT({ privileges: [], trees: claim })
        .setProtectedHeader({ alg: "HS256" }).setSubject("3").setExpirationTime("1m").sign(secret);
      assert.match(refused(await list(token), 401, "ErrAuthRequired"), /trees/);
    }
  });
});

Deno.test("C 19 a malformed tree is 400", async () => {
  await using server = await TestServer.start();
  for (const client of [await server.as(3), await server.admin()]) {
    for (
      const tree of ["", "0", "-x", "x y", "07", "7.0", "-7", "7,8", "9007199254740993", "7\u0000"]
    ) {
      const reply = await client.send("GET", "/resources/", { query: { tree } });
      assert.match(refused(reply, 400, "ErrResourcesInvalidRequest"), /Invalid tree/);
    }
    for (const query of ["tree=7&tree=8", "tree=7&tree=7", "tree=%ff", "tree", "%74ree=-x"]) {
      refused(await client.send("GET", `/resources/?${query}`), 400, "ErrResourcesInvalidRequest");
    }
  }
});

Deno.test("C 19 resources.admin may name any tree, and acts in it alone", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin(9);
  await (await server.as(7)).upload("", { "a": "of 7" });
  await (await server.as(8)).upload("", { "b": "of 8" });
  await admin.upload("", { "c": "of 9" });
  assert.deepEqual(await admin.tree(), ["a", "b", "c"]);
  assert.deepEqual(await admin.inTree(7).tree(), ["a"]);
  assert.deepEqual(await admin.inTree(9).tree(), ["c"]);
  assert.equal(items(await admin.inTree(7).upload("", { "new": "n" }))[0]?.user_id, 7);
  refused(await admin.inTree(7).remove({ path: "b" }), 404, "ErrResourcesNotFound");
  notPermitted(await admin.inTree(7).send("GET", "/usage/", { query: { scope: "all" } }));
  assert.deepEqual(await (await server.as(7)).tree(), ["a", "new"]);
  // A credential that says what its holder may do in a tree says all of it.
  const token = await mintToken({
    userId: 9,
    privileges: ["resources.admin"],
    trees: { "7": ["resources.view"] },
  });
  notPermitted(await new Client(server.url, token).inTree(7).mkdir("d"));
});

Deno.test("C 19 attack: nothing moves or is copied from one tree to another", async () => {
  await using server = await TestServer.start();
  const owner = await server.as(7);
  const member = await memberOf(server, USER_PRIVILEGES, { privileges: USER_PRIVILEGES });
  const own = new Client(server.url, member.token);
  await owner.upload("", { theirs: "of 7" });
  await own.upload("", { mine: "of 3" });
  for (const verb of ["move", "copy"] as const) {
    const into = { sources: ["mine", "theirs"], destination: "d" };
    for (const client of [member, own]) {
      refused(await client[verb](into), 404, "ErrResourcesNotFound");
      const absolute = { source: "theirs", destination: "/3/theirs" };
      assert.equal((await client[verb](absolute)).status, 400);
    }
    refused(await member[verb]({ source: "mine", destination: "x" }), 404, "ErrResourcesNotFound");
    refused(await own[verb]({ source: "theirs", destination: "x" }), 404, "ErrResourcesNotFound");
  }
  assert.deepEqual([await owner.tree(), await own.tree()], [["theirs"], ["mine"]]);
});

Deno.test("C 19 events of a tree go to its subscribers", async (t) => {
  await using server = await TestServer.start();
  const owner = await server.as(7);
  const member = await memberOf(server, ["resources.view", "resources.edit"], {
    privileges: ["resources.view", "resources.edit"],
    jti: "member",
  });
  const own = new Client(server.url, member.token);
  await using theirs = await owner.events();
  await using shared = await member.events();
  await using mine = await own.events();
  await member.mkdir("by-member");
  await owner.mkdir("by-owner");
  await own.mkdir("my-own");
  assert.deepEqual(await theirs.take(2), ["added by-member", "added by-owner"]);
  assert.deepEqual(await shared.take(2), ["added by-member", "added by-owner"]);
  assert.deepEqual(await mine.take(1), ["added my-own"]);

  await t.step("C 11 with replay", async () => {
    const id = shared.lastId ?? "";
    await owner.mkdir("later");
    await using again = await member.events({}, { "Last-Event-ID": id });
    assert.deepEqual(await again.take(1), ["added later"]);
  });
  await t.step("C 22 until the credential is revoked", async () => {
    await shared.take(1);
    await revokeBeside(server.dataDir, "member");
    await owner.mkdir("secret");
    assert.deepEqual(await shared.take(1), []);
    refused(await member.list(), 401, "ErrAuthRequired");
  });
});

Deno.test("C 19 scans in a tree are those of its owner", async () => {
  await using server = await TestServer.start();
  const granted = [...USER_PRIVILEGES, "scans.view", "scans.run"];
  const member = await memberOf(server, granted, { privileges: granted });
  const own = new Client(server.url, member.token);
  const owner = await server.as(7, ...granted);
  await owner.upload("", { "a.json": "{}" });
  refused(
    await own.json("POST", "/scans/?wait=60", { path: "a.json" }),
    404,
    "ErrResourcesNotFound",
  );
  const started = await member.json("POST", "/scans/?wait=60", { path: "a.json" });
  const { id, user_id } = JSON.parse(started.text).data;
  assert.deepEqual([started.status, user_id], [202, 7]);
  const ids = async (client: Client) =>
    JSON.parse((await client.send("GET", "/scans/")).text).data.items.map((it: { id: number }) =>
      it.id
    );
  assert.deepEqual([await ids(member), await ids(owner), await ids(own)], [[id], [id], []]);
  for (const method of ["GET", "DELETE"]) {
    refused(await own.send(method, `/scans/${id}`), 404, "ErrScansNotFound");
  }
  refused(await own.send("GET", `/scans/${id}/report`), 404, "ErrScansNotFound");
  assert.equal((await member.send("GET", `/scans/${id}/report`)).status, 200);
  assert.equal((await member.send("DELETE", `/scans/${id}`)).status, 200);
  assert.deepEqual(await ids(owner), []);
});

Deno.test("C 19 and C 22 the quota is that of the tree, whoever fills it", async () => {
  await using server = await TestServer.start({ settings: { userQuota: 100 } });
  const generous = { privileges: USER_PRIVILEGES, quota: 10_000 };
  const member = await memberOf(server, USER_PRIVILEGES, generous);
  await (await server.as(7)).upload("", { a: "x".repeat(60) });
  for (
    const reply of [
      await member.upload("", { b: "x".repeat(60) }),
      await member.copy({ source: "a", destination: "c" }),
    ]
  ) {
    refused(reply, 400, "ErrResourcesQuotaExceeded");
  }
  assert.equal((await member.upload("", { b: "x".repeat(40) })).status, 200);
  const usage = dataOf(await member.send("GET", "/usage/"));
  assert.deepEqual(usage, {
    files: 2,
    directories: 0,
    bytes: 100,
    stored_bytes: 100,
    history_bytes: 0,
    tagged_bytes: 0,
    uploading: 0,
    quota: 100,
  });
  // The caller's own tree has the quota of the credential, and is as empty as before.
  const own = new Client(server.url, member.token);
  assert.equal((await own.upload("", { d: "x".repeat(1000) })).status, 200);
});

Deno.test("C 19 and C 22 the rate limit counts the caller, in whatever tree", async () => {
  await using server = await TestServer.start({ rateLimit: 2 });
  const member = await memberOf(server, ["resources.view"], { privileges: ["resources.view"] });
  assert.equal((await member.list()).status, 200);
  notPermitted(await member.inTree(8).list());
  refused(await member.list(), 429, "ErrTooManyRequests");
  assert.equal((await (await server.as(7)).list()).status, 200);
});

Deno.test("C 19 and C 22 the audit log and the access log name caller and tree", async () => {
  await using server = await TestServer.start();
  const member = await memberOf(server, ["resources.edit"]);
  await member.mkdir("d");
  await member.remove({ path: "d" });
  await member.inTree(8).mkdir("e");
  const text = await Deno.readTextFile(`${server.dataDir}/audit.log`);
  const lines = text.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ user, tree, action, outcome }) => [user, tree, action, outcome]),
    [
      [3, 7, "resources.mkdir", "ok"],
      [3, 7, "resources.delete", "ErrNotPermitted"],
      [3, 8, "resources.mkdir", "ErrNotPermitted"],
    ],
  );
  const logged = server.log.map((line) => JSON.parse(line)).filter(({ status }) =>
    status !== undefined
  );
  assert.deepEqual(logged.map(({ user, tree }) => [user, tree]), [[3, 7], [3, 7], [3, 8]]);
});
