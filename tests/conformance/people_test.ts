import * as assert from "node:assert/strict";
import * as v from "valibot";
import { NewTokenEntry } from "../../schemas/tokens.ts";
import { TeamEntry, UserEntry } from "../../schemas/people.ts";
import { auditOf } from "../support/audit.ts";
import { Client, dataOf, refused } from "../support/client.ts";
import { mintToken, TestServer } from "../support/server.ts";

async function addUser(admin: Client, body: Record<string, unknown>): Promise<UserEntry> {
  return v.parse(UserEntry, dataOf(await admin.json("POST", "/users/", body)));
}

async function addTeam(admin: Client, body: Record<string, unknown>): Promise<TeamEntry> {
  return v.parse(TeamEntry, dataOf(await admin.json("POST", "/teams/", body)));
}

const Names = v.object({ items: v.array(v.object({ name: v.string() })) });

async function namesOf(admin: Client, path: string, query: Record<string, string> = {}) {
  const { items } = v.parse(Names, dataOf(await admin.send("GET", path, { query })));
  return items.map(({ name }) => name);
}

function change(admin: Client, named: string | number, body: Record<string, unknown>) {
  return admin.json("PATCH", `/users/${named}`, body);
}

Deno.test("C 27 people are added, found by number and by name, listed and changed", async () => {
  await using server = await TestServer.start();
  const admin = await server.as(1000, "users.admin");
  const body = { name: "Ana", email: "ana@example.org", groups: ["research"] };
  const ana = await addUser(admin, body);
  assert.deepEqual({ ...ana, created_at: "" }, {
    ...body,
    ...{ name: "ana", number: 1_000_001, created_at: "", disabled_at: null },
  });
  await addUser(admin, { name: "bob" });
  for (const named of ["ana", "ANA", ana.number]) {
    assert.deepEqual(dataOf(await admin.send("GET", `/users/${named}`)), ana);
  }
  assert.deepEqual(await namesOf(admin, "/users/"), ["ana", "bob"]);
  assert.deepEqual(await namesOf(admin, "/users/", { after: "Ana", limit: "1" }), ["bob"]);
  const renamed = dataOf(await change(admin, "ana", { name: "anna", groups: [], email: null }));
  assert.deepEqual(renamed, { ...ana, name: "anna", groups: [], email: null });
  assert.deepEqual(dataOf(await admin.send("GET", "/users/ana")), renamed);
});

Deno.test("C 27 teams are people without credentials, in a list of their own", async () => {
  await using server = await TestServer.start();
  const admin = await server.as(1000, "users.admin");
  const team = await addTeam(admin, { name: "vision", number: 7 });
  assert.equal(team.number, 7);
  assert.deepEqual(await namesOf(admin, "/teams/"), ["vision"]);
  assert.deepEqual(await namesOf(admin, "/users/"), []);
  assert.deepEqual(dataOf(await admin.send("GET", "/teams/7")), team);
  refused(await admin.send("GET", "/users/vision"), 404, "ErrUsersNotFound");
  refused(await change(admin, "vision", { disabled: true }), 404, "ErrUsersNotFound");
  const renamed = dataOf(await admin.json("PATCH", "/teams/vision", { name: "sight" }));
  assert.deepEqual(renamed, { ...team, name: "sight" });
});

Deno.test("C 27 invalid, reserved and taken names and numbers are refused", async () => {
  await using server = await TestServer.start();
  const admin = await server.as(1000, "users.admin");
  await addUser(admin, { name: "ana", number: 7 });
  const add = (body: Record<string, unknown>) => admin.json("POST", "/users/", body);
  for (const name of ["", "7", "-a", "a b", "é", "a/b", "x".repeat(65), "own", "ALL", "mirror"]) {
    refused(await add({ name }), 400, "ErrResourcesInvalidRequest");
  }
  for (const rest of [{ email: "no" }, { groups: ["a\nb"] }, { groups: "a" }, { number: 0 }]) {
    refused(await add({ name: "bob", ...rest }), 400, "ErrResourcesInvalidRequest");
  }
  assert.match(refused(await add({ name: "Ana" }), 409, "ErrUsersConflict"), /"ana" is taken/);
  assert.match(refused(await add({ name: "b", number: 7 }), 409, "ErrUsersConflict"), /number 7/);
  refused(await change(admin, "nobody", { groups: [] }), 404, "ErrUsersNotFound");
  refused(await change(admin, "ana", { name: "own" }), 400, "ErrResourcesInvalidRequest");
  assert.deepEqual(await namesOf(admin, "/users/"), ["ana"]);
});

