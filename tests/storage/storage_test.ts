import * as assert from "node:assert/strict";
import type { ListQuery } from "../../core/ports.ts";
import { blobPath, isDigest } from "../../storage/blobs/paths.ts";
import { Connection } from "../../storage/database/connection.ts";
import { DirectoryLock } from "../../storage/disk/lock.ts";
import { ensureJwtSecret } from "../../storage/jwt_secret.ts";
import { migrate } from "../../storage/database/migrate.ts";
import { SqliteResourceStore } from "../../storage/database/sqlite_resource_store.ts";
import { Storage } from "../../storage/storage.ts";
import { seed } from "../support/seed.ts";
import { TempDir } from "../support/temp_dir.ts";

Deno.test("C 12 blobPath() fans out by the first four digits, and takes digests alone", () => {
  const digest = "d41d8cd98f00b204e9800998ecf8427e";
  assert.equal(blobPath(digest), `d4/1d/${digest}`);
  for (
    const bad of [
      "",
      "..",
      "../../../etc/passwd",
      digest.toUpperCase(),
      `${digest}0`,
      `${digest}\n`,
    ]
  ) {
    assert.equal(isDigest(bad), false);
    assert.throws(() => blobPath(bad), TypeError);
  }
});

Deno.test("migrate() brings a database to the schema, once, and refuses a newer one", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  const open = () => new Connection(path, { readOnly: false });
  {
    using connection = open();
    migrate(connection);
    migrate(connection);
    assert.equal(connection.get("PRAGMA user_version")?.user_version, 3);
    connection.script("PRAGMA user_version = 99");
  }
  {
    using connection = open();
    assert.throws(() => migrate(connection), /version 99.*up to 3/);
  }
  await assert.rejects(SqliteResourceStore.open(path), /version 99/);
});

Deno.test("migrate() keeps the records of a database of version 1, and its ids", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  const columns =
    "id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";
  const all = (connection: Connection) =>
    connection.all(`SELECT ${columns} FROM records ORDER BY id`);
  {
    using connection = new Connection(path, { readOnly: false });
    const first = new URL("../../storage/database/migrations/0001_records.sql", import.meta.url);
    connection.script(await Deno.readTextFile(first));
    connection.script(`
      INSERT INTO records (id, user_id, path, hash, size, crc32, is_dir, created_at, updated_at)
      VALUES (3, 7, 'd', '', 0, 0, 1, 10, 20), (5, 7, 'd/é f', '${
      "a".repeat(32)
    }', 1, 2, 0, 30, 40),
        (9, 8, 'gone', '', 0, 0, 1, 10, 20);
      DELETE FROM records WHERE id = 9;
      PRAGMA user_version = 1;
    `);
    const before = all(connection);
    migrate(connection);
    assert.deepEqual(all(connection), before);
    assert.throws(() => connection.run("UPDATE records SET parent = 'nowhere' WHERE id = 5"));
  }
  await using store = await SqliteResourceStore.open(path);
  const [added] = await seed(store, ["new"]);
  assert.equal(added?.id, 10);
  await assert.rejects(seed(store, ["missing/child"]), /FOREIGN KEY/);
});

