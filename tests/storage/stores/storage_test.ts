import * as assert from "node:assert/strict";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { ensureJwtSecret } from "../../../storage/disk/jwt_secret.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { Storage } from "../../../storage/stores/storage.ts";
import { seed } from "../../support/seed.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("Storage waits while another process locks the database", async () => {
  await using directory = await TempDir.make();
  await using storage = await Storage.open(directory.path);
  using other = new Connection(`${directory.path}/strongroom.db`, { readOnly: false });
  other.run("BEGIN IMMEDIATE");
  let done = false;
  const seeding = seed(storage.records, ["a"]).then(() => done = true);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(done, false);
  other.run("COMMIT");
  await seeding;
});

Deno.test("C 12 Storage.open() refuses a directory that is in use", async () => {
  await using directory = await TempDir.make();
  {
    await using _held = await Storage.open(directory.path);
    await assert.rejects(
      Storage.open(directory.path),
      new RegExp(`in use by process ${Deno.pid}`),
    );
  }
  await using _again = await Storage.open(directory.path);
});

Deno.test("C 1 Storage.findFault() names the part that fails", async () => {
  await using directory = await TempDir.make();
  await using storage = await Storage.open(directory.path);
  assert.equal(await storage.findFault(0), undefined);
  assert.equal((await storage.findFault(2 ** 50))?.part, "disk");
  await Deno.remove(`${directory.path}/tmp`);
  assert.equal((await storage.findFault(0))?.part, "blobs");
  await Deno.mkdir(`${directory.path}/tmp`);
  assert.equal(await storage.findFault(0), undefined);
});

Deno.test("C 12 Storage.open() refuses a directory that it would damage", async (t) => {
  const opened = async (dataDir: string) => {
    await using _storage = await Storage.open(dataDir);
  };
  const prepared = async (prepare: (dataDir: string) => Promise<unknown>) => {
    const directory = await TempDir.make();
    await prepare(directory.path);
    return directory;
  };
  await t.step("a tmp/ with foreign files", async () => {
    await using directory = await prepared((path) =>
      Deno.mkdir(`${path}/tmp/precious`, { recursive: true })
    );
    await assert.rejects(opened(directory.path), /its tmp\/.*"precious"/);
    assert.ok((await Deno.stat(`${directory.path}/tmp/precious`)).isDirectory);
  });
  await t.step("a tmp/ or blobs/ that is a link", async () => {
    for (const name of ["tmp", "blobs"]) {
      await using outside = await TempDir.make();
      await Deno.writeTextFile(`${outside.path}/precious`, "");
      await using directory = await prepared(async (path) => {
        await Deno.writeTextFile(`${path}/lock`, "");
        await Deno.symlink(outside.path, `${path}/${name}`);
      });
      await assert.rejects(opened(directory.path), /is not a directory/);
      assert.ok((await Deno.stat(`${outside.path}/precious`)).isFile);
    }
  });
  await t.step("C 5.4 content whose database is missing or empty", async () => {
    for (const stopped of ["", "123\n"]) {
      await using directory = await TempDir.make();
      await opened(directory.path);
      const blob = `${directory.path}/blobs/01/23/0123456789abcdef0123456789abcdef`;
      await Deno.mkdir(blob.slice(0, -33), { recursive: true });
      await Deno.writeTextFile(blob, "content");
      await Deno.writeTextFile(`${directory.path}/lock`, stopped);
      await Deno.truncate(`${directory.path}/strongroom.db`);
      await assert.rejects(opened(directory.path), /missing or empty/);
      assert.ok((await Deno.stat(blob)).isFile);
    }
  });
  await t.step("C 5.4 a damaged database, after a crash", async () => {
    await using directory = await TempDir.make();
    await opened(directory.path);
    const path = `${directory.path}/strongroom.db`;
    {
      await using store = await SqliteResourceStore.open(path);
      await seed(store, Array.from({ length: 2000 }, (_, index) => `f${index}`));
    }
    {
      // With entries missing from this index, stored content would seem to have no record.
      using connection = new Connection(path, { readOnly: false });
      const root = connection.get(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'records_by_hash'",
      );
      using file = await Deno.open(path, { read: true, write: true });
      await file.seek((Number(root?.rootpage) - 1) * 4096 + 3, Deno.SeekMode.Start);
      await file.write(new Uint8Array([0, 1]));
    }
    await Deno.writeTextFile(`${directory.path}/lock`, "123\n");
    await assert.rejects(opened(directory.path), /damaged/);
  });
});

Deno.test("C 12 Storage.open() restricts secret files to their owner, even existing ones", async () => {
  await using directory = await TempDir.make();
  const modeOf = async (name: string) =>
    ((await Deno.stat(`${directory.path}/${name}`)).mode ?? 0) & 0o777;
  await Deno.writeTextFile(`${directory.path}/strongroom.db`, "", { mode: 0o644 });
  await Deno.writeTextFile(`${directory.path}/jwt.secret`, "a strong secret of 32 characters", {
    mode: 0o644,
  });
  await using storage = await Storage.open(directory.path);
  await seed(storage.records, ["f"]);
  assert.equal((await ensureJwtSecret(directory.path)).secret, "a strong secret of 32 characters");
  for (const name of ["strongroom.db", "strongroom.db-wal", "strongroom.db-shm", "jwt.secret"]) {
    assert.equal(await modeOf(name), 0o600, name);
  }
});

Deno.test("C 1 Storage.findFault() finds a blobs/ that cannot be written", async () => {
  await using directory = await TempDir.make();
  await using storage = await Storage.open(directory.path);
  assert.equal(await storage.findFault(0), undefined);
  const blobs = `${directory.path}/blobs`;
  await Deno.rename(blobs, `${blobs}-away`);
  assert.equal((await storage.findFault(0))?.part, "blobs");
  await Deno.writeTextFile(blobs, "in the way");
  assert.equal((await storage.findFault(0))?.part, "blobs");
  await Deno.remove(blobs);
  await Deno.rename(`${blobs}-away`, blobs);
  assert.equal(await storage.findFault(0), undefined);
  for (const folder of ["blobs", "tmp"]) {
    assert.deepEqual([...Deno.readDirSync(`${directory.path}/${folder}`)], []);
  }
});
