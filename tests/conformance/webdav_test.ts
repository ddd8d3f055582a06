import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { auditOf } from "../support/audit.ts";
import { Client, refused } from "../support/client.ts";
import { DavClient, multistatusOf } from "../support/dav.ts";
import { modelFile } from "../support/models.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { settledVerdicts } from "../support/verdicts.ts";

/** A server, a client of its API, and one of WebDAV. */
async function started(options: Parameters<typeof TestServer.start>[0] = {}) {
  const server = await TestServer.start(options);
  const api = await server.as(7);
  return { server, api, dav: new DavClient(server, api) };
}

const PROP = (...names: string[]) =>
  `<propfind xmlns="DAV:"><prop>${names.map((name) => `<${name}/>`).join("")}</prop></propfind>`;

Deno.test("C 30 OPTIONS says what WebDAV has, to those without a credential as well", async () => {
  const { server, dav } = await started();
  await using _server = server;
  for (const path of ["", "any/path"]) {
    const reply = await dav.send("OPTIONS", path, { headers: { Authorization: "" } });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get("DAV"), "1, 2, 3");
    assert.match(reply.headers.get("Allow") ?? "", /\bLOCK\b.*\bPROPFIND\b/);
  }
});

Deno.test("C 30 the password of WebDAV is a credential, whatever the user is called", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  const as = (Authorization: string) => dav.send("PROPFIND", "", { headers: { Authorization } });
  assert.equal((await as(`Basic ${btoa(`somebody:${api.token}`)}`)).status, 207);
  assert.equal((await as(`Bearer ${api.token}`)).status, 207);
  for (const wrong of ["", `Basic ${btoa("somebody:wrong")}`, "Digest x"]) {
    const reply = await as(wrong);
    refused(reply, 401, "ErrAuthRequired");
    assert.match(reply.headers.get("WWW-Authenticate") ?? "", /^Basic realm="strongroom"/);
  }
});

Deno.test("C 30 a password comes by TLS, or from the host itself", async () => {
  const { server, api } = await started({ settings: { trustedProxies: ["10.0.0.1"] } });
  await using _server = server;
  const status = async (
    hostname: string,
    headers: Readonly<Record<string, string>> = {},
    protocol = "http",
  ) => {
    const Authorization = `Basic ${btoa(`x:${api.token}`)}`;
    const request = new Request(`${protocol}://files.example/dav/none`, {
      headers: { Host: "files.example", Authorization, ...headers },
    });
    const remoteAddr = { transport: "tcp", hostname, port: 1 } as const;
    return (await server.app.fetch(request, { remoteAddr })).status;
  };
  assert.equal(await status("127.0.0.1"), 404);
  assert.equal(await status("::1"), 404);
  assert.equal(await status("192.0.2.7"), 403);
  assert.equal(await status("192.0.2.7", {}, "https"), 404);
  assert.equal(await status("192.0.2.7", { "X-Forwarded-Proto": "https" }), 403);
  const forwarded = { "X-Forwarded-For": "192.0.2.7" };
  assert.equal(await status("10.0.0.1", { ...forwarded, "X-Forwarded-Proto": "https" }), 404);
  assert.equal(await status("10.0.0.1", { ...forwarded, "X-Forwarded-Proto": "http" }), 403);
  assert.equal(await status("10.0.0.1", forwarded), 403);
  assert.equal(await status("10.0.0.1", { "X-Forwarded-For": "127.0.0.1" }), 404);
  // A credential that others do not read as one is as safe as with the API.
  assert.equal(await status("192.0.2.7", { Authorization: `Bearer ${api.token}` }), 404);
});

Deno.test("C 30 PROPFIND shows a file, a directory, or all that is below", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  await api.upload("models/a b", { "ü.bin": "content" });
  await api.upload("", { "top.txt": "top" });
  const found = async (path: string, depth: string) =>
    [...(await dav.find(path, depth)).keys()].sort();
  assert.deepEqual(await found("", "0"), ["/dav/"]);
  assert.deepEqual(await found("", "1"), ["/dav/", "/dav/models/", "/dav/top.txt"]);
  assert.deepEqual(await found("models", "1"), ["/dav/models/", "/dav/models/a%20b/"]);
  const below = ["/dav/models/", "/dav/models/a%20b/", "/dav/models/a%20b/%C3%BC.bin"];
  assert.deepEqual(await found("models/", "infinity"), below);
  assert.deepEqual(await found("", "infinity"), ["/dav/", ...below, "/dav/top.txt"]);
  assert.deepEqual(await found("top.txt", "1"), ["/dav/top.txt"]);
  assert.equal((await dav.send("PROPFIND", "none")).status, 404);
  assert.equal((await dav.send("PROPFIND", "", { headers: { Depth: "2" } })).status, 400);
});

