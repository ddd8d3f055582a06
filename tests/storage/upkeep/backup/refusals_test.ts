import * as assert from "node:assert/strict";
import { backUp } from "../../../../storage/upkeep/backup/back_up.ts";
import { restore } from "../../../../storage/upkeep/backup/restore.ts";
import { Connection } from "../../../../storage/sqlite/connection.ts";
import { items } from "../../../support/client.ts";
import { TestServer } from "../../../support/server.ts";
import { TempDir } from "../../../support/temp_dir.ts";

const SILENT = () => {};

/** A data directory that no server uses. */
async function dataDirectory(path: string): Promise<string> {
  await using server = await TestServer.start({ dataDir: path });
  items(await (await server.as(1)).upload("a", { f: "content" }));
  return path;
}

async function filesOf(path: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(path), ({ name }) => name)).sort();
}

Deno.test("C 22 backup refuses a directory that it cannot use, and changes nothing", async (t) => {
  await using directory = await TempDir.make();
  const dataDir = await dataDirectory(`${directory.path}/data`);
  const refused = async (path: string, reason: RegExp) => {
    const before = await filesOf(directory.path);
    await assert.rejects(backUp(dataDir, path, SILENT), reason);
    assert.deepEqual(await filesOf(directory.path), before);
  };

  await t.step("the data directory, one in it, and one that holds it", async () => {
    await refused(dataDir, /overlap/);
    await Deno.mkdir(`${dataDir}/inside`);
    await refused(`${dataDir}/inside`, /overlap/);
    await refused(directory.path, /overlap/);
    await Deno.symlink(`${dataDir}/inside`, `${directory.path}/link`);
    await refused(`${directory.path}/link`, /overlap/);
  });
  await t.step("one whose parent is missing, and a file", async () => {
    await refused(`${directory.path}/missing/backup`, /directory above it does not exist/);
    await Deno.writeTextFile(`${directory.path}/file`, "text");
    await refused(`${directory.path}/file`, /There is no directory/);
  });
  await t.step("one that holds foreign files", async () => {
    const path = `${directory.path}/foreign`;
    await Deno.mkdir(path);
    await Deno.writeTextFile(`${path}/notes.txt`, "text");
    await refused(path, /neither empty nor a backup: it holds "notes.txt"/);
    assert.deepEqual(await filesOf(path), ["notes.txt"]);
    await Deno.remove(`${path}/notes.txt`);
    await backUp(dataDir, path, SILENT);
    await Deno.writeTextFile(`${path}/notes.txt`, "text");
    await refused(path, /holds a file that is not of a backup: "notes.txt"/);
  });
  await t.step("the backup of another strongroom", async () => {
    const path = `${directory.path}/other`;
    await backUp(await dataDirectory(`${directory.path}/data2`), path, SILENT);
    await refused(path, /is the backup of another strongroom/);
  });
  await t.step("one that another backup is using", async () => {
    const path = `${directory.path}/used`;
    await Deno.mkdir(path);
    using lock = await Deno.open(path);
    assert.ok(await lock.tryLock(true));
    await refused(path, /in use by another backup/);
  });
  await t.step("one with a manifest of a newer format, or a damaged one", async () => {
    const path = `${directory.path}/newer`;
    await Deno.mkdir(path);
    await Deno.writeTextFile(`${path}/backup.json`, '{"format": 2}');
    await refused(path, /format 2; this program supports up to 1/);
    await Deno.writeTextFile(`${path}/backup.json`, '{"format": 1, "snap');
    await refused(path, /backup.json" is damaged/);
  });
  await t.step(
    "a data directory without a database, or with one of an earlier version",
    async () => {
      const empty = `${directory.path}/empty`;
      await Deno.mkdir(empty);
      await assert.rejects(backUp(empty, `${directory.path}/new`, SILENT), /nothing to back up/);
      const old = await dataDirectory(`${directory.path}/old`);
      {
        using connection = new Connection(`${old}/strongroom.db`, { readOnly: false });
        connection.script("PRAGMA user_version = 5");
      }
      await assert.rejects(backUp(old, `${directory.path}/new`, SILENT), /start the server once/);
    },
  );
});

Deno.test("C 22 restore refuses what it cannot restore, and where", async (t) => {
  await using directory = await TempDir.make();
  const dataDir = await dataDirectory(`${directory.path}/data`);
  const backup = `${directory.path}/backup`;
  await backUp(dataDir, backup, SILENT);

  await t.step("a data directory that is not empty", async () => {
    await assert.rejects(restore(dataDir, backup, SILENT), /is not empty: it holds "/);
    const used = `${directory.path}/used`;
    await Deno.mkdir(used);
    await Deno.writeTextFile(`${used}/jwt.secret`, "secret");
    await assert.rejects(restore(used, backup, SILENT), /is not empty: it holds "jwt.secret"/);
    assert.deepEqual(await filesOf(used), ["jwt.secret"]);
  });
  await t.step("a directory without a backup", async () => {
    const target = `${directory.path}/target`;
    await assert.rejects(
      restore(target, `${directory.path}/none`, SILENT),
      /There is no directory/,
    );
    await Deno.mkdir(`${directory.path}/empty`);
    await assert.rejects(
      restore(target, `${directory.path}/empty`, SILENT),
      /holds no complete backup/,
    );
    assert.deepEqual(await filesOf(target), []);
  });
  await t.step("a backup whose database has changed by one byte", async () => {
    const path = `${backup}/snapshots/1/strongroom.db`;
    const bytes = await Deno.readFile(path);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await Deno.writeFile(path, bytes);
    const target = `${directory.path}/damaged`;
    await assert.rejects(restore(target, backup, SILENT), /database of the backup .* is damaged/);
    await assert.rejects(TestServer.start({ dataDir: target }), /run strongroom restore again/);
    await assert.rejects(
      backUp(target, `${directory.path}/of-damaged`, SILENT),
      /run strongroom restore again/,
    );
  });
});
