import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { items, refused } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { checkInvariants } from "../support/invariants.ts";
import { MD5_COLLISION } from "../support/md5_collision.ts";
import { TestServer } from "../support/server.ts";
import { IN_FILES, IS_SHARED } from "../support/engines.ts";
import {
  blobFile,
  isInDatabase,
  moveToFile,
  quarantinedContent,
} from "../support/stored_content.ts";
import { openDatabase } from "../support/test_database.ts";
import { TempDir } from "../support/temp_dir.ts";

const md5 = (content: string | Uint8Array) => createHash("md5").update(content).digest("hex");
const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

Deno.test("C 12 content of up to 64 KiB is in the database, and larger content in files", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  for (const size of [0, 1, 65_536, 65_537, 200_000]) {
    const content = noise(size, size + 1);
    const hash = md5(content);
    assert.equal((await one.upload("d", { [String(size)]: content })).status, 200);
    assert.equal(await isInDatabase(server.dataDir, hash), size <= 65_536, String(size));
    const isFile = await exists(blobFile(server.dataDir, hash));
    assert.equal(isFile, IN_FILES && size > 65_536, String(size));
    assert.deepEqual(await one.bytes({ path: `d/${size}` }), content);
  }
  await checkInvariants(server);
});

Deno.test("C 12 a form with more small content than memory holds stores all of it", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const names = Array.from({ length: 400 }, (_, index) => String(index));
  const content = (name: string) => noise(64_000, Number(name) + 1);
  const files = Object.fromEntries(names.map((name) => [name, content(name)]));
  assert.equal((await one.upload("d", files)).status, 200);
  for (const name of names) assert.ok(await isInDatabase(server.dataDir, md5(content(name))));
  assert.deepEqual(await one.bytes({ path: "d/399" }), content("399"));
  await checkInvariants(server);
});

Deno.test(
  "C 12 small content in files from before keeps working",
  // An object store has never had small content.
  { ignore: !IN_FILES },
  async (t) => {
    // Content goes with its last record, not when history gives it up.
    await using server = await TestServer.start({ settings: { history: 0 } });
    const one = await server.as(1);
    const [genuine, forged] = MD5_COLLISION;
    const hash = md5(genuine);
    await one.upload("old", { genuine, other: "in the database" });
    await moveToFile(server.dataDir, hash);

    await t.step("alone, in a range, and in a ZIP with the other kind", async () => {
      assert.deepEqual(await one.bytes({ path: "old/genuine" }), genuine);
      const part = await one.download({ path: "old/genuine" }, { Range: "bytes=5-9" });
      assert.deepEqual(new Uint8Array(await part.arrayBuffer()), genuine.slice(5, 10));
      for (const compression of ["store", "deflate"]) {
        assert.equal((await one.download({ path: "old", compression })).status, 200);
        assert.ok((await one.bytes({ path: "old", compression })).length > 100);
      }
    });
    await t.step("an upload of the same content shares the file", async () => {
      assert.equal(items(await one.upload("new", { genuine })).length, 1);
      assert.equal(await isInDatabase(server.dataDir, hash), false);
      await checkInvariants(server);
    });
    await t.step("C 6 an upload of other content with its MD5 is refused", async () => {
      refused(await one.upload("new", { forged }), 400, "ErrResourcesInvalidData");
      await checkInvariants(server);
    });
    await t.step("C 5.4 it is removed with its last record", async () => {
      await one.remove({ "paths[]": ["old/genuine", "new"] });
      await server.tree.sweeper.finish();
      assert.equal(await exists(blobFile(server.dataDir, hash)), false);
      await checkInvariants(server);
    });
  },
);

Deno.test("C 6 a file with the MD5 of small content is refused, whichever is first", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  // The same suffix keeps two colliding contents colliding.
  const suffix = noise(70_000);
  const [first, second] = MD5_COLLISION.map((prefix) => {
    const content = new Uint8Array(prefix.length + suffix.length);
    content.set(prefix);
    content.set(suffix, prefix.length);
    return content;
  });
  assert.ok(first && second);
  assert.equal(md5(first), md5(second));
  assert.equal((await one.upload("", { first })).status, 200);
  refused(await one.upload("", { second }), 400, "ErrResourcesInvalidData");
  await checkInvariants(server);
});

Deno.test("C 6 the refusal of content with a forged MD5 does not tell who stores its twin", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const two = await server.as(2);
  const [genuine, forged] = MD5_COLLISION;
  await one.upload("", { genuine });
  const refusals = [await one.upload("", { forged }), await two.upload("", { forged })];
  for (const refusal of refusals) {
    refused(refusal, 400, "ErrResourcesInvalidData");
    assert.equal(
      JSON.parse(refusal.text).msg,
      `Cannot store this content: its MD5 ${md5(genuine)} is forged`,
    );
  }
});

Deno.test("C 15 small content is scanned wherever it is", async () => {
  await using server = await TestServer.start();
  const one = await server.as(
    1,
    "scans.view",
    "scans.run",
    "resources.upload",
    "resources.download",
  );
  const pickle = (seed: number) => new TextEncoder().encode(`cposix\nsystem\n(S'id ${seed}'\ntR.`);
  await one.upload("d", { "a.pkl": pickle(1), "b.pkl": pickle(2) });
  // An object store has never had small content.
  if (IN_FILES) await moveToFile(server.dataDir, md5(pickle(2)));
  const reply = await one.json("POST", "/scans/?wait=60", { path: "d" });
  const { data } = JSON.parse(reply.text);
  assert.deepEqual([data.status, data.files_scanned], ["completed", 2], reply.text);
  assert.ok(data.issues.critical >= 2, reply.text);
  assert.deepEqual(await server.temporaryFiles(), []);
});

Deno.test("C 5.4 and C 22 small content without a record is kept in quarantine after a crash", {
  // Servers that share a database know all such content, and remove it: tests/storage/postgres/dropped_test.ts.
  ignore: IS_SHARED,
}, async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  {
    await using server = await TestServer.start({ dataDir });
    const one = await server.as(1);
    await one.upload("", { kept: "kept", orphan: "without a record" });
  }
  const hash = md5("without a record");
  {
    await using database = await openDatabase(dataDir);
    await database.run("DELETE FROM records WHERE path = 'orphan'");
  }
  const lock = await Deno.readTextFile(`${dataDir}/lock`);
  await Deno.writeTextFile(`${dataDir}/lock`, lock.replace(/^\S*/, "12345"));
  await using server = await TestServer.start({ dataDir });
  assert.equal(await isInDatabase(dataDir, hash), false);
  const kept = await quarantinedContent(dataDir, hash);
  assert.equal(new TextDecoder().decode(kept), "without a record");
  await checkInvariants(server);
});

Deno.test("C 17 the SHA-256 of content is kept once, wherever the content is", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const contents = [noise(0), noise(100), noise(65_537), noise(5_000_000)];
  for (const [index, content] of contents.entries()) {
    await one.upload("d", { [`${index}`]: content, [`again ${index}`]: content });
  }
  await using database = await openDatabase(server.dataDir);
  const rows = await database.all("SELECT hash, sha256, size, crc32 FROM contents");
  const sha256 = (content: Uint8Array) =>
    new Uint8Array(createHash("sha256").update(content).digest());
  assert.deepEqual(
    new Map(rows.map((row) => [row.hash, row.sha256])),
    new Map(contents.map((content) => [md5(content), sha256(content)])),
  );
});
