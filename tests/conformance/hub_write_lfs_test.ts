import * as assert from "node:assert/strict";
import * as jose from "jose";
import { Buffer } from "node:buffer";
import { signGrant } from "../../core/hub/signed_address.ts";
import { Client } from "../support/client.ts";
import {
  batch,
  commit,
  committed,
  fetchBare,
  HubClient,
  hubRefused,
  jsonOf,
  lfsObject,
  lines,
  park,
  postLfs,
  uploadAddress,
} from "../support/hub.ts";
import { modelFile } from "../support/models.ts";
import { auditOf } from "../support/audit.ts";
import { mintToken, TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import type { Reply } from "../support/client.ts";
import { waitingIn } from "../support/stored_content.ts";

const REPOSITORY = "team/one";
const BATCH = `/${REPOSITORY}.git/info/lfs/objects/batch`;
const VERIFY = `/${REPOSITORY}.git/info/lfs/verify`;
const CONTENT = "content of a large file";

/** Checks that a reply is an error in the form of Git LFS, and returns its message. */
function lfsRefused(reply: Reply, status: number): string {
  assert.equal(reply.status, status, reply.text);
  // The npm client reads messages of this type alone (C 31).
  assert.equal(reply.headers.get("Content-Type"), "application/json");
  const body: unknown = JSON.parse(reply.text);
  assert.ok(typeof body === "object" && body !== null && "message" in body, reply.text);
  return String(body.message);
}

async function startedServer(options: Parameters<typeof TestServer.start>[0] = {}) {
  const server = await TestServer.start(options);
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  assert.equal((await hub.create(REPOSITORY)).status, 200);
  return { server, user, hub };
}

function put(url: string, body: BodyInit, headers: HeadersInit = {}): Promise<Reply> {
  return fetchBare(url, { method: "PUT", body, headers });
}

/** The files of content that waits. */
function parkedFiles({ dataDir }: TestServer): Promise<string[]> {
  return waitingIn(dataDir);
}

Deno.test("C 20 Git LFS: upload, verify, commit, download", async (t) => {
  const { server, user, hub } = await startedServer();
  await using _server = server;
  const object = lfsObject(CONTENT);
  let href = "";

  await t.step("C 20 the batch has addresses for what the tree does not hold", async () => {
    const [item] = await batch(hub, REPOSITORY, "upload", object);
    const upload = item?.actions?.upload;
    href = upload?.href ?? "";
    assert.match(href, new RegExp(`^${server.origin}/hub/lfs/[\\w-]+\\.[\\w-]{43}$`));
    // As long as the credential, which is accepted for 30 s more.
    const { exp = 0 } = jose.decodeJwt(user.token);
    assert.equal(Date.parse(upload?.expires_at ?? ""), (exp + 30) * 1000);
    assert.deepEqual(item, {
      ...object,
      actions: { upload, verify: { href: `${hub.url}${VERIFY}` } },
    });
    assert.deepEqual(await batch(hub, REPOSITORY, "upload"), []);
  });
  await t.step("C 20 verify refuses what has not come", async () => {
    assert.match(lfsRefused(await postLfs(hub, VERIFY, object), 404), /was not received/);
  });
  await t.step("C 20 PUT receives the content, without a credential", async () => {
    const reply = await put(href, CONTENT);
    assert.deepEqual([reply.status, reply.text], [200, ""]);
    assert.deepEqual(jsonOf(await postLfs(hub, VERIFY, object)), object);
    lfsRefused(await postLfs(hub, VERIFY, { ...object, size: 1 }), 404);
    assert.deepEqual(await batch(hub, REPOSITORY, "upload", object), [object]);
    assert.equal((await put(href, CONTENT)).status, 200);
    assert.equal((await parkedFiles(server)).length, 1);
    assert.deepEqual(await user.tree(), ["models", "models/team", "models/team/one"]);
  });
  await t.step("C 20 what waits cannot be downloaded", async () => {
    const [item] = await batch(hub, REPOSITORY, "download", object);
    assert.deepEqual([item?.actions, item?.error?.code], [undefined, 404]);
  });
  await t.step("C 20 a commit makes it a file", async () => {
    committed(await commit(hub, REPOSITORY, lines.lfsFile("model.bin", CONTENT)));
    const bytes = await user.bytes({ path: "models/team/one/model.bin" });
    assert.equal(new TextDecoder().decode(bytes), CONTENT);
    assert.deepEqual(await parkedFiles(server), []);
    assert.deepEqual(await batch(hub, REPOSITORY, "upload", object), [object]);
  });
  await t.step("C 20 a download has the content, ranges and preconditions", async () => {
    const missing = lfsObject("missing");
    const [item, other] = await batch(hub, REPOSITORY, "download", object, missing);
    assert.equal(other?.error?.code, 404);
    const url = item?.actions?.download?.href ?? "";
    const whole = await fetchBare(url);
    assert.deepEqual([whole.status, whole.text], [200, CONTENT]);
    assert.equal(whole.headers.get("ETag"), `"${object.oid}"`);
    const part = await fetchBare(url, { headers: { Range: "bytes=3-5" } });
    assert.deepEqual([part.status, part.text], [206, CONTENT.slice(3, 6)]);
    const head = await fetchBare(url, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("Content-Length")], [200, `${object.size}`]);
    const same = { "If-None-Match": `"${object.oid}"` };
    assert.equal((await fetchBare(url, { headers: same })).status, 304);
    await user.file("DELETE", "models/team/one/model.bin");
    assert.match(lfsRefused(await fetchBare(url), 404), /no file with the SHA-256/);
  });
});

