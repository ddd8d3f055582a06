import * as assert from "node:assert/strict";
import * as v from "valibot";
import type { TreePrivileges } from "../../schemas/credentials.ts";
import { NewTokenEntry, TokenEntry, TokenList } from "../../schemas/tokens.ts";
import { auditOf } from "../support/audit.ts";
import { Client, dataOf, items, refused, type Reply } from "../support/client.ts";
import { revokeBeside } from "../support/credential_register.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";

interface Claims {
  readonly userId?: number;
  readonly privileges?: readonly string[];
  readonly trees?: TreePrivileges;
  readonly ttlSeconds?: number;
  readonly jti?: string;
  readonly quota?: number;
}

/** A client whose credential has a jti, as those of the command line do. */
async function holder({ url }: TestServer, claims: Claims = {}): Promise<Client> {
  const { userId = 7, privileges = USER_PRIVILEGES, jti = crypto.randomUUID() } = claims;
  return new Client(url, await mintToken({ ...claims, userId, privileges, jti }));
}

function ask(client: Client, body: unknown): Promise<Reply> {
  return client.json("POST", "/tokens/", body);
}

async function minted(client: Client, body: unknown) {
  return v.parse(NewTokenEntry, dataOf(await ask(client, body)));
}

/** A client with a credential that `client` mints. */
async function derived(client: Client, body: unknown = { privileges: ["resources.view"] }) {
  const { token, jti } = await minted(client, body);
  return { client: new Client(client.url, token), jti };
}

async function listed(client: Client, query: Record<string, string> = {}) {
  return v.parse(TokenList, dataOf(await client.send("GET", "/tokens/", { query }))).items;
}

function revoke(client: Client, jti: string): Promise<Reply> {
  return client.send("DELETE", `/tokens/${encodeURIComponent(jti)}`);
}

const isRefused = async (client: Client) => (await client.list()).status === 401;

Deno.test("C 22 a credential mints a narrower one for the same user", async () => {
  await using server = await TestServer.start();
  const user = await holder(server, { jti: "main", trees: { "9": ["resources.view"] } });
  const body = {
    privileges: ["resources.view", "resources.view"],
    trees: { "9": ["resources.view"] },
    expires_in: "5m",
    quota: 1000,
    label: "nightly sync",
  };
  const entry = await minted(user, body);
  const { token, jti, created_at, expires_at, ...rest } = entry;
  assert.deepEqual(rest, {
    user_id: 7,
    privileges: ["resources.view"],
    trees: { "9": ["resources.view"] },
    quota: 1000,
    label: "nightly sync",
    parent: "main",
    revoked_at: null,
    is_current: false,
  });
  const lifetimeMs = Date.parse(expires_at ?? "") - Date.parse(created_at ?? "");
  assert.ok(lifetimeMs > 298_000 && lifetimeMs <= 300_000, `${lifetimeMs}`);
  const claims = JSON.parse(atob(token.split(".")[1] ?? ""));
  assert.deepEqual(
    [claims.sub, claims.jti, claims.quota, claims.exp],
    ["7", jti, 1000, Date.parse(expires_at ?? "") / 1000],
  );
  const narrow = new Client(server.url, token);
  items(await narrow.list());
  items(await narrow.inTree(9).list());
  refused(await narrow.mkdir("a"), 403, "ErrNotPermitted");
  assert.equal(JSON.stringify(await listed(user)).includes(token), false);
});

Deno.test("C 22 without a time, a credential lasts as long as the one that mints it, a year at most", async () => {
  await using server = await TestServer.start();
  const short = await holder(server, { ttlSeconds: 600 });
  const end = (client: Client) => JSON.parse(atob(client.token.split(".")[1] ?? "")).exp;
  assert.equal(end((await derived(short)).client), end(short));
  const grandchild = await derived((await derived(short)).client);
  assert.equal(end(grandchild.client), end(short), "no generation gains the leeway of the clocks");
  const long = await holder(server, { ttlSeconds: 3 * 365 * 86_400 });
  const year = end((await derived(long)).client) - Date.now() / 1000;
  assert.ok(Math.abs(year - 365 * 86_400) < 60, `${year}`);
});