Deno.test("C 30 properties are those of RFC 4918, the quota, the SHA-256 and the verdict", async () => {
  const { server, api, dav } = await started({ limits: { userQuota: 1000 } });
  await using _server = server;
  await api.put("a.txt", "content");
  const all = (await dav.find("a.txt", "0")).get("/dav/a.txt");
  const { creationdate, getlastmodified, getetag, supportedlock, ...rest } = all ?? {};
  assert.match(creationdate ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.match(getlastmodified ?? "", / GMT$/);
  assert.equal(getetag, `"${createHash("md5").update("content").digest("hex")}"`);
  assert.equal(supportedlock, "<lockentry><lockentry>");
  assert.deepEqual(rest, {
    resourcetype: "",
    displayname: "a.txt",
    getcontentlength: "7",
    getcontenttype: "application/octet-stream",
    lockdiscovery: "",
  });
  const quota = PROP("quota-used-bytes", "quota-available-bytes", "resourcetype", "none");
  assert.deepEqual((await dav.find("", "0", quota)).get("/dav/"), {
    "quota-used-bytes": "7",
    "quota-available-bytes": "993",
    resourcetype: "<collection>",
    none: "404",
  });
  const own = `<propfind xmlns="DAV:"><allprop/><include>
    <sha256 xmlns="urn:strongroom"/><verdict xmlns="urn:strongroom"/></include></propfind>`;
  const { sha256, verdict } = (await dav.find("", "1", own)).get("/dav/a.txt") ?? {};
  assert.equal(sha256, createHash("sha256").update("content").digest("hex"));
  assert.match(verdict ?? "", /^\w+$/);
  const many = PROP(...Array.from({ length: 101 }, (_, index) => `p${index}`));
  assert.equal((await dav.send("PROPFIND", "", { body: many })).status, 400);
  const names = await dav.find("a.txt", "0", `<propfind xmlns="DAV:"><propname/></propfind>`);
  assert.equal(names.get("/dav/a.txt")?.["getetag"], "");
});

Deno.test("C 30 files and directories are stored, read and deleted", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  const status = async (method: string, path: string, init: RequestInit = {}) =>
    (await dav.send(method, path, init)).status;
  assert.equal(await status("PUT", "none/a.txt", { body: "a" }), 409);
  assert.equal(await status("MKCOL", "none/dir"), 409);
  assert.equal(await status("MKCOL", "dir", { body: "a" }), 415);
  assert.equal(await status("MKCOL", "dir/"), 201);
  assert.equal(await status("MKCOL", "dir"), 405);
  assert.equal(await status("PUT", "dir", { body: "a" }), 405);
  assert.equal(await status("PUT", "dir/a.txt", { body: "first" }), 201);
  const replaced = await dav.send("PUT", "dir/a.txt", { body: "second" });
  assert.equal(replaced.status, 204);
  assert.equal(await status("MKCOL", "dir/a.txt/x"), 409);
  const read = await dav.send("GET", "dir/a.txt", { headers: { Range: "bytes=0-2" } });
  assert.deepEqual([read.status, read.text], [206, "sec"]);
  assert.equal(read.headers.get("ETag"), replaced.headers.get("ETag"));
  assert.equal(await status("HEAD", "dir/a.txt"), 200);
  assert.equal(await status("GET", "dir"), 404);
  assert.equal(await status("DELETE", ""), 403);
  assert.equal(await status("DELETE", "dir"), 204);
  assert.equal(await status("DELETE", "dir"), 404);
  assert.deepEqual(await api.tree(), []);
});

Deno.test("C 30 COPY and MOVE take the very place of their destination, or leave it", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  await api.upload("from", { "a.txt": "new" });
  await api.upload("to", { "a.txt": "old", "b.txt": "old" });
  const status = async (...request: Parameters<DavClient["transfer"]>) =>
    (await dav.transfer(...request)).status;
  assert.equal(await status("COPY", "from", "to", { Overwrite: "F" }), 412);
  assert.equal(await status("COPY", "from", "none/to"), 409);
  assert.equal(await status("COPY", "from", "from"), 403);
  assert.equal(await status("COPY", "from", "from/below"), 403);
  assert.equal(await status("MOVE", "from/a.txt", "from"), 403);
  assert.equal(await status("MOVE", "from", "to", { Depth: "0" }), 400);
  assert.equal(await status("MOVE", "none", "elsewhere"), 404);
  assert.equal(
    await status("MOVE", "from", "to", { Destination: "http://other.example/dav/x" }),
    502,
  );
  assert.equal(await status("MOVE", "from", "to", { Destination: `${dav.url}/t/8/x` }), 502);
  assert.equal(await status("COPY", "from", "alone", { Depth: "0" }), 201);
  assert.deepEqual(await api.tree(), ["alone", "from", "from/a.txt", "to", "to/a.txt", "to/b.txt"]);
  // What was in the directory is gone (RFC 4918, 9.8.4): the API would have merged both.
  assert.equal(await status("COPY", "from", "to"), 204);
  assert.deepEqual(await api.tree(), ["alone", "from", "from/a.txt", "to", "to/a.txt"]);
  // A directory does not take the file, as it would in the API.
  assert.equal(await status("MOVE", "from/a.txt", "alone", { Destination: "/dav/t/7/alone" }), 204);
  assert.deepEqual(await api.tree(), ["alone", "from", "to", "to/a.txt"]);
  assert.equal(await status("MOVE", "to", "moved"), 201);
  assert.deepEqual(await api.tree(), ["alone", "from", "moved", "moved/a.txt"]);
});