Deno.test("C 20 an object that is not what was stated is refused, and nothing is kept", async () => {
  const { server, hub } = await startedServer();
  await using _server = server;
  const href = await uploadAddress(hub, REPOSITORY, CONTENT);
  const other = CONTENT.replace("c", "d");
  lfsRefused(await put(href, other), 400);
  lfsRefused(await put(href, `${CONTENT}!`), 400);
  lfsRefused(await put(href, CONTENT.slice(1)), 400);
  lfsRefused(await put(href, ""), 400);
  const chunked = (...parts: string[]) =>
    put(href, ReadableStream.from(parts.map((part) => new TextEncoder().encode(part))));
  lfsRefused(await chunked(other), 400);
  lfsRefused(await chunked(CONTENT, "!"), 400);
  lfsRefused(await chunked(CONTENT.slice(1)), 400);
  lfsRefused(await put(href, CONTENT, { "Content-Range": "bytes 0-3/4" }), 400);
  assert.deepEqual(await parkedFiles(server), []);
  assert.deepEqual(await server.temporaryFiles(), []);
  assert.deepEqual(await server.storedHashes(), []);
  lfsRefused(await postLfs(hub, VERIFY, lfsObject(CONTENT)), 404);
  assert.equal((await chunked(...CONTENT)).status, 200);
});

Deno.test("C 20 a body that breaks off leaves nothing", async () => {
  const { server, hub } = await startedServer();
  await using _server = server;
  const content = "x".repeat(3_000_000);
  const { hostname, port, pathname } = new URL(await uploadAddress(hub, REPOSITORY, content));
  const commitHead = `POST /hub/api/models/${REPOSITORY}/commit/main`;
  const file = JSON.stringify(lines.file("a", "y".repeat(2_000_000)));
  const body = `${JSON.stringify(lines.header())}\n${
    JSON.stringify(lines.file("b", "z"))
  }\n${file}`;
  const token = await mintToken({ userId: 7, privileges: ["resources.upload"] });
  for (
    const [head, sent, length] of [
      [`PUT ${pathname}`, content.slice(0, 1_000_000), content.length],
      [`PUT ${pathname}`, "", content.length],
      [commitHead, body.slice(0, 1_000_000), body.length],
    ] as const
  ) {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const text = `${head} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Length: ${length}\r\n\r\n${sent}`;
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  }
  await until(() => server.log.filter((line) => line.includes('"status":4')).length >= 3);
  assert.deepEqual(await parkedFiles(server), []);
  assert.deepEqual(await server.temporaryFiles(), []);
  assert.deepEqual(await server.storedHashes(), []);
});

