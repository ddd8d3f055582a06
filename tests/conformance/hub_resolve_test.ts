import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { signGrant } from "../../core/hub/signed_address.ts";
import { Client } from "../support/client.ts";
import { fetchBare, HubClient, hubRefused, jsonOf } from "../support/hub.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { until } from "../support/until.ts";

const FILE = "models/team/one/config.json";
const RESOLVE = "/team/one/resolve/main/config.json";

/** The id of the blob in Git with a text of ASCII. */
function blobIdOf(text: string): string {
  return createHash("sha1").update(`blob ${text.length}\0${text}`).digest("hex");
}

/** What a client learns before it asks for content. */
async function promised(hub: HubClient, method = "HEAD", address = RESOLVE) {
  const reply = await hub.send(method, address, { redirect: "manual" });
  assert.equal(reply.status, 307, reply.text);
  const location = reply.headers.get("Location") ?? "";
  assert.match(location, /^\/hub\/api\/content\/[\w.-]+$/);
  return {
    url: new URL(location, hub.url).href,
    commit: reply.headers.get("X-Repo-Commit"),
    etag: reply.headers.get("X-Linked-ETag"),
    size: reply.headers.get("X-Linked-Size"),
  };
}

Deno.test("C 31 resolve redirects to the content that a file has", async (t) => {
  const revoked = new Set<string>();
  await using server = await TestServer.start({
    app: { isOver: ({ jti = "" }) => revoked.has(jti) },
  });
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  await user.put(FILE, "one");
  const etag = `"${blobIdOf("one")}"`;

  await t.step("C 31 GET and HEAD say what comes, and it comes without a credential", async () => {
    for (const method of ["GET", "HEAD"]) {
      const { url, ...said } = await promised(hub, method);
      const { sha } = Object(jsonOf(await hub.send("GET", "/api/models/team/one")));
      assert.deepEqual(said, { commit: sha, etag, size: "3" });
      for (const asked of ["GET", "HEAD"]) {
        const reply = await fetchBare(url, { method: asked });
        assert.deepEqual([reply.status, reply.text], [200, asked === "GET" ? "one" : ""]);
        const { headers } = reply;
        assert.deepEqual(
          ["X-Repo-Commit", "X-Linked-ETag", "ETag", "X-Linked-Size", "Content-Length"]
            .map((name) => headers.get(name)),
          [sha, etag, etag, "3", "3"],
        );
      }
    }
  });
  await t.step("C 31 a range and preconditions are those of the content", async () => {
    const { url } = await promised(hub);
    const part = await fetchBare(url, { headers: { Range: "bytes=1-", "If-Range": etag } });
    assert.deepEqual([part.status, part.text], [206, "ne"]);
    const same = await fetchBare(url, { headers: { "If-None-Match": etag } });
    assert.equal(same.status, 304);
    hubRefused(await fetchBare(url, { headers: { "If-Match": '"x"' } }), 412);
    hubRefused(await fetchBare(url, { headers: { Range: "bytes=9-" } }), 416);
  });
  await t.step("C 31 other content never comes, and the commit id stays", async () => {
    const first = await promised(hub);
    await user.put("models/team/one/other", "1");
    const kept = await fetchBare(first.url);
    assert.deepEqual([kept.text, kept.headers.get("X-Repo-Commit")], ["one", first.commit]);
    await user.put(FILE, "two");
    for (const range of ["bytes=0-", "bytes=1-"]) {
      const reply = await fetchBare(first.url, { headers: { Range: range } });
      assert.match(hubRefused(reply, 404, "RevisionNotFound"), /has been replaced or deleted/);
    }
    const second = await promised(hub);
    assert.equal((await fetchBare(second.url)).text, "two");
    // The content is there again.
    await user.put(FILE, "one");
    assert.equal((await fetchBare(first.url)).text, "one");
    hubRefused(await fetchBare(second.url), 404, "RevisionNotFound");
    await user.remove({ path: FILE });
    hubRefused(await fetchBare(first.url), 404, "RevisionNotFound");
    await user.put(FILE, "one");
  });
  await t.step("C 31 an address of a shared tree is of that tree", async () => {
    const trees = { "7": ["resources.view", "resources.download"] };
    const token = await mintToken({ userId: 9, privileges: [], trees });
    const shared = new HubClient(server, new Client(server.url, token), 7);
    const { url } = await promised(shared);
    assert.equal((await fetchBare(url)).text, "one");
  });
  await t.step("C 31 an address ends with its credential, and is for nothing else", async () => {
    const privileges = USER_PRIVILEGES;
    const token = await mintToken({ userId: 7, privileges, jti: "mine" });
    const { url } = await promised(new HubClient(server, new Client(server.url, token)));
    assert.equal((await fetchBare(url)).text, "one");
    const sending = await fetchBare(url.replace("/api/content/", "/lfs/"), { method: "PUT" });
    assert.equal(sending.status, 403, sending.text);
    revoked.add("mine");
    assert.match(hubRefused(await fetchBare(url), 401), /revoked/);
  });
  await t.step("C 31 an address lasts an hour, and cannot be made", async () => {
    const { url } = await promised(hub);
    const [, text = ""] = /content\/([\w-]+)\./.exec(url) ?? [];
    const grant = JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
    assert.ok(grant.expires <= Date.now() + 3_600_000);
    const key = await server.hub.objects.key();
    const of = (token: string) => fetchBare(`${server.origin}/hub/api/content/${token}`);
    assert.equal((await of(signGrant(key, grant))).text, "one");
    const expired = await of(signGrant(key, { ...grant, expires: Date.now() - 1 }));
    assert.match(hubRefused(expired, 401), /expired/);
    assert.match(expired.headers.get("X-Error-Message") ?? "", /expired/);
    hubRefused(await of(signGrant(new Uint8Array(32), grant)), 401);
    const { record: _record, commit: _commit, ...object } = grant;
    hubRefused(await of(signGrant(key, { ...object, operation: "download" })), 401);
    const foreign = { ...grant, tree: 8 };
    hubRefused(await of(signGrant(key, foreign)), 404, "RevisionNotFound");
  });
  await t.step("C 31 no log has an address", async () => {
    const { url } = await promised(hub);
    await fetchBare(url);
    await fetchBare(`${url}/more`);
    const token = url.slice(url.lastIndexOf("/") + 1);
    await until(() => server.log.some((line) => line.includes("/hub/api/content/…")));
    assert.deepEqual(server.log.filter((line) => line.includes(token)), []);
  });
});