Deno.test("migrate() leaves nothing of a migration that fails", async () => {
  await using directory = await TempDir.make();
  using connection = new Connection(`${directory.path}/test.db`, { readOnly: false });
  connection.script("CREATE TABLE records_by_hash (a)");
  assert.throws(() => migrate(connection));
  assert.equal(connection.get("PRAGMA user_version")?.user_version, 0);
  assert.equal(connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'records'"), undefined);
  assert.equal(connection.inTransaction, false);
});

Deno.test("Connection is in WAL mode, syncs fully, and minds foreign keys", async () => {
  await using directory = await TempDir.make();
  using connection = new Connection(`${directory.path}/test.db`, { readOnly: false });
  assert.equal(connection.get("PRAGMA journal_mode")?.journal_mode, "wal");
  assert.equal(connection.get("PRAGMA synchronous")?.synchronous, 2);
  assert.equal(connection.get("PRAGMA foreign_keys")?.foreign_keys, 1);
  assert.equal(connection.get("PRAGMA busy_timeout")?.timeout, 10_000);
});

Deno.test("Storage waits for another process's lock on the database, and does not fail", async () => {
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

Deno.test("C 12 Storage is held by one at a time", async () => {
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

Deno.test("C 1 Storage.fault() finds the part that fails", async () => {
  await using directory = await TempDir.make();
  await using storage = await Storage.open(directory.path);
  assert.equal(await storage.findFault(0), undefined);
  assert.equal((await storage.findFault(2 ** 50))?.part, "disk");
  await Deno.remove(`${directory.path}/tmp`);
  assert.equal((await storage.findFault(0))?.part, "blobs");
  await Deno.mkdir(`${directory.path}/tmp`);
  assert.equal(await storage.findFault(0), undefined);
});

Deno.test("C 10 jwtSecret() is made once, whoever asks first", async () => {
  await using directory = await TempDir.make();
  const asked = await Promise.all(
    Array.from({ length: 20 }, () => ensureJwtSecret(directory.path)),
  );
  assert.equal(new Set(asked.map(({ secret }) => secret)).size, 1);
  assert.equal(asked.filter(({ created: made }) => made).length, 1);
  assert.ok((asked[0]?.secret.length ?? 0) >= 32);
  assert.deepEqual((await Array.fromAsync(Deno.readDir(directory.path))).length, 1);
});

Deno.test("C 8 list() takes a listing away from a reader that stalls", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`, {
    listStallMs: 1,
  });
  await seed(store, Array.from({ length: 1200 }, (_, index) => `f${index}`));
  const query: ListQuery = {
    scope: { userId: 1, everyone: false },
    recursive: false,
    directories: [],
    chain: [],
  };
  const batches = store.list(query)[Symbol.asyncIterator]();
  await batches.next();
  await new Promise((resolve) => setTimeout(resolve, 30));
  await assert.rejects(batches.next(), /has ended/);
});

Deno.test("C 8 list() fails where the database does, and does not end early", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  {
    await using store = await SqliteResourceStore.open(path);
    await seed(store, ["d/", ...Array.from({ length: 5000 }, (_, index) => `d/f${index}`)]);
  }
  {
    // Pages in the middle are damaged; what the first ones say of them is intact.
    using file = await Deno.open(path, { write: true });
    const { size } = await file.stat();
    await file.seek(Math.floor(size / 4096 / 2) * 4096, Deno.SeekMode.Start);
    await file.write(new Uint8Array(Math.floor(size / 4096 / 4) * 4096).fill(0xff));
  }
  await using store = await SqliteResourceStore.open(path);
  const scope = { userId: 1, everyone: false };
  for (const directories of [[], ["d"]]) {
    const query = { scope, recursive: true, directories, chain: directories };
    await assert.rejects(Array.fromAsync(store.list(query)));
  }
});

Deno.test({
  name: "C 8 list() keeps nothing of a listing that is not read to its end",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using directory = await TempDir.make();
    await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
    await seed(store, Array.from({ length: 1200 }, (_, index) => `f${index}`));
    const scope = { userId: 1, everyone: false };
    const query = { scope, recursive: false, directories: [], chain: [] };
    const path = await Deno.realPath(directory.path);
    const openFiles = () =>
      Array.from(Deno.readDirSync("/proc/self/fd"), ({ name }) => {
        try {
          return Deno.readLinkSync(`/proc/self/fd/${name}`);
        } catch {
          // Closed meanwhile, by whoever else is at work in this process.
          return "";
        }
      }).filter((file) => file.startsWith(path)).length;
    const listSome = async () => {
      const batches = Array.from({ length: 8 }, () => store.list(query)[Symbol.asyncIterator]());
      await Promise.all(batches.map((it) => it.next()));
      await Promise.all(batches.map((it) => it.return?.(undefined)));
    };
    await listSome();
    const before = openFiles();
    for (let round = 0; round < 5; round++) await listSome();
    assert.equal(openFiles(), before);
  },
});

Deno.test("C 12 Storage.open() refuses a directory that it would do harm to", async (t) => {
  const opened = async (dataDir: string) => {
    await using _storage = await Storage.open(dataDir);
  };
  const prepared = async (prepare: (dataDir: string) => Promise<unknown>) => {
    const directory = await TempDir.make();
    await prepare(directory.path);
    return directory;
  };
  await t.step("a tmp/ of somebody else", async () => {
    await using directory = await prepared((path) =>
      Deno.mkdir(`${path}/tmp/precious`, { recursive: true })
    );
    await assert.rejects(opened(directory.path), /its tmp\/.*"precious"/);
    assert.ok((await Deno.stat(`${directory.path}/tmp/precious`)).isDirectory);
  });
  await t.step("a tmp/ or blobs/ that leads elsewhere", async () => {
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
      // An index that has lost some of its entries tells that content is nobody's.
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

Deno.test("C 12 what is secret is its owner's alone, also where it was not", async () => {
  await using directory = await TempDir.make();
  const modeOf = async (name: string) =>
    ((await Deno.stat(`${directory.path}/${name}`)).mode ?? 0) & 0o777;
  await Deno.writeTextFile(`${directory.path}/strongroom.db`, "", { mode: 0o644 });
  await Deno.writeTextFile(`${directory.path}/jwt.secret`, "s".repeat(32), { mode: 0o644 });
  await using storage = await Storage.open(directory.path);
  await seed(storage.records, ["f"]);
  assert.equal((await ensureJwtSecret(directory.path)).secret, "s".repeat(32));
  for (const name of ["strongroom.db", "strongroom.db-wal", "strongroom.db-shm", "jwt.secret"]) {
    assert.equal(await modeOf(name), 0o600, name);
  }
});

Deno.test("C 10 jwtSecret() refuses a secret that is too short", async () => {
  await using directory = await TempDir.make();
  for (const secret of ["", "a", "s".repeat(31)]) {
    await Deno.writeTextFile(`${directory.path}/jwt.secret`, `${secret}\n`);
    await assert.rejects(
      ensureJwtSecret(directory.path),
      /secret in ".*jwt.secret" has \d+ bytes/,
    );
  }
});

Deno.test("C 1 fault() finds a blobs/ that takes nothing", async () => {
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

Deno.test("C 5.4 the mark of a crash is there until a start has come through", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/lock`;
  await Deno.writeTextFile(path, "a process whose id was rather long\n");
  using lock = await DirectoryLock.acquire(directory.path);
  assert.equal(lock.afterCrash, true);
  assert.equal(await Deno.readTextFile(path), `${Deno.pid}\n`);
});