Deno.test("C 20 signed addresses are refused unless the server has made them for this", async (t) => {
  const revoked = new Set<string>();
  const { server, hub } = await startedServer({
    app: { isOver: ({ jti = "" }) => revoked.has(jti) },
  });
  await using _server = server;
  const href = await uploadAddress(hub, REPOSITORY, CONTENT);
  const token = href.slice(href.lastIndexOf("/") + 1);
  const [text = "", signature = ""] = token.split(".");
  const at = (other: string) => `${server.origin}/hub/lfs/${other}`;
  const grant: Record<string, unknown> = JSON.parse(Buffer.from(text, "base64url").toString());

  await t.step("C 20 forged and altered ones", async () => {
    const altered = (values: Record<string, unknown>) =>
      Buffer.from(JSON.stringify({ ...grant, ...values })).toString("base64url");
    for (
      const other of [
        "x",
        text,
        `${text}.${"A".repeat(43)}`,
        `${altered({ tree: 8 })}.${signature}`,
        `${altered({ user: 8 })}.${signature}`,
        `${altered({ operation: "download" })}.${signature}`,
        `${altered({ size: 3 })}.${signature}`,
        `${altered({ expires: 1e15 })}.${signature}`,
        signGrant(new Uint8Array(32), {
          operation: "upload",
          user: 7,
          tree: 7,
          ...{ sha256: lfsObject(CONTENT).oid, size: CONTENT.length },
          repository: "models/team/one",
          expires: Date.now() + 1000,
        }),
      ]
    ) {
      lfsRefused(await put(at(other), CONTENT), 401);
      lfsRefused(await fetchBare(at(other)), 401);
    }
    lfsRefused(await put(at(`${token}/x`), CONTENT), 501);
  });
  await t.step("C 20 one of another server", async () => {
    const foreign = await startedServer();
    await using _foreign = foreign.server;
    const other = await uploadAddress(foreign.hub, REPOSITORY, CONTENT);
    lfsRefused(await put(at(other.slice(other.lastIndexOf("/") + 1)), CONTENT), 401);
  });
  await t.step("C 20 one for the other operation, and other methods", async () => {
    lfsRefused(await fetchBare(href), 403);
    lfsRefused(await fetchBare(href, { method: "POST", body: "" }), 405);
    await park(hub, REPOSITORY, CONTENT);
    committed(await commit(hub, REPOSITORY, lines.lfsFile("m", CONTENT)));
    const [item] = await batch(hub, REPOSITORY, "download", lfsObject(CONTENT));
    lfsRefused(await put(item?.actions?.download?.href ?? "", CONTENT), 403);
  });
  await t.step("C 20 an expired one, with the credential", async () => {
    const seconds = await mintToken({
      userId: 7,
      privileges: ["resources.upload"],
      // The server allows for clocks that are 30 s late.
      ttlSeconds: -25,
    });
    const short = new HubClient(server, new Client(server.url, seconds));
    const href = await uploadAddress(short, REPOSITORY, "other content");
    await until(async () => (await put(href, "other content")).status === 401);
    assert.match(lfsRefused(await put(href, "other content"), 401), /has expired/);
  });
  await t.step("C 22 one of a revoked credential", async () => {
    const credential = await mintToken({
      userId: 7,
      privileges: ["resources.upload"],
      jti: "mine",
    });
    const mine = new HubClient(server, new Client(server.url, credential));
    const href = await uploadAddress(mine, REPOSITORY, "third content");
    revoked.add("mine");
    assert.match(lfsRefused(await put(href, "third content"), 401), /has been revoked/);
    revoked.clear();
    assert.equal((await put(href, "third content")).status, 200);
  });
});

