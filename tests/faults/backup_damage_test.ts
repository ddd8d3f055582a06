import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { noise } from "../support/random.ts";
import { filesBelow, runBackup, stateOf } from "../support/backups.ts";
import { ChildServer, strongroom } from "../support/child_server.ts";
import { type Client, items } from "../support/client.ts";
import { MD5_COLLISION } from "../support/md5_collision.ts";
import { TestServer } from "../support/server.ts";
import { fillDisk, mountable, smallDisk, SMALLEST_MB } from "../support/small_disk.ts";
import { joinBytes } from "../support/raw_http.ts";
import { TempDir } from "../support/temp_dir.ts";

/** Large enough for files. */
const CONTENTS = {
  flipped: noise(300_000),
  short: noise(90_000, 2),
  missing: "gone".padEnd(70_000),
  whole: "here".padEnd(70_000),
};

function blobPath(dataDir: string, content: string | Uint8Array): string {
  const hash = createHash("md5").update(content).digest("hex");
  return `${dataDir}/blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;
}

/** Flips a bit of a file. */
async function flip(path: string): Promise<void> {
  const bytes = await Deno.readFile(path);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  await Deno.writeFile(path, bytes);
}

/** A data directory that no server uses, in which three of four contents are damaged. */
async function damagedDirectory(dataDir: string): Promise<void> {
  await using server = await TestServer.start({ dataDir });
  items(await (await server.as(7)).upload("a dir", CONTENTS));
  await flip(blobPath(dataDir, CONTENTS.flipped));
  await Deno.truncate(blobPath(dataDir, CONTENTS.short), 4000);
  await Deno.remove(blobPath(dataDir, CONTENTS.missing));
}

Deno.test("C 22 damaged content is reported by name, and the rest is backed up", async (t) => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  const backup = `${directory.path}/backup`;
  const target = `${directory.path}/restored`;
  await damagedDirectory(dataDir);

  await t.step("backup exits with 1", async () => {
    const { code, stdout, stderr } = await runBackup({
      command: "backup",
      dataDir,
      backup,
      args: ["--json"],
    });
    assert.equal(code, 1);
    const lines = stderr.trimEnd().split("\n").sort();
    assert.equal(lines.length, 3, stderr);
    for (const name of ["flipped", "missing", "short"]) {
      assert.equal(lines.filter((it) => it.includes(`"a dir/${name}" of user 7`)).length, 1);
    }
    const { snapshot, copied } = JSON.parse(stdout);
    assert.deepEqual([snapshot.files, snapshot.damaged, copied.files], [4, 3, 1]);
  });
  await t.step("restore exits with 1", async () => {
    const { code, stderr } = await runBackup({ command: "restore", dataDir: target, backup });
    assert.equal(code, 1);
    assert.equal(stderr.match(/"a dir\/(flipped|missing|short)" of user 7/g)?.length, 3);
  });
  await t.step("a server serves the rest when the damage is accepted, and not before", async () => {
    const env = { STRONGROOM_DATA_DIR: target, STRONGROOM_PORT: "0" };
    const { code, stderr } = await strongroom(["serve"], env);
    assert.equal(code, 1);
    assert.match(stderr, /--accept-damage/);
    await using child = await ChildServer.start({ dataDir: target, args: ["--accept-damage"] });
    const seven = await child.as(7);
    assert.deepEqual((await seven.tree()).length, 5);
    assert.equal(
      new TextDecoder().decode(await seven.bytes({ path: "a dir/whole" })),
      CONTENTS.whole,
    );
  });
  await t.step("the next backup has what has been repaired", async () => {
    await Deno.writeFile(blobPath(dataDir, CONTENTS.flipped), CONTENTS.flipped);
    const { code, stdout } = await runBackup({
      command: "backup",
      dataDir,
      backup,
      args: ["--json"],
    });
    assert.deepEqual([code, JSON.parse(stdout).snapshot.damaged], [1, 2]);
  });
});

Deno.test("C 22 restore reports content that is damaged in the backup", async () => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  const backup = `${directory.path}/backup`;
  {
    await using server = await TestServer.start({ dataDir });
    items(
      await (await server.as(1)).upload("", {
        "a b": "text ".repeat(20_000),
        other: "other".padEnd(70_000),
      }),
    );
  }
  assert.equal((await runBackup({ command: "backup", dataDir, backup })).code, 0);
  const [large] = (await Promise.all(
    (await filesBelow(`${backup}/contents`)).map(async (path) => ({
      path,
      size: (await Deno.stat(path)).size,
    })),
  )).sort((a, b) => b.size - a.size);
  await flip(large?.path ?? "");
  const target = `${directory.path}/restored`;
  const { code, stdout, stderr } = await runBackup({
    command: "restore",
    dataDir: target,
    backup,
    args: ["--json"],
  });
  assert.deepEqual([code, JSON.parse(stdout).damaged], [1, 1]);
  assert.match(stderr, /^strongroom: Content [0-9a-f]{32} is damaged: found .*"a b" of user 1\n$/);
  assert.equal((await filesBelow(`${target}/blobs`)).length, 1);
});

Deno.test("C 22 a damaged database is not backed up, and the former backup stays", async () => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  const backup = `${directory.path}/backup`;
  {
    await using server = await TestServer.start({ dataDir });
    items(await (await server.as(1)).upload("", { f: "content" }));
  }
  assert.equal((await runBackup({ command: "backup", dataDir, backup })).code, 0);
  const path = `${dataDir}/strongroom.db`;
  const bytes = await Deno.readFile(path);
  // Everything but the first page, which holds the schema.
  bytes.fill(0xff, 4096);
  await Deno.writeFile(path, bytes);
  const { code, stdout, stderr } = await runBackup({ command: "backup", dataDir, backup });
  assert.deepEqual([code, stdout, stderr.split("\n").length], [2, "", 2]);
  const target = `${directory.path}/restored`;
  assert.equal((await runBackup({ command: "restore", dataDir: target, backup })).code, 0);
  assert.deepEqual([...(await stateOf(target)).keys()], ["1:f"]);
});

Deno.test("C 22 content that replaces other content of the same MD5 is backed up", async () => {
  await using directory = await TempDir.make();
  const backup = `${directory.path}/backup`;
  const dataDir = `${directory.path}/data`;
  await using server = await TestServer.start({ dataDir, settings: { history: 0 } });
  const one = await server.as(1);
  // The same end keeps two contents with one MD5 alike in that.
  const [former, later] = MD5_COLLISION.map((it) => joinBytes([it, noise(70_000)]));
  assert.ok(former && later);
  items(await one.upload("", { f: former }));
  assert.equal((await runBackup({ command: "backup", dataDir, backup })).code, 0);
  await one.remove({ path: "f" });
  await server.tree.sweeper.finish();
  items(await one.upload("", { f: later }));
  assert.equal((await runBackup({ command: "backup", dataDir, backup })).code, 0);
  const target = `${directory.path}/restored`;
  assert.equal((await runBackup({ command: "restore", dataDir: target, backup })).code, 0);
  assert.deepEqual(await Deno.readFile(blobPath(target, later)), later);
});

/** Uploads random content of so many MB. */
async function fill(client: Client, dir: string, megabytes: number): Promise<void> {
  const names = Array.from(
    { length: megabytes },
    (_, it) => [`${it}`, noise(2 ** 20, it + dir.length)],
  );
  items(await client.upload(dir, Object.fromEntries(names)));
}

const kinds = await mountable();

Deno.test({
  name: "C 22 a full disk stops a backup or restore, and the former backup stays",
  ignore: !kinds.has("ext4"),
  async fn() {
    await using disk = await smallDisk(SMALLEST_MB.ext4, "ext4");
    assert.ok(disk);
    await using directory = await TempDir.make();
    const dataDir = `${directory.path}/data`;
    await using server = await TestServer.start({ dataDir, settings: { history: 0 } });
    const one = await server.as(1);
    await fill(one, "a", 4);
    const backup = `${disk.path}/backup`;
    assert.equal((await runBackup({ command: "backup", dataDir, backup })).code, 0);
    await fill(one, "bb", 40);
    const full = await runBackup({ command: "backup", dataDir, backup });
    assert.equal(full.code, 2);
    assert.match(full.stderr, /^strongroom: The disk of ".*" is full\n$/);
    const target = `${directory.path}/restored`;
    assert.equal((await runBackup({ command: "restore", dataDir: target, backup })).code, 0);
    assert.equal((await stateOf(target)).size, 5);
    // What was copied in vain serves the next backup, or makes room for it.
    await one.remove({ path: "bb" });
    await fillDisk(disk, "foreign");
    const { code, stdout, stderr } = await runBackup({
      command: "backup",
      dataDir,
      backup,
      args: ["--json"],
    });
    assert.equal(code, 0, stderr);
    assert.ok(JSON.parse(stdout).removed > 0);
    // A restore to a full disk is not served.
    await using small = await smallDisk(SMALLEST_MB.ext4, "ext4");
    assert.ok(small);
    await fill(one, "ccc", 40);
    const large = `${directory.path}/large`;
    assert.equal((await runBackup({ command: "backup", dataDir, backup: large })).code, 0);
    const failed = await runBackup({ command: "restore", dataDir: small.path, backup: large });
    assert.deepEqual([failed.code, /is full/.test(failed.stderr)], [2, true]);
    await assert.rejects(TestServer.start({ dataDir: small.path }), /run strongroom restore again/);
  },
});