Deno.test("C 22 a credential that asks for more than the caller has is refused, and named", async () => {
  await using server = await TestServer.start({ settings: { userQuota: 500 } });
  const user = await holder(server, {
    privileges: ["resources.view", "scans.run"],
    trees: { "9": ["resources.view"], "8": ["resources.admin"] },
  });
  const view = { privileges: ["resources.view"] };
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ privileges: ["resources.view", "resources.edit"] }, /resources\.edit required/],
    [{ privileges: ["resources.admin"] }, /resources\.admin required/],
    [{ privileges: ["metrics.view"] }, /metrics\.view required/],
    [{ trees: { "9": ["resources.download"] } }, /resources\.download .*user 9/],
    [{ trees: { "9": ["resources.admin"] } }, /resources\.admin .*user 9/],
    [{ trees: { "10": ["resources.view"] } }, /resources\.view .*user 10/],
    [{ trees: { "7": ["resources.upload"] } }, /resources\.upload .*user 7/],
    [{ ...view, quota: 501 }, /quota of 501 bytes: yours is 500/],
    [{ ...view, expires_in: "30d" }, /outlives yours/],
  ];
  for (const [body, message] of cases) {
    assert.match(refused(await ask(user, body), 403, "ErrNotPermitted"), message);
  }
  await minted(user, { trees: { "8": ["resources.admin", "scans.run"] } });
  await minted(user, { privileges: ["scans.run"], quota: 500 });
  const lines = await auditOf(server);
  assert.deepEqual(
    lines.map(({ action, outcome }) => `${action} ${outcome}`),
    [...cases.map(() => "token.mint ErrNotPermitted"), "token.mint ok", "token.mint ok"],
  );
  assert.equal(lines[0]?.privileges, "resources.view,resources.edit");
});

Deno.test("C 22 a minted credential keeps the quota of the one that minted it", async () => {
  await using server = await TestServer.start();
  const user = await holder(server, { quota: 10 });
  const { client } = await derived(user, { privileges: ["resources.upload"] });
  refused(await client.put("a", "x".repeat(11)), 400, "ErrResourcesQuotaExceeded");
  refused(
    await ask(client, { privileges: ["resources.upload"], quota: 11 }),
    403,
    "ErrNotPermitted",
  );
});

Deno.test("C 22 one that an administrator mints with resources.admin keeps the bounds in trees", async () => {
  await using server = await TestServer.start();
  const admin = await holder(server, {
    userId: 1,
    privileges: ["resources.admin"],
    trees: { "9": ["resources.view"] },
  });
  assert.equal((await admin.inTree(9).mkdir("a")).status, 403);
  const { client } = await derived(admin, { privileges: ["resources.admin"] });
  assert.equal((await client.inTree(9).mkdir("a")).status, 403);
  assert.equal((await client.inTree(8).mkdir("a")).status, 200);
  const narrow = await derived(admin, { trees: { "8": ["resources.edit"] } });
  assert.equal((await narrow.client.inTree(8).mkdir("b")).status, 200);
  refused(await narrow.client.list(), 403, "ErrNotPermitted");
  refused(
    await ask(admin, { trees: { "9": ["resources.edit"] } }),
    403,
    "ErrNotPermitted",
  );
});

Deno.test("C 22 an invalid request for a credential is refused", async () => {
  await using server = await TestServer.start();
  const user = await holder(server);
  const view = { privileges: ["resources.view"] };
  const trees = Object.fromEntries(Array.from({ length: 51 }, (_, it) => [it + 1, []]));
  for (
    const body of [
      {},
      { privileges: [] },
      { privileges: ["resources.everything"] },
      { privileges: "resources.view" },
      { trees: { "9": [] } },
      { trees: { "0": ["resources.view"] } },
      { trees: { "9007199254740993": ["resources.view"] } },
      { trees: { "__proto__x": ["resources.view"] } },
      { trees: { "9": ["metrics.view"] } },
      { ...view, trees },
      // The reply would tell whether somebody has the name.
      { ...view, trees: { bob: [] } },
      { ...view, expires_in: 0 },
      { ...view, expires_in: -1 },
      { ...view, expires_in: 1.5 },
      { ...view, expires_in: "366d" },
      { ...view, expires_in: "soon" },
      { ...view, quota: -1 },
      { ...view, label: "" },
      { ...view, label: "  " },
      { ...view, label: "a\nb" },
      { ...view, label: "x".repeat(101) },
    ]
  ) refused(await ask(user, body), 400, "ErrResourcesInvalidRequest");
  assert.deepEqual(await listed(user), []);
});