Deno.test("C 22 a signed address counts for its user: rates and quotas", async () => {
  const { server } = await startedServer({ rateLimit: 20 });
  await using _server = server;
  const credential = await mintToken({
    userId: 9,
    privileges: ["resources.upload"],
    quota: 30,
  });
  const hub = new HubClient(server, new Client(server.url, credential));
  assert.equal((await hub.create(REPOSITORY)).status, 200);
  const other = await uploadAddress(hub, REPOSITORY, "ten bytes.");
  await park(hub, REPOSITORY, CONTENT);
  assert.match(lfsRefused(await put(other, "ten bytes."), 400), /exceed the quota of 30 bytes/);
  let reply = await put(other, "ten bytes.");
  // Requests come back with time, while the test runs as well.
  for (let times = 1; times < 40 && reply.status !== 429; times++) {
    reply = await put(other, "ten bytes.");
  }
  assert.equal(reply.status, 429);
  assert.match(reply.headers.get("Retry-After") ?? "", /^\d+$/);
  // Other users are not affected.
  assert.equal((await new HubClient(server, await server.as(7)).create("team/two")).status, 200);
});

Deno.test("C 20 Git LFS needs a credential with the privilege, in the tree of the address", async (t) => {
  const { server, hub } = await startedServer();
  await using _server = server;
  const object = lfsObject(CONTENT);
  const as = async (...privileges: string[]) =>
    new HubClient(server, await server.as(7, ...privileges));
  const ask = (client: HubClient, operation: string) =>
    postLfs(client, BATCH, { operation, objects: [object] });

  await t.step("C 20 upload and download each need their own", async () => {
    lfsRefused(await ask(await as("resources.download"), "upload"), 403);
    lfsRefused(await ask(await as("resources.upload"), "download"), 403);
    assert.equal((await ask(await as("resources.upload"), "upload")).status, 200);
    assert.equal((await ask(await as("resources.download"), "download")).status, 200);
    lfsRefused(await postLfs(await as("resources.view"), VERIFY, object), 403);
    const refused = (await auditOf(server)).filter(({ action }) => action === "hub.batch");
    assert.deepEqual(refused.map(({ outcome }) => outcome), ["ErrNotPermitted", "ErrNotPermitted"]);
  });
  await t.step("C 20 git lfs sends it as the password", async () => {
    const credential = await mintToken({ userId: 7, privileges: ["resources.upload"] });
    const basic = (text: string) => ({ Authorization: `Basic ${btoa(text)}` });
    const send = (path: string, headers: Record<string, string>) =>
      hub.post(path, { operation: "upload", objects: [] }, headers);
    assert.equal((await send(BATCH, basic(`git:${credential}`))).status, 200);
    assert.equal((await send(BATCH, basic(`:${credential}`))).status, 200);
    for (const text of [credential, `${credential}:`, "git:", `git:${credential}x`, ":::", "é"]) {
      const reply = await send(BATCH, {
        Authorization: `Basic ${Buffer.from(text).toString("base64")}`,
      });
      lfsRefused(reply, 401);
      assert.equal(reply.headers.get("WWW-Authenticate"), 'Basic realm="strongroom"');
    }
    lfsRefused(await send(BATCH, { Authorization: "" }), 401);
    hubRefused(await send("/api/repos/create", basic(`git:${credential}`)), 401);
    const url = server.url + "/resources/";
    const listed = await fetchBare(url, { headers: basic(`git:${credential}`) });
    assert.equal(listed.status, 401);
  });
  await t.step("C 19 the tree of another user", async () => {
    const claims = { userId: 8, privileges: ["resources.upload"] };
    const trees = { "7": ["resources.upload"] };
    const guest = new Client(server.url, await mintToken({ ...claims, trees }));
    const href = await uploadAddress(new HubClient(server, guest, 7), REPOSITORY, CONTENT);
    assert.match(href, new RegExp(`^${server.origin}/hub/lfs/`));
    assert.equal((await put(href, CONTENT)).status, 200);
    assert.deepEqual(await batch(hub, REPOSITORY, "upload", object), [object]);
    const line = (await auditOf(server)).findLast(({ action }) => action === "hub.upload");
    const { user, tree, paths, outcome, sha256 } = line ?? {};
    assert.deepEqual(
      { user, tree, paths, outcome, sha256 },
      { user: 8, tree: 7, paths: [`models/${REPOSITORY}`], outcome: "ok", sha256: object.oid },
    );
    lfsRefused(await ask(new HubClient(server, guest, 9), "upload"), 403);
    lfsRefused(await ask(new HubClient(server, await server.as(7), 9), "download"), 403);
    lfsRefused(await ask(new HubClient(server, guest), "upload"), 404);
  });
  await t.step("C 20 hostile requests", async () => {
    const requests: [unknown, RegExp][] = [
      [{ operation: "delete", objects: [] }, /operation must be/],
      [{ operation: "upload" }, /objects is missing/],
      [{ operation: "upload", objects: [], hash_algo: "sha1" }, /hash_algo must be/],
      [{ operation: "upload", objects: [], transfers: ["ssh"] }, /expected basic/],
      [{ operation: "upload", objects: Array(1001).fill(object) }, /objects must be/],
      ...["", "abc", object.oid.toUpperCase(), `${object.oid}0`, 7].map((
        oid,
      ): [unknown, RegExp] => [
        { operation: "upload", objects: [{ oid, size: 1 }] },
        /oid must be/,
      ]),
      ...[-1, 0.5, "1", null, 2 ** 60].map((size): [unknown, RegExp] => [
        { operation: "upload", objects: [{ oid: object.oid, size }] },
        /size must be/,
      ]),
    ];
    for (const [body, reason] of requests) {
      assert.match(lfsRefused(await postLfs(hub, BATCH, body), 400), reason);
    }
    lfsRefused(
      await postLfs(hub, BATCH.replace("one", "none"), {
        operation: "upload",
        objects: [],
      }),
      404,
    );
    for (const path of ["locks", "locks/verify", "objects", "objects/batch/x"]) {
      lfsRefused(await postLfs(hub, `/${REPOSITORY}.git/info/lfs/${path}`, {}), 501);
    }
  });
});