Deno.test("C 27 people are administered with users.admin alone, and nobody disables itself", async () => {
  await using server = await TestServer.start();
  const admin = await server.as(1000, "users.admin");
  await addUser(admin, { name: "root", number: 1000 });
  await addUser(admin, { name: "ana", number: 7 });
  const user = await server.as(7);
  for (const path of ["/users/", "/users/ana", "/teams/"]) {
    refused(await user.send("GET", path), 403, "ErrNotPermitted");
  }
  refused(await user.json("POST", "/users/", { name: "eve" }), 403, "ErrNotPermitted");
  refused(await user.json("POST", "/teams/", { name: "eve" }), 403, "ErrNotPermitted");
  refused(await change(user, "ana", { groups: ["admins"] }), 403, "ErrNotPermitted");
  assert.match(
    refused(await change(admin, "root", { disabled: true }), 403, "ErrNotPermitted"),
    /itself/,
  );
  assert.equal((await admin.send("GET", "/users/")).status, 200);
});

Deno.test("C 27 disabling ends credentials, short ones and links at once, and keeps the tree", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  await addUser(admin, { name: "ana", number: 7 });
  const ana = new Client(
    server.url,
    await mintToken({ userId: 7, privileges: ["resources.admin"], jti: "ana's" }),
  );
  await ana.upload(undefined, { a: "content" });
  const body = { privileges: ["resources.view"], short: true };
  const { token } = v.parse(NewTokenEntry, dataOf(await ana.json("POST", "/tokens/", body)));
  const short = new Client(server.url, token);
  const link = dataOf(await ana.json("POST", "/links/", { path: "a", expires_in: "1h" }));
  const { url } = v.parse(v.object({ url: v.string() }), link);
  const follow = async () => {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.status;
  };
  assert.equal((await short.list()).status, 200);
  assert.equal(await follow(), 200);
  dataOf(await change(admin, "ana", { disabled: true }));
  refused(await ana.list(), 401, "ErrAuthRequired");
  refused(await short.list(), 401, "ErrAuthRequired");
  assert.equal(await follow(), 404);
  // Another issuer knows nothing of it.
  const later = await server.as(7);
  refused(await later.list(), 401, "ErrAuthRequired");
  assert.deepEqual(await admin.paths({ tree: "ana" }), ["a"]);

  dataOf(await change(admin, "ana", { disabled: false }));
  refused(await ana.list(), 401, "ErrAuthRequired");
  refused(await short.list(), 401, "ErrAuthRequired");
  assert.equal(await follow(), 404);
  assert.deepEqual(await (await server.as(7)).paths(), ["a"]);
});

Deno.test("C 27 a tree is named by the name of its user, as by the number", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  await addTeam(admin, { name: "vision", number: 9 });
  await addUser(admin, { name: "ana", number: 7 });
  const claims = { userId: 7, privileges: ["resources.view"] };
  const trees = { "9": ["resources.view", "resources.upload"] };
  const ana = new Client(server.url, await mintToken({ ...claims, trees }));
  dataOf(await ana.inTree("Vision").upload(undefined, { a: "x" }));
  for (const tree of ["vision", "9", "VISION"]) {
    assert.deepEqual(await ana.paths({ tree }), ["a"]);
  }
  assert.deepEqual(await ana.paths({ tree: "ana" }), []);
  const query = { path: "a", tree: "vision" };
  const download = await ana.send("GET", "/resources/download", { query });
  assert.match(
    refused(download, 403, "ErrNotPermitted"),
    /download required in the tree of user vision/,
  );
});

