import * as assert from "node:assert/strict";
import * as v from "valibot";
import { LinkList, NewLinkEntry } from "../../schemas/links.ts";
import { NewTokenEntry, RevocationEntry } from "../../schemas/tokens.ts";
import { auditOf } from "../support/audit.ts";
import { Client, dataOf, refused, type Reply } from "../support/client.ts";
import { fetchBare, HubClient } from "../support/hub.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const FORMER = "the secret that has leaked, longer than 32 bytes";

/** What a credential leaves behind in a server: a link, and a signed address of the hub. */
interface Made {
  readonly link: string;
  readonly address: string;
}

function post(client: Client, path: string, value?: unknown): Promise<Reply> {
  if (value === undefined) return client.send("POST", path);
  const headers = { "Content-Type": "application/json" };
  return client.send("POST", path, { headers, body: JSON.stringify(value) });
}

async function clientOf(
  { url }: TestServer,
  claims: Partial<Parameters<typeof mintToken>[0]> = {},
): Promise<Client> {
  return new Client(url, await mintToken({ userId: 7, privileges: USER_PRIVILEGES, ...claims }));
}

async function makeAll(server: TestServer, client: Client): Promise<Made> {
  await client.put("models/team/one/a.bin", "content");
  const { url } = await linkOf(client);
  const hub = new HubClient(server, client);
  const reply = await hub.send("GET", "/team/one/resolve/main/a.bin", { redirect: "manual" });
  return { link: url, address: new URL(reply.headers.get("Location") ?? "", hub.url).href };
}

async function linkOf(client: Client) {
  const request = { path: "models/team/one/a.bin", expires_in: "30d" };
  return v.parse(NewLinkEntry, dataOf(await post(client, "/links/", request)));
}

/** Where the server has moved to: a restart has another port. */
function at(server: TestServer, url: string): string {
  return server.origin + new URL(url).pathname;
}

async function statuses(server: TestServer, { link, address }: Made): Promise<number[]> {
  const replies = await Promise.all([link, address].map((it) => fetchBare(at(server, it))));
  return replies.map(({ status }) => status);
}

async function linksOf(client: Client) {
  const list = v.parse(LinkList, dataOf(await client.send("GET", "/links/")));
  return list.items.map(({ status, jti }) => [status, jti]);
}

async function revokeUser(server: TestServer, user: number | string, value?: unknown) {
  return await post(await server.admin(), `/users/${user}/revocations/`, value);
}

async function revokedBefore(...given: Parameters<typeof revokeUser>): Promise<RevocationEntry> {
  return v.parse(RevocationEntry, dataOf(await revokeUser(...given)));
}

Deno.test("C 31 a secret that is replaced without a former one ends all that it has made", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  let made: Made | undefined;
  {
    await using before = await TestServer.start({ dataDir, previousSecret: FORMER });
    made = await makeAll(before, await clientOf(before, { secret: FORMER, jti: "leaked" }));
    assert.deepEqual(await statuses(before, made), [200, 200]);
  }
  {
    await using rotating = await TestServer.start({ dataDir, previousSecret: FORMER });
    assert.deepEqual(await statuses(rotating, made), [200, 200]);
  }
  await using after = await TestServer.start({ dataDir });
  assert.deepEqual(await statuses(after, made), [404, 401]);
  assert.deepEqual(await linksOf(await clientOf(after)), [["ended", "leaked"]]);
});

Deno.test("C 31 a link ends with the credential that made it, and names it", async () => {
  await using server = await TestServer.start();
  const client = await clientOf(server, { jti: "maker" });
  const made = await makeAll(server, client);
  const owner = await clientOf(server, { jti: "owner" });
  const { url: kept } = await linkOf(owner);
  assert.deepEqual(await linksOf(owner), [["active", "owner"], ["active", "maker"]]);
  const [line] = (await auditOf(server)).filter(({ action }) => action === "links.add");
  assert.equal(line?.jti, "maker");
  dataOf(await client.send("DELETE", "/tokens/maker"));
  assert.deepEqual(await statuses(server, made), [404, 401]);
  assert.equal((await fetchBare(kept)).status, 200);
  assert.deepEqual(await linksOf(owner), [["active", "owner"], ["ended", "maker"]]);
});

