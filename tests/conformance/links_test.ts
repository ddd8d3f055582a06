import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { BlobReader, ZipReader } from "@zip.js/zip.js";
import * as v from "valibot";
import { TrustedProxies } from "../../routes/request/client_address.ts";
import { LinkLimits } from "../../routes/trees/link_limits.ts";
import { LinkList } from "../../schemas/links.ts";
import { Client, dataOf, items, refused, type Reply } from "../support/client.ts";
import { follow, linkTo } from "../support/links.ts";
import { modelFile } from "../support/models.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { openDatabase } from "../support/test_database.ts";
import { until } from "../support/until.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { contentFile } from "../support/stored_content.ts";

const CLEAN = await modelFile("pickle/plain_3.pkl");
const DANGEROUS = await modelFile("pickle/hostile/eval.pkl");

function isOver(reply: Reply): void {
  assert.match(refused(reply, 404, "ErrLinksNotFound"), /does not exist, or is over/);
}

async function linksOf(client: Client) {
  return v.parse(LinkList, dataOf(await client.send("GET", "/links/"))).items;
}

function tokenOf({ url }: { url: string }): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

Deno.test("C 19 a link serves a file or a directory without a credential", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  await user.upload("private/docs", { "a b.txt": "hello", "c.txt": "more" });

  await t.step("C 19 a file, as a download does", async () => {
    const link = await linkTo(user, "private/docs/a b.txt", { expires_in: 60 });
    assert.match(link.url, new RegExp(`^${server.origin}/l/[\\w-]{22}$`));
    assert.deepEqual([link.user_id, link.created_by, link.once], [7, 7, false]);
    assert.equal(Date.parse(link.expires_at) - Date.parse(link.created_at), 60_000);
    for (let times = 0; times < 2; times++) {
      const { status, headers, text } = await follow(link);
      assert.deepEqual([status, text], [200, "hello"]);
      assert.equal(headers.get("Content-Disposition"), 'attachment; filename="a b.txt"');
    }
    const part = await follow(link, { headers: { Range: "bytes=1-3" } });
    assert.deepEqual([part.status, part.text], [206, "ell"]);
    const head = await follow(link, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("Content-Length")], [200, "5"]);
    const etag = head.headers.get("ETag") ?? "";
    assert.equal((await follow(link, { headers: { "If-None-Match": etag } })).status, 304);
    assert.equal((await follow(`${link.url}/`)).status, 200);
  });
  await t.step("C 19 a directory, as a ZIP with names below it", async () => {
    const { url } = await linkTo(user, "private/docs");
    const response = await fetch(url);
    assert.match(response.headers.get("Content-Disposition") ?? "", /"docs.zip"/);
    const entries = await new ZipReader(new BlobReader(await response.blob())).getEntries();
    assert.deepEqual(entries.map(({ filename }) => filename), ["a b.txt", "c.txt"]);
  });
  await t.step("C 19 neither stored by caches nor named to other sites", async () => {
    for (const path of ["private/docs", "private/docs/c.txt"]) {
      const { headers } = await follow(await linkTo(user, path));
      assert.equal(headers.get("Cache-Control"), "no-store");
      assert.equal(headers.get("Referrer-Policy"), "no-referrer");
    }
  });
  await t.step("C 19 nothing but that", async () => {
    const { url } = await linkTo(user, "private/docs");
    for (const query of ["path=private", "id=1", "tree=7", "paths[]=private"]) {
      assert.match(
        (await fetch(`${url}?${query}`)).headers.get("Content-Disposition") ?? "",
        /docs/,
      );
    }
    assert.equal((await follow(`${url}/c.txt`)).status, 404);
    assert.match((await follow(`${url}/..`)).text, /^<!doctype html>/);
    assert.equal((await follow(url, { method: "POST" })).status, 405);
    const token = url.slice(url.lastIndexOf("/") + 1);
    refused(await new Client(server.url, token).list(), 401, "ErrAuthRequired");
  });
});

