import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { migrate } from "../../../storage/sqlite/migrate.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { seed } from "../../support/seed.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("migrate() upgrades a database once, and refuses a newer one", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  const open = () => new Connection(path, { readOnly: false });
  {
    using connection = open();
    migrate(connection);
    migrate(connection);
    assert.equal(connection.get("PRAGMA user_version")?.user_version, 53);
    connection.script("PRAGMA user_version = 99");
  }
  {
    using connection = open();
    assert.throws(() => migrate(connection), /version 99.*up to 53/);
  }
  await assert.rejects(SqliteResourceStore.open(path), /version 99/);
});

Deno.test("migrate() gives a new database the schema to which all migrations lead", async () => {
  await using directory = await TempDir.make();
  using made = new Connection(`${directory.path}/new.db`, { readOnly: false });
  assert.equal(migrate(made), 0);
  using migrated = new Connection(`${directory.path}/old.db`, { readOnly: false });
  await migrateTo(migrated, 1);
  assert.equal(migrate(migrated), 1);
  assert.deepEqual(schemaOf(made), schemaOf(migrated));
  assert.deepEqual(rowsOf(made), rowsOf(migrated));
});

Deno.test("migrate() keeps the records and ids of a version 1 database", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  const columns =
    "id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";
  const all = (connection: Connection) =>
    connection.all(`SELECT ${columns} FROM records ORDER BY id`);
  {
    using connection = new Connection(path, { readOnly: false });
    const first = new URL("../../../storage/sqlite/migrations/0001_records.sql", import.meta.url);
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

Deno.test("migrate() rolls all migrations back when one fails", async (t) => {
  for (const name of ["records_by_hash", "console_sessions"]) {
    await t.step(`that of ${name}`, async () => {
      await using directory = await TempDir.make();
      using connection = new Connection(`${directory.path}/test.db`, { readOnly: false });
      connection.script(`CREATE TABLE ${name} (a)`);
      assert.throws(() => migrate(connection));
      assert.equal(connection.get("PRAGMA user_version")?.user_version, 0);
      assert.equal(connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'records'"), undefined);
      assert.equal(connection.inTransaction, false);
    });
  }
});

Deno.test("C 22 migrate() keeps all paths of a scan, and lists the first ones", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  const many = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(4000));
  {
    using connection = new Connection(path, { readOnly: false });
    await migrateTo(connection, 13);
    connection.run(
      `INSERT INTO scans (user_id, status, paths, skip, created_at, files_total, bytes_total)
       VALUES (1, 'queued', :many, '[]', 0, 0, 0), (1, 'queued', '["a","b"]', '[]', 0, 0, 0)`,
      { many: JSON.stringify(many) },
    );
  }
  await using store = await SqliteResourceStore.open(path);
  const listed = await store.scans.list(1, { limit: 10 });
  assert.deepEqual(listed.map(({ paths }) => paths), [["a", "b"], many.slice(0, 4)]);
  assert.deepEqual(listed.map(({ pathsTotal }) => pathsTotal), [2, 10]);
  const all = await Promise.all(listed.map((scan) => store.scans.paths(scan)));
  assert.deepEqual(all, [["a", "b"], many]);
});

Deno.test("migrate() keeps the reports of a version 3 database", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  const report = new Uint8Array(40 * 2 ** 20).map((_, index) => index >> 12);
  {
    using connection = new Connection(path, { readOnly: false });
    await migrateTo(connection, 3);
    connection.run(
      `INSERT INTO scans
         (id, user_id, status, paths, skip, created_at, finished_at, files_total, bytes_total, report)
       VALUES (1, 1, 'completed', '[]', '[]', 0, 1, 0, 0, :report),
         (2, 1, 'cancelled', '[]', '[]', 0, 1, 0, 0, NULL)`,
      { report },
    );
  }
  await using store = await SqliteResourceStore.open(path);
  const chunks = await Array.fromAsync(await store.scans.report(1) ?? []);
  assert.ok(chunks.length > 1);
  assert.ok(Buffer.concat(chunks).equals(report));
  assert.equal(await store.scans.report(2), undefined);
});

/** What a database has, but for blanks, quotes and comments, and the columns of its tables in order. */
function schemaOf(connection: Connection): unknown[] {
  const objects = connection.all(
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name",
  );
  return objects.map(({ type, name, tbl_name, sql }) => ({
    ...{ type, name, tbl_name },
    sql: String(sql).replaceAll(/--.*$/gm, "").replaceAll(/["\s]/g, ""),
    columns: type === "table" ? connection.all(`PRAGMA table_xinfo(${name})`) : [],
  }));
}

/** The rows of all tables, but for the random id of a strongroom. */
function rowsOf(connection: Connection): unknown[] {
  connection.run("UPDATE storage_state SET strongroom_id = length(strongroom_id)");
  const tables = connection.all(
    "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
  );
  return tables.map(({ name }) => [name, connection.all(`SELECT * FROM ${name}`)]);
}

/** Makes a database of an older version. */
async function migrateTo(connection: Connection, version: number): Promise<void> {
  const directory = new URL("../../../storage/sqlite/migrations/", import.meta.url);
  const files = Deno.readDirSync(directory).map(({ name }) => name).toArray().sort();
  for (const file of files.slice(0, version)) {
    connection.script(await Deno.readTextFile(new URL(file, directory)));
  }
  connection.script(`PRAGMA user_version = ${version}`);
}
