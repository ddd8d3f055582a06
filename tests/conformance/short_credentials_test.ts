import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import * as v from "valibot";
import { newShortToken } from "../../core/short_credentials.ts";
import { NewTokenEntry, TokenList } from "../../schemas/tokens.ts";
import { auditOf } from "../support/audit.ts";
import { Client, dataOf, refused } from "../support/client.ts";
import { HubClient } from "../support/hub.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { openDatabase } from "../support/test_database.ts";
import { until } from "../support/until.ts";

type NewToken = v.InferOutput<typeof NewTokenEntry>;

async function rootOf(
  { url }: TestServer,
  claims: Partial<Parameters<typeof mintToken>[0]> = {},
): Promise<Client> {
  const held = { userId: 7, privileges: USER_PRIVILEGES, jti: "root", ...claims };
  return new Client(url, await mintToken(held));
}

async function mintShort(client: Client, more: Record<string, unknown> = {}): Promise<NewToken> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ privileges: USER_PRIVILEGES, short: true, ...more });
  return v.parse(NewTokenEntry, dataOf(await client.send("POST", "/tokens/", { headers, body })));
}

async function listed(client: Client) {
  return v.parse(TokenList, dataOf(await client.send("GET", "/tokens/"))).items;
}

Deno.test("C 31 every door takes a short credential", async (t) => {
  await using server = await TestServer.start();
  const { token } = await mintShort(await rootOf(server));
  assert.match(token, /^hf_[A-Za-z0-9]{37}$/);
  const client = new Client(server.url, token);
  const hub = new HubClient(server, client);

  await t.step("C 31 the API, resumable uploads among it", async () => {
    await client.put("models/team/one/config.json", "{}");
    assert.equal((await client.list()).status, 200);
    const headers = {
      "Tus-Resumable": "1.0.0",
      "Upload-Length": "2",
      "Upload-Metadata": "path YQ==",
    };
    assert.equal((await client.send("POST", "/uploads/", { headers })).status, 201);
  });
  await t.step("C 31 the hub", async () => {
    assert.equal((await hub.send("GET", "/api/whoami-v2")).status, 200);
    assert.equal((await hub.send("GET", "/team/one/resolve/main/config.json")).status, 200);
  });
  await t.step("C 31 Git LFS, as a password", async () => {
    const basic = Buffer.from(`anyone:${token}`).toString("base64");
    const reply = await fetch(`${server.origin}/hub/team/one.git/info/lfs/objects/batch`, {
      method: "POST",
      headers: {
        Authorization: `Basic ${basic}`,
        "Content-Type": "application/vnd.git-lfs+json",
      },
      body: JSON.stringify({ operation: "download", objects: [] }),
    });
    await reply.body?.cancel();
    assert.equal(reply.status, 200);
  });
  await t.step("C 31 the console", async () => {
    const reply = await fetch(`${server.origin}/console/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Strongroom-Console": "1" },
      body: JSON.stringify({ credential: token }),
    });
    assert.equal(reply.status, 200, await reply.text());
  });
});

Deno.test("C 31 a short credential has rights, an end, a name and its last use, and is kept as a digest", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  let minted: NewToken | undefined;
  {
    await using server = await TestServer.start({ dataDir });
    const root = await rootOf(server, { trees: { 8: ["resources.view"] } });
    minted = await mintShort(root, {
      privileges: ["resources.view"],
      trees: { 8: ["resources.view"] },
      label: "npm on a laptop",
      expires_in: 600,
      quota: 100,
    });
    const { token, short, label, quota } = minted;
    assert.deepEqual([short, label, quota], [{ last_used_at: null }, "npm on a laptop", 100]);
    const client = new Client(server.url, token);
    assert.equal((await client.list()).status, 200);
    assert.equal((await client.inTree(8).list()).status, 200);
    assert.match(
      refused(await client.mkdir("d"), 403, "ErrNotPermitted"),
      /resources\.upload|edit/,
    );
    const [line] = (await auditOf(server)).filter(({ action }) => action === "token.mint");
    assert.deepEqual([line?.jti, line?.short], [minted.jti, "yes"]);
  }
  // What the database and all other files have is not the token.
  for await (const { name, isFile } of Deno.readDir(dataDir)) {
    if (!isFile) continue;
    const text = new TextDecoder("latin1").decode(await Deno.readFile(`${dataDir}/${name}`));
    assert.ok(!text.includes(minted.token.slice(3, 34)), name);
  }
  await using server = await TestServer.start({ dataDir });
  const client = new Client(server.url, minted.token);
  const entry = (await listed(client)).find(({ jti }) => jti === minted.jti);
  assert.equal(entry?.is_current, true);
  // The server before has noted it when it ended.
  assert.ok(String(entry?.short?.last_used_at) > String(entry?.created_at));
  assert.ok(!JSON.stringify(entry).includes("hf_"));
});

Deno.test("C 31 a short credential is refused once it is over", async (t) => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  const before = "the secret before, longer than 32 bytes";
  let old: NewToken | undefined;
  {
    await using server = await TestServer.start({ dataDir, previousSecret: before });
    const root = await rootOf(server);
    const clientOf = async (minting: Client) => {
      const minted = await mintShort(minting);
      const client = new Client(server.url, minted.token);
      assert.equal((await client.list()).status, 200);
      return { ...minted, client };
    };
    const over = async (client: Client) => refused(await client.list(), 401, "ErrAuthRequired");

    await t.step("C 31 by itself, and with those that it has minted", async () => {
      const { jti, client } = await clientOf(root);
      const child = await clientOf(client);
      dataOf(await root.send("DELETE", `/tokens/${jti}`));
      for (const it of [client, child.client]) assert.match(await over(it), /revoked/);
    });
    await t.step("C 31 with its user's", async () => {
      const { client } = await clientOf(root);
      const { client: other } = await clientOf(await rootOf(server, { userId: 8, jti: "8" }));
      dataOf(await (await server.admin()).send("POST", "/users/7/revocations/"));
      assert.match(await over(client), /revoked/);
      assert.equal((await other.list()).status, 200);
    });
    await t.step("C 31 when it has expired", async () => {
      const { client, jti } = await clientOf(await rootOf(server, { jti: "later" }));
      const { token } = await mintShort(await rootOf(server, { jti: "later" }));
      await using database = await openDatabase(dataDir);
      await database.run("UPDATE credentials SET expires_at = 1 WHERE jti <> :jti", { jti });
      const expired = new Client(server.url, token);
      assert.match(await over(expired), /expired/);
      assert.equal((await client.list()).status, 200);
    });
    await t.step("C 31 one that was never minted, and one that is mistyped", async () => {
      const { token } = await mintShort(await rootOf(server, { jti: "typed" }));
      const typo = token.slice(0, -1) + (token.endsWith("a") ? "b" : "a");
      for (const other of [newShortToken(), typo, "hf_", "hf_short"]) {
        assert.match(await over(new Client(server.url, other)), /invalid/);
      }
    });
    await t.step("C 31 not beyond what mints it", async () => {
      const narrow = new Client(
        server.url,
        (await mintShort(await rootOf(server, { jti: "wide" }), {
          privileges: ["resources.view"],
        })).token,
      );
      const headers = { "Content-Type": "application/json" };
      for (const more of [{ privileges: ["resources.upload"] }, { expires_in: "365d" }]) {
        const body = JSON.stringify({ privileges: ["resources.view"], short: true, ...more });
        refused(await narrow.send("POST", "/tokens/", { headers, body }), 403, "ErrNotPermitted");
      }
    });
    const former = await rootOf(server, { jti: "former", secret: before });
    refused(
      await former.send("POST", "/tokens/", {
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ privileges: ["resources.view"], short: true }),
      }),
      403,
      "ErrNotPermitted",
    );
    old = await mintShort(await rootOf(server, { jti: "kept" }));
  }
  await t.step("C 31 when the server no longer has the secret of its time", async () => {
    {
      await using server = await TestServer.start({ dataDir });
      assert.equal((await new Client(server.url, old.token).list()).status, 200);
    }
    await using database = await openDatabase(dataDir);
    await database.run("UPDATE credentials SET key_id = 'another'");
    await using server = await TestServer.start({ dataDir });
    const reply = await new Client(server.url, old.token).list();
    assert.match(refused(reply, 401, "ErrAuthRequired"), /revoked/);
  });
});

Deno.test("C 31 the last use of a short credential is noted, and no request waits for it", async () => {
  await using server = await TestServer.start();
  const { credentials } = server;
  const { token, jti } = await mintShort(await rootOf(server));
  await new Client(server.url, token).list();
  await credentials.noteUses(new Map([[jti, 2000], ["nobody's", 3000]]));
  await until(async () => (await credentials.find(jti))?.short?.usedAt === 2000);
  await credentials.noteUses(new Map([[jti, 1000]]));
  assert.equal((await credentials.find(jti))?.short?.usedAt, 2000);
});