Deno.test("C 19 a link needs resources.download on its path", async () => {
  await using server = await TestServer.start();
  await (await server.as(8)).upload("", { "theirs.txt": "of 8" });
  const user = await server.as(7);
  await user.upload("", { "a.txt": "a" });
  const make = (client: Client, path: string) =>
    client.json("POST", "/links/", { path, expires_in: 60 });
  refused(await make(user, "theirs.txt"), 404, "ErrResourcesNotFound");
  refused(await make(user, "none"), 404, "ErrResourcesNotFound");
  for (const path of ["", " ", "/a", "../a"]) {
    refused(await make(user, path), 400, "ErrResourcesInvalidRequest");
  }
  const others = USER_PRIVILEGES.filter((it) => it !== "resources.download");
  refused(await make(await server.as(7, ...others), "a.txt"), 403, "ErrNotPermitted");
  refused(await make(user.inTree(8), "theirs.txt"), 403, "ErrNotPermitted");
  const link = await linkTo(await server.admin(9), "theirs.txt");
  assert.deepEqual([link.user_id, link.created_by], [8, 9]);
  assert.equal((await follow(link)).text, "of 8");
});

Deno.test("C 19 a link in a shared tree is that of the tree", async () => {
  await using server = await TestServer.start();
  const owner = await server.as(7);
  await owner.upload("", { "a.txt": "of the team" });
  const claims = { userId: 3, privileges: USER_PRIVILEGES };
  const token = await mintToken({ ...claims, trees: { "7": ["resources.download"] } });
  const own = new Client(server.url, token);
  const member = own.inTree(7);
  const link = await linkTo(member, "a.txt");
  assert.deepEqual([link.user_id, link.created_by], [7, 3]);
  assert.equal((await follow(link)).text, "of the team");
  const viewer = await mintToken({ ...claims, trees: { "7": ["resources.view"] } });
  const refusal = await new Client(server.url, viewer).inTree(7)
    .json("POST", "/links/", { path: "a.txt", expires_in: 60 });
  refused(refusal, 403, "ErrNotPermitted");
  assert.deepEqual(await linksOf(own), []);
});

Deno.test("C 19 a link ends", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  await user.upload("d", { "a.txt": "first" });
  const paths = ["d", "d/a.txt"];
  const both = () => Promise.all(paths.map((path) => linkTo(user, path)));

  await t.step("C 19 when it expires", async () => {
    const link = await linkTo(user, "d/a.txt", { expires_in: "3s" });
    assert.equal((await follow(link)).status, 200);
    await until(() => Date.now() > Date.parse(link.expires_at));
    isOver(await follow(link));
    assert.ok(!(await linksOf(user)).some(({ id }) => id === link.id));
  });
  await t.step("C 19 after 30 days at most", async () => {
    const times = [0, -1, 1.5, 2_592_001, "31d", "0s", "", "soon", "7", "1y", 1e300];
    for (const expires_in of times) {
      const reply = await user.json("POST", "/links/", { path: "d", expires_in });
      assert.match(refused(reply, 400, "ErrResourcesInvalidRequest"), /expires_in/);
    }
    for (const expires_in of [null, undefined, true, [1]]) {
      const reply = await user.json("POST", "/links/", { path: "d", expires_in });
      assert.match(refused(reply, 400, "ErrResourcesInvalidRequest"), /expires_in/);
    }
    for (const expires_in of [2_592_000, "30d", "1s"]) await linkTo(user, "d", { expires_in });
  });
  await t.step("C 19 attack: when it is revoked", async () => {
    for (const link of await both()) {
      assert.equal((await user.send("DELETE", `/links/${link.id}`)).status, 200);
      isOver(await follow(link));
      refused(await user.send("DELETE", `/links/${link.id}`), 404, "ErrLinksNotFound");
    }
  });
  await t.step("C 19 attack: while its path is gone, and whatever takes its place", async () => {
    const links = await both();
    await user.move({ source: "d", destination: "moved" });
    for (const link of links) isOver(await follow(link));
    await user.upload("d", { "a.txt": "another" });
    for (const link of links) isOver(await follow(link));
    const [other, ...rest] = await both();
    await user.remove({ path: "d" });
    for (const link of [other, ...rest]) isOver(await follow(link?.url ?? ""));
    await user.upload("d", { "a.txt": "third" });
    for (const link of [...links, ...rest]) isOver(await follow(link));
  });
  await t.step("C 19 attack: when another file replaces its own", async () => {
    const [, link] = await both();
    await user.upload("", { "b.txt": "secret" });
    await user.move({ source: "b.txt", destination: "d/a.txt", force: true });
    isOver(await follow(link?.url ?? ""));
    const again = await linkTo(user, "d/a.txt");
    await user.upload("", { "c.txt": "secret" });
    await user.copy({ source: "c.txt", destination: "d/a.txt", force: true });
    isOver(await follow(again));
  });
});