Deno.test("C 20 tokens of signed addresses are in no log", async () => {
  const { server, hub } = await startedServer({ app: { openMetrics: true } });
  await using _server = server;
  const href = await uploadAddress(hub, REPOSITORY, CONTENT);
  const token = href.slice(href.lastIndexOf("/") + 1);
  const [text = "", signature = ""] = token.split(".");
  await put(href, "wrong");
  await put(href, CONTENT);
  await fetchBare(href);
  await put(`${href}x`, CONTENT);
  await fetchBare(`${href}/more`);
  await fetchBare(`${href}?query`, { method: "POST" });
  await fetchBare(`${server.origin}/proxy/hub/lfs/${token}`);
  await until(() => server.log.filter((line) => line.includes("/hub/lfs/…")).length >= 6);
  const metrics = await fetchBare(`${server.origin}/metrics`);
  const audit = await Deno.readTextFile(`${server.dataDir}/audit.log`);
  for (const shown of [...server.log, audit, metrics.text]) {
    assert.ok(!shown.includes(signature) && !shown.includes(text.slice(0, 40)), shown);
  }
});

Deno.test("C 18 the gate holds for downloads of Git LFS", async () => {
  const { server, hub } = await startedServer({ settings: { gate: "block" } });
  await using _server = server;
  const dangerous = await modelFile("pickle/hostile/eval.pkl");
  await park(hub, REPOSITORY, dangerous);
  committed(await commit(hub, REPOSITORY, lines.lfsFile("model.pkl", dangerous)));
  // One that was made before the gate refused the file.
  const { oid: sha256, size } = lfsObject(dangerous);
  const repository = `models/${REPOSITORY}`;
  const grant = { user: 7, tree: 7, repository, expires: Date.now() + 60_000 };
  const key = await server.hub.objects.key();
  const token = signGrant(key, { ...grant, operation: "download", sha256, size });
  const url = `${server.origin}/hub/lfs/${token}`;
  await until(async () => /dangerous/.test((await fetchBare(url)).text));
  const reply = await fetchBare(url);
  assert.match(lfsRefused(reply, 403), /models\/team\/one\/model.pkl/);
  assert.match(reply.headers.get("X-Error-Message") ?? "", /dangerous/);
  const refusals = (await auditOf(server)).filter(({ action }) => action === "resources.download");
  assert.deepEqual(refusals.at(-1)?.paths, ["models/team/one/model.pkl"]);
});