Deno.test("C 22 a credential mints none if it could not be revoked, or the former secret signed it", async () => {
  const previousSecret = "the secret before it, of more than 32 bytes too";
  await using server = await TestServer.start({ previousSecret });
  const body = { privileges: ["resources.view"] };
  const { url } = server;
  const anonymous = new Client(url, await mintToken({ userId: 7, privileges: USER_PRIVILEGES }));
  assert.match(refused(await ask(anonymous, body), 403, "ErrNotPermitted"), /no jti/);
  const claims = { userId: 7, privileges: ["resources.admin"], jti: "forged" };
  const former = new Client(url, await mintToken({ ...claims, secret: previousSecret }));
  items(await former.list());
  assert.match(refused(await ask(former, body), 403, "ErrNotPermitted"), /previous secret/);
  refused(await former.json("POST", "/tokens/", body), 403, "ErrNotPermitted");
});

Deno.test("C 22 a server without a signing key says so", async () => {
  await using server = await TestServer.start({ signs: false });
  const user = await holder(server, { jti: "main" });
  const reply = await ask(user, { privileges: ["resources.view"] });
  assert.match(refused(reply, 501, "ErrTokensNotIssued"), /another issuer/);
  assert.equal((await revoke(user, "main")).status, 200);
  assert.equal(await isRefused(user), true);
});

Deno.test("C 22 a revoked credential takes those that descend from it with it", async () => {
  await using server = await TestServer.start();
  const user = await holder(server, { jti: "main" });
  const other = await holder(server, { jti: "other" });
  const child = await derived(user);
  const grandchild = await derived(child.client);
  const sibling = await derived(user);
  const reply = await revoke(user, child.jti);
  assert.notEqual(v.parse(TokenEntry, dataOf(reply)).revoked_at, null);
  assert.deepEqual(
    await Promise.all([child, grandchild, sibling].map(({ client }) => isRefused(client))),
    [true, true, false],
  );
  assert.equal((await revoke(user, child.jti)).text, reply.text, "a second time, the same");
  assert.equal((await revoke(user, "main")).status, 200);
  assert.deepEqual(
    await Promise.all([user, sibling.client, other].map(isRefused)),
    [true, true, false],
  );
  const revoked = (await listed(other)).filter(({ revoked_at }) => revoked_at !== null);
  assert.equal(revoked.length, 3);
});

Deno.test("C 22 the command line revokes those that descend from a credential, too", async () => {
  await using server = await TestServer.start();
  const user = await holder(server, { jti: "main" });
  const child = await derived(user);
  const grandchild = await derived(child.client);
  assert.equal(await revokeBeside(server.dataDir, "main"), true);
  assert.deepEqual(
    await Promise.all([user, child.client, grandchild.client].map(isRefused)),
    [true, true, true],
  );
  assert.equal(await revokeBeside(server.dataDir, "main"), false);
});

Deno.test("C 22 no credential that is minted while its parent is revoked outlives that", async () => {
  await using server = await TestServer.start();
  for (let round = 0; round < 10; round++) {
    const admin = await holder(server, { userId: 1, privileges: ["resources.admin"] });
    const jti = `main-${round}`;
    const user = await holder(server, { jti });
    const child = await derived(user);
    const mints = Array.from(
      { length: 12 },
      (_, index) => ask(index % 2 ? user : child.client, { privileges: ["resources.view"] }),
    );
    const [, ...replies] = await Promise.all([revoke(admin, jti), ...mints]);
    for (const reply of replies) {
      if (reply.status === 401) continue;
      const { token } = v.parse(NewTokenEntry, dataOf(reply));
      assert.equal(await isRefused(new Client(server.url, token)), true);
    }
  }
});

Deno.test("C 22 who may revoke which credential", async () => {
  await using server = await TestServer.start();
  const user = await holder(server, { jti: "main" });
  const narrow = await derived(user, { privileges: ["resources.view", "resources.edit"] });
  const view = await derived(user);
  const stranger = await holder(server, { userId: 8, jti: "strange" });
  refused(await revoke(stranger, view.jti), 404, "ErrTokensNotFound");
  refused(await revoke(user, "unknown"), 404, "ErrTokensNotFound");
  refused(await revoke(user, "x".repeat(257)), 404, "ErrTokensNotFound");
  const message = refused(await revoke(view.client, narrow.jti), 403, "ErrNotPermitted");
  assert.match(message, /resources\.edit/);
  assert.equal((await revoke(narrow.client, view.jti)).status, 200, "what permits less");
  assert.equal((await revoke(narrow.client, narrow.jti)).status, 200, "itself");
  const admin = await holder(server, { userId: 1, privileges: ["resources.admin"] });
  const foreign = dataOf(await revoke(admin, "of/another issuer"));
  assert.match(JSON.stringify(foreign), /"jti":"of\/another issuer","user_id":null/);
  assert.equal((await revoke(admin, "strange")).status, 200);
  assert.equal(await isRefused(stranger), true);
});