Deno.test("C 19 attack: a token cannot be guessed, and only its SHA-256 is stored", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  await user.upload("", { "a.txt": "a" });
  const links = [];
  for (let count = 0; count < 20; count++) links.push(await linkTo(user, "a.txt"));
  const tokens = links.map(tokenOf);
  assert.equal(new Set(tokens).size, 20);
  for (const token of tokens) {
    assert.equal(atob(token.replaceAll("-", "+").replaceAll("_", "/")).length, 16);
  }
  const [token = ""] = tokens;
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  // The last character has four unused bits: others decode to the same bytes.
  const last = digits.indexOf(token.slice(-1));
  const guesses = [
    token.slice(0, -1) + digits[last ^ 1],
    `${token}=`,
    `${token}A`,
    token.slice(0, -1),
    token.toLowerCase(),
    createHash("sha256").update(token).digest("hex"),
    createHash("sha256").update(token).digest("base64url"),
    String(links[0]?.id),
    "%00".repeat(22),
    "'%20OR%201--",
  ].filter((guess) => guess !== token);
  for (const guess of guesses) isOver(await follow(`${server.origin}/l/${guess}`));
  for await (const { name, isFile } of Deno.readDir(server.dataDir)) {
    if (!isFile) continue;
    const bytes = new TextDecoder("latin1").decode(
      await Deno.readFile(`${server.dataDir}/${name}`),
    );
    for (const token of tokens) assert.ok(!bytes.includes(token), name);
  }
  await using database = await openDatabase(server.dataDir);
  const [row] = await database.all("SELECT * FROM links");
  for (const token of tokens) assert.ok(!JSON.stringify(row).includes(token));
  assert.deepEqual(row?.token_sha256, new Uint8Array(createHash("sha256").update(token).digest()));
});

Deno.test("C 19 no log shows the token of a link", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  await user.upload("", { "a.txt": "a" });
  const link = await linkTo(user, "a.txt");
  const token = tokenOf(link);
  await follow(link);
  for (
    const path of [
      `/l/${token}/`,
      `/l/${token}/more`,
      `/x/l/${token}`,
      `/%6c/${token}`,
      `//l/${token}`,
    ]
  ) {
    const { text } = await follow(server.origin + path);
    if (!text.startsWith("a")) assert.ok(!text.includes(token), text);
  }
  await follow(link, { method: "DELETE" });
  await user.send("DELETE", `/links/${link.id}`);
  await follow(link);
  await until(() => server.log.filter((line) => line.includes("/l/…")).length >= 8);
  assert.ok(!server.log.some((line) => line.includes(token)));
  const audit = await Deno.readTextFile(`${server.dataDir}/audit.log`);
  assert.ok(audit.includes("links.download") && !audit.includes(token));
});

Deno.test("C 31 a link is followed by a form as well, whose token no address has", async (t) => {
  await using server = await TestServer.start({ app: { linkLimits: new LinkLimits(() => 0) } });
  const user = await server.as(7);
  await user.upload("", { "a.txt": "hello" });
  const form = (token: string, init: RequestInit = {}) =>
    follow(`${server.origin}/l/`, {
      method: "POST",
      body: new URLSearchParams({ token }),
      ...init,
    });
  const link = await linkTo(user, "a.txt");

  await t.step("C 31 it serves what the address would", async () => {
    const { status, text, headers } = await form(tokenOf(link));
    assert.deepEqual([status, text], [200, "hello"]);
    assert.equal(headers.get("Content-Disposition"), 'attachment; filename="a.txt"');
    assert.equal(headers.get("Cache-Control"), "no-store");
  });
  await t.step("C 31 one download is one, and the page is none", async () => {
    const once = await linkTo(user, "a.txt", { once: true });
    assert.match((await follow(`${server.origin}/l/#${tokenOf(once)}`)).text, /^<!doctype html>/);
    assert.equal((await form(tokenOf(once))).text, "hello");
    isOver(await form(tokenOf(once)));
  });
  await t.step("C 31 other tokens and forms are refused", async () => {
    isOver(await form("x".repeat(22)));
    isOver(await form("", { body: "other=1" }));
    refused(
      await form("", { body: "token=".padEnd(2000, "x") }),
      400,
      "ErrResourcesInvalidRequest",
    );
  });
  await t.step("C 31 each counts for the limits, and is recorded", async () => {
    const replies = await Promise.all(Array.from({ length: 130 }, () => form(tokenOf(link))));
    assert.ok(replies.some(({ status }) => status === 429));
    const audit = await Deno.readTextFile(`${server.dataDir}/audit.log`);
    assert.ok(audit.includes("links.download") && !audit.includes(tokenOf(link)));
  });
});

