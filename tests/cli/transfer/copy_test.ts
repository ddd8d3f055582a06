import * as assert from "node:assert/strict";
import { readFolder, writeFolder } from "../../support/folders.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

const FOLDER = {
  "config.json": "{}",
  "empty/": "",
  "ünï code/a+b%20#c.txt": "plus",
  "weights/big.bin": "0123456789".repeat(200_000),
  "weights/none.bin": "",
  "weights-2/x/y/z.txt": "deep",
};

/** The requests that a server has logged since the last call. */
function requestsOf(server: TestServer): () => string[] {
  let seen = 0;
  return () => {
    const lines = server.log.slice(seen);
    seen = server.log.length;
    return lines.map((line) => JSON.parse(line)).filter(({ method }) => method !== undefined)
      .map(({ method, path }) => `${method} ${String(path).split("?")[0]}`);
  };
}

Deno.test("C 25 put and get copy folders there and back, byte for byte", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const client = await RemoteClient.of(server, directory.path);
  const local = `${directory.path}/model`;
  await writeFolder(local, FOLDER);
  const requests = requestsOf(server);

  await t.step("C 25 each source gets its name in the directory", async () => {
    const put = await client.run(["put", `${local}/`, `${local}/config.json`, "archive"]);
    assert.deepEqual([put.code, put.stderr], [0, ""]);
    assert.match(put.stdout, /^Sent 6 files, 1\.9 MiB\n$/);
    const get = await client.run(["get", "archive/model", ":archive/config.json", "back"], {
      cwd: directory.path,
    });
    assert.deepEqual([get.code, get.stderr], [0, ""]);
    assert.match(get.stdout, /^Received 6 files, 1\.9 MiB\n$/);
    assert.deepEqual(await readFolder(`${directory.path}/back/model`), FOLDER);
    assert.equal(await Deno.readTextFile(`${directory.path}/back/config.json`), "{}");
  });
  await t.step("C 25 content that is there is not sent again", async () => {
    requests();
    const put = await client.run(["put", local, "archive", "--json"]);
    assert.deepEqual(JSON.parse(put.stdout), {
      dry_run: false,
      transferred: { files: 0, bytes: 0 },
      equal: { files: 5, bytes: 2_000_010 },
      kept: { files: 0, bytes: 0 },
      deleted: 0,
      failed: 0,
    });
    const get = await client.run(["get", "archive/model", "back"], { cwd: directory.path });
    assert.match(get.stdout, /^Received 0 files, 0 bytes; 5 files, .* were there already\n$/);
    assert.deepEqual(requests().filter((it) => /^(PUT|POST)|\/files\/|download/.test(it)), []);
  });
  await t.step(
    "C 25 other content stops a copy before it begins, or is kept or replaced",
    async () => {
      await Deno.writeTextFile(`${local}/config.json`, "{ }");
      await Deno.writeTextFile(`${local}/new.txt`, "new");
      requests();
      const refused = await client.run(["put", local, "archive"]);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /"model\/config.json": It is there with other content\n/);
      assert.deepEqual(requests().filter((it) => /^(PUT|POST)/.test(it)), []);
      const kept = await client.run(["put", "--on-conflict", "skip", local, "archive"]);
      assert.deepEqual([kept.code, kept.stderr], [0, ""]);
      assert.match(
        kept.stdout,
        /^Sent 1 file, 3 bytes;.*1 file, 3 bytes kept with other content\n/,
      );
      const replaced = await client.run(["put", "--on-conflict", "replace", local, "archive"]);
      assert.match(replaced.stdout, /^Sent 1 file, 3 bytes;/);
      const get = await client.run(["get", "--on-conflict=replace", "archive/model", "back"], {
        cwd: directory.path,
      });
      assert.equal(get.code, 0, get.stderr);
      assert.deepEqual(
        await readFolder(`${directory.path}/back/model`),
        await readFolder(local),
      );
    },
  );
  await t.step("C 25 stdin and stdout", async () => {
    const bytes = new Uint8Array(3_000_000).map((_, index) => index * 31);
    const put = await client.run(["put", "--name", "piped", "-", "in"], { stdin: bytes });
    assert.deepEqual([put.code, put.stdout, put.stderr], [0, "Sent in/piped\n", ""]);
    const child = client.spawn(["get", "in/piped", "-"]);
    await child.stdin.close();
    const { code, stdout } = await child.output();
    assert.equal(code, 0);
    assert.deepEqual(stdout, bytes);
    const again = await client.run(["put", "--name", "piped", "-", "in"], { stdin: "x" });
    assert.deepEqual([again.code, /ErrPreconditionFailed/.test(again.stderr)], [1, true]);
  });
  await t.step("C 25 links to files are followed, and those to directories left out", async () => {
    const hub = `${directory.path}/hub`;
    await writeFolder(hub, { "blobs/abc": "content", "snapshots/main/x.txt": "x" });
    await Deno.symlink("../../blobs/abc", `${hub}/snapshots/main/model.bin`);
    await Deno.symlink("../../blobs", `${hub}/snapshots/main/more`);
    const put = await client.run(["put", `${hub}/snapshots/main`, "hub"]);
    assert.equal(put.code, 1);
    assert.match(put.stderr, /main\/more": Link to a directory, which is not followed\n$/);
    const get = await client.run(["get", "hub", directory.path + "/out"]);
    assert.equal(get.code, 0, get.stderr);
    assert.deepEqual(await readFolder(`${directory.path}/out/hub`), {
      "main/model.bin": "content",
      "main/x.txt": "x",
    });
  });
  await t.step("C 25 a name that the server cannot hold holds up no other file", async () => {
    await writeFolder(`${directory.path}/odd`, { "a:b": "1", "a\\b": "2", " c": "3", "d": "4" });
    const put = await client.run(["put", `${directory.path}/odd`, ":"]);
    assert.equal(put.code, 1);
    assert.equal(put.stderr.trim().split("\n").length, 2, put.stderr);
    assert.match(put.stdout, /^Sent 2 files, 2 bytes; 2 failed\n$/);
    const get = await client.run(["get", "odd", "back"], { cwd: directory.path });
    assert.equal(get.code, 0, get.stderr);
    assert.deepEqual(await readFolder(`${directory.path}/back/odd`), { " c": "3", "d": "4" });
  });
  await t.step("C 25 what is missing on either side is named", async () => {
    const put = await client.run(["put", `${directory.path}/missing`, ":"]);
    assert.deepEqual([put.code, /missing": No such file\n$/.test(put.stderr)], [1, true]);
    const get = await client.run(["get", "missing", directory.path]);
    assert.deepEqual([get.code, /"missing": The server has no such file/.test(get.stderr)], [
      1,
      true,
    ]);
  });
});

Deno.test("C 25, C 19 copies act in one tree, that of the caller or the one that is named", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const other = await server.as(7);
  await other.upload("models", { secret: "of user 7" });
  const admin = await RemoteClient.of(server, directory.path, { privileges: ["resources.admin"] });
  assert.equal((await admin.run(["get", "models", "a"], { cwd: directory.path })).code, 1);
  const trees = { "7": ["resources.view", "resources.download"] };
  const reader = await RemoteClient.of(server, directory.path, { userId: 3, trees });
  const get = await reader.run(["get", "--tree", "7", "models", "b"], { cwd: directory.path });
  assert.equal(get.code, 0, get.stderr);
  assert.deepEqual(await readFolder(`${directory.path}/b`), { "models/secret": "of user 7" });
  await Deno.writeTextFile(`${directory.path}/b/models/more`, "more");
  const put = await reader.run(["put", "--tree", "7", "b/models", ":"], { cwd: directory.path });
  assert.equal(put.code, 1);
  assert.match(
    put.stderr,
    /resources.upload required in the tree of user 7 \(ErrNotPermitted\)\n$/,
  );
});