Deno.test("C 22 credentials are listed for their user and for administrators, by pages", async () => {
  await using server = await TestServer.start();
  const user = await holder(server, { jti: "main" });
  const made: string[] = [];
  for (let index = 0; index < 5; index++) made.unshift((await derived(user)).jti);
  const other = await derived(await holder(server, { userId: 8 }));
  const admin = await holder(server, { userId: 1, privileges: ["resources.admin"] });
  await revoke(admin, "of another issuer");
  const ids = async (client: Client, query?: Record<string, string>) =>
    (await listed(client, query)).map(({ jti }) => jti);
  const all = await ids(user);
  assert.deepEqual(all.toSorted(), made.toSorted());
  const pages: string[] = [];
  for (let page = await ids(user, { limit: "2" }); page.length > 0;) {
    pages.push(...page);
    page = await ids(user, { limit: "2", before: page.at(-1) ?? "" });
  }
  assert.deepEqual(pages, all);
  assert.deepEqual(await ids(other.client), [other.jti]);
  assert.deepEqual(
    (await ids(admin)).toSorted(),
    [...made, other.jti, "of another issuer"].toSorted(),
  );
  assert.deepEqual(await ids(admin, { user: "8" }), [other.jti]);
  assert.deepEqual((await listed(other.client)).map(({ is_current: it }) => it), [true]);
  refused(
    await user.send("GET", "/tokens/", { query: { user: "8" } }),
    403,
    "ErrNotPermitted",
  );
  for (const before of [other.jti, "unknown", "a\0b"]) {
    refused(await user.send("GET", "/tokens/", { query: { before } }), 404, "ErrTokensNotFound");
  }
  for (const query of [{ limit: "0" }, { limit: "1001" }, { user: "0" }, { user: "-a" }]) {
    refused(await user.send("GET", "/tokens/", { query }), 400, "ErrResourcesInvalidRequest");
  }
  const blind = await holder(server, { privileges: ["resources.upload"] });
  refused(await blind.send("GET", "/tokens/"), 403, "ErrNotPermitted");
});

Deno.test("C 22 a user has a bounded number of minted credentials, revoked ones among them", async () => {
  await using server = await TestServer.start();
  const { credentials: store } = server;
  const user = await holder(server, { jti: "main" });
  const first = await derived(user);
  const found = await store.find(first.jti);
  assert.ok(found !== undefined);
  const { short: _, ...template } = found;
  const now = Date.now();
  const like = { ...template, userId: 7, parent: "main", mintedAt: now };
  const add = (jti: string, expiresAt: number, max: number, mintedAt = now) =>
    store.add({ ...like, jti, mintedAt, expiresAt, parentIssuedAt: 0 }, max);
  assert.equal(await add("second", now + 60_000, 2), true);
  assert.equal(await add("third", now + 60_000, 2), false);
  await revoke(user, "second");
  assert.equal(await add("third", now + 60_000, 2), false, "revoked ones count");
  assert.equal(await add("of another", now + 60_000, 3), true);
  const long = now - 3_600_000;
  for (let index = 0; index < 6; index++) await add(`expired-${index}`, long, 10);
  // C 31: a reading of the clock a day later confirms the time.
  const day = 24 * 3_600_000;
  assert.equal(await add("last", now + 2 * day, 4, now + day), true);
  const expired = (await listed(user, { limit: "1000" })).filter(({ jti }) =>
    jti.startsWith("expired")
  );
  assert.equal(expired.length, 4, "as many as may be valid are listed besides");
});

Deno.test("C 22 minted and revoked credentials are in the audit log, without the token", async () => {
  await using server = await TestServer.start();
  const user = await holder(server, { jti: "main" });
  const { jti, client } = await derived(user, {
    privileges: ["resources.view"],
    label: "for CI",
  });
  await revoke(user, jti);
  await revoke(await holder(server, { userId: 8 }), jti);
  const lines = await auditOf(server);
  assert.deepEqual(
    lines.map(({ user, tree, action, outcome, ...it }) => [user, tree, action, outcome, it.jti]),
    [
      [7, 7, "token.mint", "ok", jti],
      [7, 7, "token.revoke", "ok", jti],
      [8, 8, "token.revoke", "ErrTokensNotFound", jti],
    ],
  );
  assert.deepEqual(
    [lines[0]?.privileges, lines[0]?.parent, lines[0]?.label],
    ["resources.view", "main", "for CI"],
  );
  assert.equal(JSON.stringify([lines, server.log]).includes(client.token.slice(-20)), false);
});