Deno.test("C 19 a link with once serves one download", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const large = new Uint8Array(40 * 2 ** 20);
  await user.upload("d", { "a.txt": "only once", "large.bin": large });
  const once = (path: string) => linkTo(user, path, { once: true });

  await t.step("C 19 attack: of simultaneous requests exactly one", async () => {
    for (const path of ["d/a.txt", "d/a.txt", "d/a.txt", "d"]) {
      const link = await once(path);
      const replies = await Promise.all(Array.from({ length: 6 }, () => follow(link)));
      const served = replies.filter(({ status }) => status === 200);
      assert.equal(served.length, 1, path);
      for (const reply of replies) if (reply !== served[0]) isOver(reply);
      isOver(await follow(link));
    }
  });
  await t.step("C 19 whole, whatever part is asked for; HEAD leaves it", async () => {
    const link = await once("d/a.txt");
    const head = await follow(link, { method: "HEAD" });
    assert.equal(head.status, 200);
    const headers = { Range: "bytes=0-0", "If-None-Match": head.headers.get("ETag") ?? "" };
    const { status, text, headers: replied } = await follow(link, { headers });
    assert.deepEqual([status, text, replied.get("Accept-Ranges")], [200, "only once", "none"]);
    assert.equal((await follow(link, { method: "HEAD" })).status, 404);
  });
  await t.step("C 19 a download that is cut has used it up", async () => {
    const link = await once("d/large.bin");
    const reader = (await fetch(link.url)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    isOver(await follow(link));
    assert.equal((await linksOf(user)).find(({ id }) => id === link.id)?.status, "used");
  });
  await t.step("C 19 content that is missing leaves it", async () => {
    const link = await once("d/large.bin");
    const hash = createHash("md5").update(large).digest("hex");
    const file = await contentFile(server.dataDir, hash);
    await Deno.rename(file, `${file}.away`);
    assert.equal((await follow(link)).status, 404);
    await Deno.rename(`${file}.away`, file);
    assert.equal((await follow(link)).status, 200);
  });
});

