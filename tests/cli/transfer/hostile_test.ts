import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { BASE_PATH } from "../../../schemas/base_path.ts";
import { readFolder, writeFolder } from "../../support/folders.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { mintToken, TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

const TIME = "2026-11-22T09:00:00.000Z";

/** A server that lists files at any paths, and serves the same content at each. */
function hostileServer(paths: readonly string[], content = "hostile") {
  const sha256 = createHash("sha256").update("hostile").digest("hex");
  const entry = (path: string, isDirectory = false) => ({
    id: 1,
    user_id: 1,
    name: "x",
    path,
    size: isDirectory ? 0 : 7,
    is_dir: isDirectory,
    created_at: TIME,
    updated_at: TIME,
  });
  const reply = (data: unknown) => Response.json({ status: "success", data });
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const route = new URL(request.url).pathname.slice(BASE_PATH.length);
    if (route === "/resources/stat") {
      return reply({ ...entry("m", true), sha256: null, etag: null });
    }
    if (route === "/resources/") {
      return reply({ items: paths.map((it) => entry(`m/${it}`)), total: paths.length });
    }
    if (route === "/resources/checksums") {
      return new Response(paths.map((it) => `${sha256}  ${it}\n`).join(""));
    }
    return new Response(content);
  });
}

async function clientOf(port: number, home: string): Promise<RemoteClient> {
  return await RemoteClient.of({ origin: `http://127.0.0.1:${port}` }, home);
}

Deno.test("C 25 what a server sends stays in the directory that it is for", async (t) => {
  await using directory = await TempDir.make();
  const outside = `${directory.path}/outside`;
  await writeFolder(outside, { "a": "mine" });

  await t.step("C 25 paths that lead out of it are refused, and the others received", async () => {
    const paths = [
      "../outside/a",
      "/etc/x",
      "a/../../outside/a",
      "a//b",
      "./a",
      "a\u0000b",
      "",
      "..",
    ];
    await using server = hostileServer([...paths, "fine"]);
    const client = await clientOf(server.addr.port, directory.path);
    const target = `${directory.path}/target`;
    const { code, stderr } = await client.run(["get", "m", target]);
    assert.equal(code, 1);
    assert.match(stderr, /The server sent a path that is not valid/);
    assert.deepEqual(await readFolder(target), { "m/fine": "hostile" });
    assert.deepEqual(await readFolder(outside), { "a": "mine" });
  });
  await t.step("C 25 links in the directory are not followed", async () => {
    await using server = hostileServer(["link/a", "file"]);
    const client = await clientOf(server.addr.port, directory.path);
    const target = `${directory.path}/linked`;
    await Deno.mkdir(`${target}/m`, { recursive: true });
    await Deno.symlink(outside, `${target}/m/link`);
    await Deno.symlink(`${outside}/a`, `${target}/m/file`);
    const { code, stderr } = await client.run(["get", "--on-conflict", "replace", "m", target]);
    assert.equal(code, 1);
    assert.match(stderr, /is a link, and nothing is stored by links/);
    assert.deepEqual(await readFolder(outside), { "a": "mine" });
    assert.equal(await Deno.readTextFile(`${target}/m/file`), "hostile");
  });
  await t.step("C 25 content without its SHA-256 gets no name", async () => {
    await using server = hostileServer(["a"], "altered");
    const client = await clientOf(server.addr.port, directory.path);
    const target = `${directory.path}/altered`;
    const { code, stderr } = await client.run(["get", "m", target]);
    assert.equal(code, 1);
    assert.match(stderr, /"m\/a": It arrived with other content than the server listed/);
    assert.deepEqual(await readFolder(target), { "m/": "" });
  });
  await t.step("C 25 a name that the file system cannot hold holds up no other file", async () => {
    await using server = hostileServer(["fine", "é".repeat(130)]);
    const client = await clientOf(server.addr.port, directory.path);
    const { code, stderr } = await client.run(["get", "m", `${directory.path}/long`]);
    assert.equal(code, 1);
    assert.match(stderr, /not valid|name too long/i);
    assert.equal(await Deno.readTextFile(`${directory.path}/long/m/fine`), "hostile");
  });
  await t.step(
    "C 25 a server that is no strongroom is said to send what is not understood",
    async () => {
      await using server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen() {} },
        () => new Response("<html>"),
      );
      const client = await clientOf(server.addr.port, directory.path);
      const { code, stderr } = await client.run(["get", "m", `${directory.path}/none`]);
      assert.equal(code, 1);
      assert.match(stderr, /^strongroom: The server at .* sent a reply that is not understood\n$/);
    },
  );
});

Deno.test("C 25 a refused credential ends a transfer, and says what to do", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const token = await mintToken({ userId: 1, privileges: [], ttlSeconds: -100 });
  const env = { HOME: directory.path, STRONGROOM_URL: server.origin };
  const expired = new RemoteClient({ ...env, STRONGROOM_TOKEN: token });
  const { code, stderr } = await expired.run(["put", "deno.json", ":"]);
  assert.equal(code, 1);
  assert.match(stderr, /^strongroom: .*; run strongroom login, or set STRONGROOM_TOKEN .*\n$/);
  assert.ok(!stderr.includes(token));
  const none = await new RemoteClient(env).run(["put", "deno.json", ":"]);
  assert.deepEqual([none.code, /^strongroom: No credential for the server/.test(none.stderr)], [
    2,
    true,
  ]);
});