Deno.test("C 31 all credentials of a user that were issued before a time end at once", async (t) => {
  await using server = await TestServer.start();
  const known = await clientOf(server, { jti: "known" });
  const withoutJti = await clientOf(server);
  const foreign = await clientOf(server, { jti: "of another issuer" });
  const other = await clientOf(server, { userId: 8 });
  const all = [known, withoutJti, foreign];
  const made = await makeAll(server, withoutJti);
  const narrow = { privileges: ["resources.view"] };
  const child = v.parse(NewTokenEntry, dataOf(await post(foreign, "/tokens/", narrow)));
  const childClient = new Client(server.url, child.token);
  const stream = (await known.fetch("/events/")).body?.pipeThrough(new TextDecoderStream())
    .getReader();
  await stream?.read();

  await t.step("C 31 those of before, whoever minted them, and what they have made", async () => {
    for (const client of all) assert.equal((await client.list()).status, 200);
    const before = new Date().toISOString();
    const revoked = await revokedBefore(server, 7);
    assert.equal(revoked.user_id, 7);
    assert.ok(revoked.before >= before);
    for (const client of [...all, childClient]) {
      assert.match(refused(await client.list(), 401, "ErrAuthRequired"), /revoked/);
    }
    assert.deepEqual(await statuses(server, made), [404, 401]);
  });
  await t.step("C 31 event streams", async () => {
    await (await clientOf(server)).mkdir("secret");
    const rest = await stream?.read();
    assert.deepEqual([rest?.done, rest?.value], [true, undefined]);
  });
  await t.step("C 31 not those of other users, and not those minted since", async () => {
    assert.equal((await other.list()).status, 200);
    const since = await clientOf(server, { jti: "since" });
    assert.equal((await since.list()).status, 200);
    dataOf(await post(since, "/tokens/", narrow));
  });
  await t.step(
    "C 31 an earlier time changes nothing, and is answered with the later one",
    async () => {
      const revoked = await revokedBefore(server, 7);
      const earlier = { before: "2020-01-01T00:00:00Z" };
      assert.deepEqual(await revokedBefore(server, 7, earlier), revoked);
      assert.equal((await known.list()).status, 401);
    },
  );
  await t.step("C 31 it is in the audit log", async () => {
    const [line] = (await auditOf(server)).filter(({ action }) => action === "token.revoke");
    assert.deepEqual([line?.user, line?.tree, line?.outcome], [1000, 7, "ok"]);
    assert.match(String(line?.before), /^20\d\d-.*Z$/);
  });
});

Deno.test("C 31 a young credential ends with an older one that minted it", async () => {
  await using server = await TestServer.start();
  const { credentials } = server;
  const root = await clientOf(server, { jti: "not recorded" });
  const narrow = { privileges: ["resources.view"] };
  const childOf = async (client: Client) =>
    new Client(
      server.url,
      v.parse(NewTokenEntry, dataOf(await post(client, "/tokens/", narrow))).token,
    );
  const child = await childOf(root);
  const grandchild = await childOf(child);
  const [young] = await credentials.list({ userId: 7, limit: 1 });
  const mintedAt = young?.mintedAt ?? 0;
  assert.equal((await grandchild.list()).status, 200);
  await credentials.revokeUser(7, mintedAt, mintedAt);
  assert.equal((await grandchild.list()).status, 401);
});

Deno.test("C 31 only an administrator revokes all credentials of a user, of one and by a time that was", async () => {
  await using server = await TestServer.start();
  const user = await clientOf(server, { jti: "its own" });
  const own = await post(user, "/users/7/revocations/", {});
  assert.match(refused(own, 403, "ErrNotPermitted"), /resources\.admin/);
  for (const id of ["0", "9007199254740992", "-1", "7.5"]) {
    refused(await revokeUser(server, id), 400, "ErrResourcesInvalidRequest");
  }
  refused(await revokeUser(server, "x"), 404, "ErrUsersNotFound");
  const later = new Date(Date.now() + 60_000).toISOString();
  for (const before of [later, "yesterday", "", 1]) {
    refused(await revokeUser(server, 7, { before }), 400, "ErrResourcesInvalidRequest");
  }
  assert.equal((await user.list()).status, 200);
});