Deno.test("C 19 and C 18 the gate holds for links", async (t) => {
  await using server = await TestServer.start({ settings: { gate: "block" } });
  const user = await server.as(7);
  await user.upload("secret/d", { "ok.pkl": CLEAN });
  await user.upload("secret", { "bad.pkl": DANGEROUS });
  await settledVerdicts(user);

  await t.step(
    "C 18 a file is served by its verdict, and named without what is above",
    async () => {
      assert.equal((await follow(await linkTo(user, "secret/d/ok.pkl"))).status, 200);
      const bad = await linkTo(user, "secret/bad.pkl");
      for (const init of [{}, { headers: { Range: "bytes=0-0" } }]) {
        const msg = refused(await follow(bad, init), 403, "ErrResourcesQuarantined");
        assert.match(msg, /"bad\.pkl" \(dangerous, S\d+/);
        assert.doesNotMatch(msg, /secret/);
      }
      assert.equal((await follow(bad, { method: "HEAD" })).status, 403);
    },
  );
  await t.step(
    "C 18 attack: content that comes into a directory later is judged, too",
    async () => {
      const link = await linkTo(user, "secret/d");
      assert.equal((await follow(link)).status, 200);
      await user.copy({ source: "secret/bad.pkl", destination: "secret/d/new.pkl" });
      await settledVerdicts(user);
      const msg = refused(await follow(link), 403, "ErrResourcesQuarantined");
      assert.match(msg, /"d\/new\.pkl"/);
      assert.doesNotMatch(msg, /secret/);
    },
  );
  await t.step("C 18 attack: replaced content is judged anew", async () => {
    const put = (body: Uint8Array<ArrayBuffer>) =>
      user.send("PUT", "/files/secret/one.pkl", { body });
    await put(CLEAN);
    await settledVerdicts(user);
    const link = await linkTo(user, "secret/one.pkl");
    assert.equal((await follow(link)).status, 200);
    assert.equal((await put(DANGEROUS)).status, 200);
    refused(await follow(link), 403, "ErrResourcesQuarantined");
    await settledVerdicts(user);
    assert.match(refused(await follow(link), 403, "ErrResourcesQuarantined"), /"one.pkl" \(dang/);
    await put(CLEAN);
    assert.equal((await follow(link)).status, 200);
    await user.remove({ path: "secret/one.pkl" });
  });
  await t.step("C 18 a refusal leaves the only download", async () => {
    const link = await linkTo(user, "secret/d", { once: true });
    refused(await follow(link), 403, "ErrResourcesQuarantined");
    await user.remove({ path: "secret/d/new.pkl" });
    assert.equal((await follow(link)).status, 200);
  });
  await t.step("C 22 refusals are in the audit log", async () => {
    const text = await Deno.readTextFile(`${server.dataDir}/audit.log`);
    const lines = text.trim().split("\n").map((line) => JSON.parse(line));
    const last = lines.findLast(({ outcome }) => outcome === "ErrResourcesQuarantined");
    assert.deepEqual(
      [last.user, last.tree, last.address, last.action, last.paths],
      [undefined, 7, "127.0.0.1", "links.download", ["secret/d"]],
    );
  });
});

Deno.test("C 19 links are listed and revoked by their makers, owners and administrators", async () => {
  await using server = await TestServer.start();
  const owner = await server.as(7);
  await owner.upload("", { "a.txt": "a", "b.txt": "b" });
  const memberOf = async (userId: number) =>
    new Client(
      server.url,
      await mintToken({
        userId,
        privileges: USER_PRIVILEGES,
        trees: { "7": ["resources.download"] },
      }),
    ).inTree(7);
  const [three, four, other] = [await memberOf(3), await memberOf(4), await server.as(8)];
  const admin = await server.admin(9);
  const links = [
    await linkTo(owner, "a.txt"),
    await linkTo(three, "b.txt"),
    await linkTo(four, "a.txt"),
  ];
  const ids = links.map(({ id }) => id);
  const seen = async (client: Client) => (await linksOf(client)).map(({ id }) => id).reverse();
  assert.deepEqual(await seen(owner), ids);
  assert.deepEqual(await seen(admin), ids);
  assert.deepEqual(await seen(admin.inTree(7)), ids);
  assert.deepEqual(await seen(admin.inTree(8)), []);
  assert.deepEqual([await seen(three), await seen(four)], [ids.slice(1, 2), ids.slice(2)]);
  assert.deepEqual(await seen(other), []);
  assert.ok(!(await owner.send("GET", "/links")).text.includes(tokenOf(links[0] ?? { url: "/?" })));
  const page = await owner.send("GET", "/links/", {
    query: { limit: "1", before: String(ids[2]) },
  });
  assert.deepEqual(v.parse(LinkList, dataOf(page)).items.map(({ id }) => id), [ids[1]]);
  for (const client of [four, other, new Client(server.url, three.token), admin.inTree(8)]) {
    refused(await client.send("DELETE", `/links/${ids[1]}`), 404, "ErrLinksNotFound");
  }
  await owner.move({ source: "b.txt", destination: "c.txt" });
  assert.deepEqual(
    (await linksOf(owner)).map(({ path, status }) => [path, status]),
    [["a.txt", "active"], ["b.txt", "gone"], ["a.txt", "active"]],
  );
  assert.equal((await three.send("DELETE", `/links/${ids[1]}`)).status, 200);
  assert.equal((await owner.send("DELETE", `/links/${ids[2]}`)).status, 200);
  assert.equal((await admin.send("DELETE", `/links/${ids[0]}`)).status, 200);
  for (const link of links) isOver(await follow(link));
});

Deno.test("C 19 and C 22 clients without a credential have limits of their own", async (t) => {
  // Requests come back with time, while the test runs as well.
  let now = 0;
  await using server = await TestServer.start({
    app: {
      trustedProxies: new TrustedProxies(["127.0.0.1"]),
      linkLimits: new LinkLimits(() => now),
    },
  });
  const user = await server.as(7);
  await user.upload("", { "a.txt": "a", "large.bin": new Uint8Array(64 * 2 ** 20) });
  const from = (address: string) => ({ headers: { "X-Forwarded-For": address } });

  await t.step("C 22 an address may make so many requests in a minute", async () => {
    const guess = `${server.origin}/l/${"x".repeat(22)}`;
    const statuses = [];
    for (let count = 0; count < 125; count++) {
      // The lower half of an IPv6 address is for its owner to choose.
      statuses.push((await follow(guess, from(`2001:db8:1:2::${count}`))).status);
    }
    assert.deepEqual([statuses.slice(0, 120), statuses.at(-1)], [Array(120).fill(404), 429]);
    const refusal = await follow(guess, from("2001:db8:1:2::ffff"));
    refused(refusal, 429, "ErrTooManyRequests");
    assert.ok(Number(refusal.headers.get("Retry-After")) >= 1);
    const link = await linkTo(user, "a.txt");
    assert.equal((await follow(link, from("2001:db8:1:3::1"))).status, 200);
    assert.equal((await follow(link, from("192.0.2.1"))).status, 200);
    assert.equal((await user.list()).status, 200);
  });
  await t.step("C 22 an address and a link are served so often at once", async () => {
    const link = await linkTo(user, "large.bin");
    const held: Response[] = [];
    const take = async (address: string) => {
      const response = await fetch(link.url, from(address));
      if (response.status === 200) held.push(response);
      else await response.body?.cancel();
      return response.status;
    };
    for (let count = 0; count < 8; count++) assert.equal(await take("192.0.2.2"), 200);
    assert.equal(await take("192.0.2.2"), 429);
    for (let count = 0; count < 8; count++) assert.equal(await take("192.0.2.3"), 200);
    assert.equal(await take("192.0.2.4"), 429);
    const other = await linkTo(user, "large.bin");
    const response = await fetch(other.url, from("192.0.2.4"));
    assert.equal(response.status, 200);
    await response.body?.cancel();
    // Users are not among them.
    assert.equal((await user.bytes({ path: "a.txt" })).length, 1);
    for (const response of held) await response.body?.cancel();
    await until(async () => {
      now += 1000;
      return await take("192.0.2.5") === 200;
    });
    await held.at(-1)?.body?.cancel();
  });
});

Deno.test("C 19 the URL of a link has the origin that clients use", async (t) => {
  const urlFor = async (server: TestServer, headers: Record<string, string>) => {
    const user = await server.as(7);
    const body = JSON.stringify({ path: "d", expires_in: 60 });
    const { text } = await user.send("POST", "/links", {
      body,
      headers: { "Content-Type": "application/json", ...headers },
    });
    return JSON.parse(text).data.url.replace(/\/l\/.*/, "");
  };
  const forwarded = {
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "files.example:8443",
    "X-Forwarded-For": "192.0.2.1",
  };

  await t.step("C 19 the origin of the request, whatever it says of proxies", async () => {
    await using server = await TestServer.start();
    await (await server.as(7)).mkdir("d");
    assert.equal(await urlFor(server, forwarded), server.origin);
  });
  await t.step("C 22 what a trusted proxy says", async () => {
    const proxies = new TrustedProxies(["127.0.0.1"]);
    await using server = await TestServer.start({ app: { trustedProxies: proxies } });
    await (await server.as(7)).mkdir("d");
    assert.equal(await urlFor(server, {}), server.origin);
    assert.equal(await urlFor(server, forwarded), "https://files.example:8443");
    const Forwarded =
      'for=192.0.2.9;proto=http;host=evil.example, for=192.0.2.1;Proto=HTTPS;host="f.example"';
    assert.equal(await urlFor(server, { Forwarded }), "https://f.example");
    const invalid = { "X-Forwarded-Proto": "javascript", "X-Forwarded-Host": "a/b@c" };
    assert.equal(await urlFor(server, invalid), server.origin);
  });
  await t.step("C 13 the setting", async () => {
    await using server = await TestServer.start({ settings: { origin: "https://s.example" } });
    await (await server.as(7)).mkdir("d");
    assert.equal(await urlFor(server, forwarded), "https://s.example");
  });
});

Deno.test("C 22 links that are made, followed and revoked are in the audit log", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  await user.upload("", { "a.txt": "a" });
  const link = await linkTo(user, "a.txt", { once: true });
  await follow(link);
  await follow(link);
  await follow(`${server.origin}/l/${"x".repeat(22)}`);
  await user.send("DELETE", `/links/${link.id}`);
  await user.send("DELETE", "/links/99");
  const text = await Deno.readTextFile(`${server.dataDir}/audit.log`);
  const lines = text.trim().split("\n").map((line) => JSON.parse(line)).slice(1);
  assert.deepEqual(
    lines.map((
      { user, tree, action, paths, link, once, outcome },
    ) => [user, tree, action, paths, link, once, outcome]),
    [
      [7, 7, "links.add", ["a.txt"], link.id, "yes", "ok"],
      [undefined, 7, "links.download", ["a.txt"], link.id, "yes", "ok"],
      [7, 7, "links.delete", ["a.txt"], link.id, "yes", "ok"],
      [7, 7, "links.delete", [], 99, undefined, "ErrLinksNotFound"],
    ],
  );
  assert.equal(items(await user.list()).length, 1);
});