Deno.test("C 27 a new credential names trees by the names of their users, too", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  await addTeam(admin, { name: "vision", number: 9 });
  await addUser(admin, { name: "bob", number: 8 });
  const held = ["resources.view"];
  const claims = { userId: 7, privileges: held, jti: "main" };
  const ana = new Client(server.url, await mintToken({ ...claims, trees: { "9": held } }));
  const mint = (by: Client, trees: Record<string, readonly string[]>) =>
    by.json("POST", "/tokens/", { trees });
  const { token, trees } = Object(dataOf(await mint(ana, { Vision: held })));
  assert.deepEqual(trees, { "9": held });
  assert.equal((await new Client(server.url, token).inTree("vision").list()).status, 200);
  const twice = await mint(ana, { vision: held, "9": held });
  refused(twice, 400, "ErrResourcesInvalidRequest");
  const [there, nobody] = [
    refused(await mint(ana, { bob: held }), 403, "ErrNotPermitted"),
    refused(await mint(ana, { eve: held }), 403, "ErrNotPermitted"),
  ];
  assert.equal(nobody, there.replaceAll("bob", "eve"));
  refused(await mint(admin, { eve: held }), 404, "ErrUsersNotFound");
});

Deno.test("C 27 who there is is told to administrators alone", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  await addUser(admin, { name: "bob", number: 8 });
  const ana = await server.as(7);
  const ask = async (client: Client, path: string, query: Record<string, string>) =>
    await client.send("GET", path, { query });
  for (const path of ["/resources/", "/usage/", "/events/"]) {
    const [there, nobody] = [
      refused(await ask(ana, path, { tree: "bob" }), 403, "ErrNotPermitted"),
      refused(await ask(ana, path, { tree: "eve" }), 403, "ErrNotPermitted"),
    ];
    assert.equal(nobody, there.replaceAll("bob", "eve"));
  }
  for (const path of ["/tokens/", "/audit/"]) {
    const [there, nobody] = [
      refused(await ask(ana, path, { user: "bob" }), 403, "ErrNotPermitted"),
      refused(await ask(ana, path, { user: "eve" }), 403, "ErrNotPermitted"),
    ];
    assert.equal(nobody, there);
  }
  refused(await ask(admin, "/resources/", { tree: "eve" }), 404, "ErrUsersNotFound");
  refused(await ask(admin, "/tokens/", { user: "eve" }), 404, "ErrUsersNotFound");
  for (const tree of ["0", "a b", "é", "-a", ""]) {
    refused(await ask(ana, "/resources/", { tree }), 400, "ErrResourcesInvalidRequest");
  }
});

Deno.test("C 27 revocations and lists of credentials take names", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  await addUser(admin, { name: "ana", number: 7 });
  const ana = await server.as(7);
  assert.equal((await ana.list()).status, 200);
  dataOf(await admin.json("POST", "/users/ana/revocations/", {}));
  refused(await ana.list(), 401, "ErrAuthRequired");
  refused(await admin.json("POST", "/users/eve/revocations/", {}), 404, "ErrUsersNotFound");
  const reply = await admin.send("GET", "/tokens/", { query: { user: "ana" } });
  assert.deepEqual(dataOf(reply), { items: [], total: 0 });
});

Deno.test("C 27 the audit log names people by number and name", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  await addUser(admin, { name: "ana", number: 7, groups: ["research"] });
  await addTeam(admin, { name: "vision", number: 9 });
  const trees = { "9": ["resources.edit"] };
  const token = await mintToken({ userId: 7, privileges: ["resources.view"], trees });
  const ana = new Client(server.url, token);
  dataOf(await ana.inTree(9).mkdir("d"));
  refused(await ana.list({ tree: "eve" }), 403, "ErrNotPermitted");
  const lines = await auditOf(server);
  const shown = lines.map(({ action, user, user_name, tree, tree_name, name, groups }) => [
    ...[action, user, user_name, tree, tree_name, name, groups],
  ]);
  assert.deepEqual(shown, [
    ["users.add", 1000, undefined, 7, "ana", "ana", "research"],
    ["teams.add", 1000, undefined, 9, "vision", "vision", undefined],
    ["resources.mkdir", 7, "ana", 9, "vision", undefined, undefined],
    ["resources.view", 7, "ana", undefined, undefined, undefined, undefined],
  ]);
});