Deno.test("C 30 clients keep properties of their own, which follow moves and copies", async () => {
  const { server, api, dav } = await started();
  await using _server = server;
  await api.upload("dir", { "a.txt": "a" });
  const patch = async (path: string, changes: string) => {
    const body = `<propertyupdate xmlns="DAV:" xmlns:x="urn:x">${changes}</propertyupdate>`;
    const reply = await dav.send("PROPPATCH", path, { body });
    assert.equal(reply.status, 207, reply.text);
    return [...(await multistatusOf(reply)).values()][0];
  };
  const color = async (path: string) =>
    [...(await dav.find(path, "0", PROP(`color xmlns="urn:x"`))).values()][0]?.["color"];
  const set = "<set><prop><x:color><x:deep>red</x:deep></x:color></prop></set>";
  assert.deepEqual(await patch("dir/a.txt", set), { color: "" });
  assert.equal(await color("dir/a.txt"), "<deep>");
  await dav.send("PUT", "dir/a.txt", { body: "other" });
  await dav.transfer("MOVE", "dir", "moved");
  assert.equal(await color("moved/a.txt"), "<deep>");
  await dav.transfer("COPY", "moved", "copied");
  assert.equal(await color("copied/a.txt"), "<deep>");
  // The copy has its own.
  await patch("copied/a.txt", "<remove><prop><x:color/><x:none/></prop></remove>");
  assert.equal(await color("copied/a.txt"), "404");
  await api.copy({ source: "moved/a.txt", destination: "copied/", force: true });
  assert.equal(await color("copied/a.txt"), "<deep>");
  // A new file at the path is another one.
  await dav.send("DELETE", "copied/a.txt");
  await dav.send("PUT", "copied/a.txt", { body: "a" });
  assert.equal(await color("copied/a.txt"), "404");
  // All or nothing.
  const both = set.replace("<x:color>", "<getetag>x</getetag><x:color>");
  assert.deepEqual(await patch("copied/a.txt", both), { getetag: "403", color: "424" });
  assert.equal(await color("copied/a.txt"), "404");
  assert.deepEqual(await patch("", set), { color: "403" });
  const long = set.replace("red", "r".repeat(70_000));
  const body = `<propertyupdate xmlns="DAV:" xmlns:x="urn:x">${long}</propertyupdate>`;
  assert.equal((await dav.send("PROPPATCH", "copied/a.txt", { body })).status, 507);
  assert.equal(await color("copied/a.txt"), "404");
});

Deno.test("C 30 the trees of others are below /dav/t, with the privileges for them", async () => {
  const { server, api } = await started();
  await using _server = server;
  await api.put("a.txt", "a");
  const token = await mintToken({
    userId: 8,
    privileges: USER_PRIVILEGES,
    trees: { 7: ["resources.view"] },
  });
  const other = new DavClient(server, new Client(server.url, token), 7);
  assert.deepEqual([...(await other.find("", "1")).keys()], ["/dav/t/7/", "/dav/t/7/a.txt"]);
  assert.equal((await other.send("PUT", "a.txt", { body: "b" })).status, 403);
  assert.equal((await other.send("GET", "a.txt")).status, 403);
  const [line] = await auditOf(server);
  assert.equal(line?.action, "resources.upload");
  const stranger = new DavClient(server, await server.as(9), 7);
  assert.equal((await stranger.send("PROPFIND")).status, 403);
});

Deno.test("C 30 the gate holds in WebDAV, with its reason", async () => {
  const { server, api, dav } = await started({ settings: { gate: "block" } });
  await using _server = server;
  await api.upload("", { "bad.pkl": await modelFile("pickle/hostile/eval.pkl") });
  await settledVerdicts(api, "");
  const reply = await dav.send("GET", "bad.pkl");
  assert.equal(reply.status, 403);
  assert.match(reply.text, /<S:message>Cannot download: in quarantine: .*bad.pkl.*dangerous/);
  assert.equal((await dav.send("HEAD", "bad.pkl")).status, 403);
});

Deno.test("C 30 what an address cannot name is refused", async () => {
  const { server, dav } = await started();
  await using _server = server;
  const status = async (address: string) => (await dav.send("MKCOL", address)).status;
  for (const name of ["a:b", "a\u0001", "x".repeat(256)]) {
    assert.equal(await status(name), 400, name);
  }
  // macOS and Windows leave these.
  for (const name of ["._a", ".DS_Store", "desktop.ini"]) assert.equal(await status(name), 201);
});
