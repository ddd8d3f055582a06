import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { Connection } from "../../storage/sqlite/connection.ts";
import { databaseAddress, databaseUrl } from "../../schemas/database_url.ts";
import { migratingPath } from "../../storage/disk/data_directory.ts";
import { orMissing } from "../../storage/disk/files.ts";
import { migrate } from "../../storage/upkeep/migrate/migrate.ts";
import { holdDatabase } from "../../storage/upkeep/migrate/postgres_strongroom.ts";
import { openRows, type Strongroom } from "../../storage/upkeep/migrate/strongrooms.ts";
import { TABLES } from "../../storage/upkeep/migrate/carried_tables.ts";
import { SMALL_CONTENTS } from "../../storage/upkeep/migrate/tables.ts";
import { Database } from "../../storage/postgres/database.ts";
import { ServerLease } from "../../storage/postgres/server_lease.ts";
import { PostgresResourceStore } from "../../storage/postgres/postgres_resource_store.ts";
import { Storage } from "../../storage/stores/storage.ts";
import type { RecordStore } from "../../storage/tables/record_store.ts";
import { Client, dataOf, items } from "../support/client.ts";
import { linkTo } from "../support/links.ts";
import { modelFile } from "../support/models.ts";
import { Postgres } from "../support/postgres.ts";
import { noise } from "../support/random.ts";
import { S3Engine } from "../support/s3.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { blobFile } from "../support/stored_content.ts";
import { TempDir } from "../support/temp_dir.ts";
import { createUpload } from "../support/tus.ts";
import { until } from "../support/until.ts";

const LONG = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(60, "é")).join("/");
const LARGE = noise(9_000_000, 3);

/** Some that both trees have had. */
const VERSIONS = ["0", "1"];

const PRIVILEGES = [...USER_PRIVILEGES, "scans.run", "scans.view"];

/** Starts a server over a strongroom, whatever engines the tests use otherwise. */
function serve({ dataDir, options: { database, content } }: Strongroom): Promise<TestServer> {
  return TestServer.start({
    dataDir,
    settings: { databaseUrl: database && databaseUrl(database), history: 86_400_000 },
    ...(content !== undefined && { content }),
  });
}

/** Fills a strongroom with something of each table that is carried. */
async function fill(room: Strongroom): Promise<void> {
  await using server = await serve(room);
  const user = await server.as(7, ...PRIVILEGES);
  const admin = await server.admin();
  await user.upload("", { "small.txt": "small", "empty": "", "middle.bin": noise(300_000, 2) });
  await user.upload("deep/er", { "large.bin": LARGE, "same.txt": "small" });
  await user.upload(LONG, { "file é 😀.txt": "deep down" });
  await (await server.as(9)).upload("a", { "other.bin": noise(300_000, 2), "own": "of nine" });
  await user.mkdir("none/at/all");
  // Its children have lower ids than the directory that they are in now.
  await user.mkdir("late");
  await user.move({ source: "deep", destination: "late" });
  await user.upload("", { "eval.pkl": await modelFile("pickle/hostile/eval.pkl") });
  await linkTo(user, "small.txt", { once: true });
  const body = { sha256: "ab".repeat(32), reason: "reviewed" };
  assert.equal((await admin.json("POST", "/waivers/", body)).status, 200);
  const scan = await user.json("POST", "/scans/", { paths: ["eval.pkl"] });
  assert.equal(scan.status, 202, scan.text);
  const { id } = dataOf(scan, 202) as { id: number };
  await until(async () => {
    const { status } = dataOf(await user.send("GET", `/scans/${id}`)) as { status: string };
    return status === "completed";
  });
  const main = new Client(
    server.url,
    await mintToken({ userId: 7, privileges: USER_PRIVILEGES, jti: "main" }),
  );
  const { jti } = dataOf(
    await main.json("POST", "/tokens/", { label: "nightly", privileges: ["resources.view"] }),
  ) as { jti: string };
  assert.equal((await main.send("DELETE", `/tokens/${jti}`)).status, 200);
  const groups = ["research"];
  const person = { name: "ana", email: "ana@example.org", groups, number: 7 };
  dataOf(await admin.json("POST", "/users/", person));
  dataOf(await admin.json("POST", "/users/", { name: "bob" }));
  dataOf(await admin.json("PATCH", "/users/bob", { name: "rob", disabled: true }));
  dataOf(await admin.json("POST", "/teams/", { name: "vision" }));
  await createUpload(user, "unfinished", 10);
  // The greatest id is one of a record that is gone.
  await user.upload("", { "gone.txt": "gone" });
  dataOf(await user.json("POST", "/tags/", { name: "with-it", path: "gone.txt" }));
  await user.remove({ path: "gone.txt" });
}

/** The SQLite file of a data directory. */
function openDatabase(dataDir: string): Connection {
  return new Connection(`${dataDir}/strongroom.db`, { readOnly: false });
}

/** Adds rows that a server has only at times. */
function addRareRows(dataDir: string): void {
  using database = openDatabase(dataDir);
  database.script(`
    INSERT INTO accepted_losses VALUES ('${"0".repeat(32)}');
    INSERT INTO scan_attempts VALUES ('${"1".repeat(32)}', 7, 'n', '[]', 2);
    INSERT INTO facts VALUES ('${"1".repeat(32)}', 7, 'é', 1, zeroblob(32), '{"license":"é"}');
    INSERT INTO tensor_lists VALUES
      ('${"1".repeat(32)}', 7, 'é', 1, zeroblob(32), 'gguf', 'é', '["é","F32",[1],4,null]'),
      ('${"1".repeat(32)}', 7, 'n', 1, zeroblob(32), 'gguf', NULL, '');
    INSERT INTO scan_failures VALUES ('${"1".repeat(32)}', 7, 'é', 'it failed', 5);
    INSERT INTO scans (id, user_id, status, paths, paths_total, skip, created_at, files_total, bytes_total)
      VALUES (70, 7, 'queued', '["x"]', 1, '[]', 5, 1, 1);
    INSERT INTO scan_paths VALUES (70, '["x", "y"]');
    INSERT INTO scan_files (scan_id, user_id, path, name, hash, size)
      VALUES (70, 7, 'x', 'x', '${"2".repeat(32)}', 1);
    INSERT INTO uploads (id, user_id, created_by, path, size, received, sha256, on_conflict,
      metadata, created_at, expires_at, completed_at) VALUES ('${
    "3".repeat(32)
  }', 7, 7, 'small.txt', 5, 5, NULL, 'error', '', 1, 2, 3);
    INSERT INTO properties SELECT id, 'urn:é', 'color', '<color xmlns="urn:é">x</color>' FROM records;
    INSERT INTO s3_objects SELECT id, hash, 'etag-2', '{"metadata":{"é":"x"}}' FROM records WHERE hash <> '';
    INSERT INTO user_revocations (user_id, issued_before) VALUES (9, 1000);
    UPDATE people SET issuer = 'https://login.example', subject = 'é' WHERE number = 7;
    UPDATE credentials SET bound = 1 WHERE label = 'nightly';
    INSERT INTO mirror_revisions VALUES
      (70, 'models', 'ns/é', '${"4".repeat(40)}', '{"tags":["é"]}', 1, 5, 1, 7, 2, 0),
      (71, 'datasets', 'ns/b', '${"5".repeat(40)}', '{}', NULL, 0, 1, 7, NULL, NULL);
    INSERT INTO mirror_names VALUES ('models', 'ns/é', 'main', '${"4".repeat(40)}', 5);
    INSERT INTO mirror_entries VALUES
      (70, 'é', '', 1, 0, 'id', NULL, NULL, NULL, NULL, NULL),
      (70, 'é/b', 'é', 0, 5, 'id', '${"6".repeat(64)}', 4, 1, 2, 3);
    INSERT INTO passkeys VALUES ('id', 7, x'00ff', 3, '["usb"]', 'é', 5, NULL);
    UPDATE storage_state SET scrub_started_at = 12, scrubbed_to = 'ab', hub_key = zeroblob(32);`);
}

/** Servers of another version have scanned the same content, earlier. */
async function addOlderResults({ options: { database } }: Strongroom): Promise<void> {
  if (database === undefined) return;
  await using opened = await Database.open(database, { connections: 1 });
  const added = await opened.use("writes", (session) =>
    session.run(
      `INSERT INTO scan_results
         (hash, user_id, name, skip, version, sha256, verdict, findings, scanned_at, took_ms,
         read_ms, result)
       SELECT hash, user_id, name, skip, 'older', sha256, verdict, findings, scanned_at - 1, took_ms,
         read_ms, result
       FROM scan_results WHERE version <> 'older'`,
    ));
  assert.ok(added > 0);
}

/** All rows of the tables that are carried, as this database has them. */
function dump(dataDir: string): Record<string, unknown[]> {
  using database = new DatabaseSync(`${dataDir}/strongroom.db`, { readOnly: true });
  const names = [...new Set([SMALL_CONTENTS, ...TABLES].map(({ name }) => name)), "usage"];
  const tables = names.map((name): [string, unknown[]] => {
    const rows = database.prepare(`SELECT * FROM ${name}`).all();
    const unfinished = (row: Record<string, unknown>) =>
      name === "uploads" && row.completed_at === null;
    return [name, rows.filter((row) => !unfinished(row)).map(shown).sort()];
  });
  const state = database.prepare(
    "SELECT strongroom_id, scrub_started_at, scrubbed_to, hex(hub_key), last_number FROM storage_state",
  ).all();
  const ids = database.prepare(
    "SELECT * FROM sqlite_sequence WHERE name IN ('records', 'scans', 'links', 'tags', 'waivers', 'mirror_revisions') ORDER BY name",
  ).all();
  return { ...Object.fromEntries(tables), state, ids };
}

/** A row as text, with a hash of bytes. */
function shown(row: Record<string, unknown>): string {
  const { object: _, ...values } = row;
  // Both say the same.
  if ("requested_by" in values) values.requested_by ??= values.user_id;
  return JSON.stringify(
    values,
    (_key, value) =>
      value instanceof Uint8Array ? createHash("md5").update(value).digest("hex") : value,
  );
}

/** What clients of a strongroom see. */
async function seen(room: Strongroom): Promise<unknown> {
  await using server = await serve(room);
  const trees = await Promise.all([7, 9].map(async (id) => seenBy(await server.as(id))));
  const admin = await server.admin();
  const lists = await Promise.all(
    ["/waivers/", "/scans/"].map(async (path) => dataOf(await admin.send("GET", path))),
  );
  return { trees, lists };
}

async function seenBy(client: Client): Promise<unknown> {
  const entries = items(await client.list({ recursive: "true" }));
  const contents = await Promise.all(
    entries.filter(({ is_dir }) => !is_dir).map(async ({ path }) => {
      const bytes = await client.bytes({ path });
      return [path, createHash("sha256").update(bytes).digest("hex")];
    }),
  );
  const history = await Promise.all(VERSIONS.map(async (at) => {
    const past = items(await client.list({ recursive: "true", at }));
    const sums = await client.send("GET", "/resources/checksums", { query: { path: "", at } });
    return [past, sums.text];
  }));
  const lists = await Promise.all(
    ["/links/", "/tokens/", "/tags/"].map(async (path) => dataOf(await client.send("GET", path))),
  );
  return { entries, contents, history, lists };
}

/** The strongrooms of a test, and what is removed at its end. */
async function rooms() {
  await using made = new AsyncDisposableStack();
  const directory = made.use(await TempDir.make());
  const database = made.use(await Postgres.start());
  const objects = S3Engine.isInstalled ? made.use(await S3Engine.start()) : undefined;
  const kept = made.move();
  let count = 0;
  return {
    async make(kind: { database?: boolean; objects?: boolean } = {}): Promise<Strongroom> {
      return {
        dataDir: `${directory.path}/${++count}`,
        options: {
          database: kind.database
            ? databaseAddress(await database.createEmptyDatabase())
            : undefined,
          content: kind.objects && objects !== undefined ? objects.content() : undefined,
        },
      };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const ignore = !Postgres.isInstalled;

Deno.test({
  name: "C 23 a strongroom goes from engine to engine and back, and loses nothing",
  ignore,
  async fn(t) {
    await using all = await rooms();
    const first = await all.make();
    await fill(first);
    const expected = await seen(first);
    addRareRows(first.dataDir);
    const rows = dump(first.dataDir);
    for (const [name, found] of Object.entries(rows)) assert.ok(found.length > 0, name);
    let last = first;
    const kinds = [
      ["PostgreSQL", { database: true }],
      ["PostgreSQL with an object store", { database: true, objects: true }],
      ["an object store", { objects: true }],
      ["a data directory", {}],
    ] as const;
    for (const [name, kind] of kinds) {
      await t.step(name, async () => {
        const next = await all.make(kind);
        const seconds: number[] = [];
        const { findings, contents, leftBehind } = await migrate(last, next, (done, total) => {
          assert.ok(done.files <= total.files && done.bytes <= total.bytes);
          seconds.push(done.bytes);
        });
        assert.deepEqual(findings.listed, []);
        assert.deepEqual([contents.files, seconds.at(-1)], [8, contents.bytes]);
        assert.deepEqual(leftBehind, { uploads: last === first ? 1 : 0, waiting: 0 });
        last = next;
        if ("database" in kind) await addOlderResults(next);
      });
    }
    assert.deepEqual(dump(last.dataDir), rows);
    {
      using database = openDatabase(last.dataDir);
      database.script("DELETE FROM scans WHERE id = 70");
    }
    assert.deepEqual(await seen(last), expected);
  },
});

Deno.test({
  name: "C 26 versions that large changes of PostgreSQL made go along as those of other changes",
  ignore,
  async fn() {
    await using all = await rooms();
    const [first, from, to] = [
      await all.make(),
      await all.make({ database: true }),
      await all.make(),
    ];
    await fill(first);
    await migrate(first, from, () => {});
    assert.ok(from.options.database);
    const listed = async (store: Pick<RecordStore, "history">, version: number) => {
      const past = await store.history.at(7, { version });
      const found: string[] = [];
      const scope = { userId: 7, everyone: false };
      const query = { scope, recursive: true, directories: [], chain: [] };
      for await (const records of past.list(query)) {
        found.push(...records.map(({ id, path, hash }) => `${id} ${path} ${hash}`));
      }
      return found;
    };
    const expected: string[][] = [];
    {
      await using store = await PostgresResourceStore.open(from.options.database, {
        temporaryDirectory: "/tmp",
        maxDirectRecords: 2,
      });
      const own = { userId: 7, everyone: false };
      for (const [path, target] of [["late", "later"], ["later", "at last"]] as const) {
        const source = (await store.findByPath(own, [path])).get(path);
        assert.ok(source);
        await store.write((it) => it.moveSubtrees([{ source, target }], 2), { isLocal: true });
      }
      const row = await store.database.get(
        "SELECT count(*) AS large FROM tree_changes WHERE change > 0",
      );
      assert.equal(Number(row?.large), 2);
      const last = await store.database.get("SELECT version FROM tree_versions WHERE user_id = 7");
      for (let version = 0; version <= Number(last?.version); version++) {
        expected.push(await listed(store, version));
      }
    }
    assert.equal((await migrate(from, to, () => {})).findings.found, 0);
    await using storage = await Storage.open(to.dataDir, to.options);
    for (const [version, paths] of expected.entries()) {
      assert.deepEqual(await listed(storage.records, version), paths, `version ${version}`);
    }
    assert.ok(expected.length > 5);
  },
});

Deno.test({
  name: "C 23 ids go on after those of the source",
  ignore,
  async fn() {
    await using all = await rooms();
    const [from, to] = [await all.make(), await all.make({ database: true })];
    await fill(from);
    await migrate(from, to, () => {});
    await using rowsOfSource = await openRows(from);
    const { lastIds } = await rowsOfSource.state();
    await using server = await serve(to);
    const user = await server.as(7);
    const [entry] = items(await user.upload("", { "new.txt": "new" }));
    assert.equal(entry?.id, (lastIds.get("records") ?? 0) + 1);
    assert.equal((await linkTo(user, "new.txt")).id, (lastIds.get("links") ?? 0) + 1);
  },
});

Deno.test({
  name:
    "C 23 damaged and missing content of the source is named, and keeps the target from being served",
  ignore,
  async fn() {
    await using all = await rooms();
    const [from, to] = [await all.make(), await all.make({ database: true })];
    await fill(from);
    const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");
    const large = blobFile(from.dataDir, md5(LARGE));
    const bytes = await Deno.readFile(large);
    await Deno.writeFile(large, bytes.with(5_000_000, bytes[5_000_000]! ^ 1));
    const middle = blobFile(from.dataDir, md5(noise(300_000, 2)));
    await Deno.rename(middle, `${middle}.away`);
    {
      using database = openDatabase(from.dataDir);
      database.script("UPDATE contents SET bytes = CAST('smaLL' AS BLOB) WHERE size = 5");
    }
    const { findings } = await migrate(from, to, () => {});
    assert.deepEqual(
      findings.listed.map(({ kind, path, user_id }) => `${kind} ${path} ${user_id}`).sort(),
      ["damaged late/deep/er/large.bin 7", "damaged small.txt 7", "missing middle.bin 7"],
    );
    const unfinished = /being migrated.*run strongroom migrate again/s;
    await assert.rejects(Storage.open(to.dataDir, to.options), unfinished);
    const elsewhere = await all.make();
    await assert.rejects(Storage.open(elsewhere.dataDir, to.options), unfinished);
    await Deno.writeFile(large, bytes);
    await Deno.rename(`${middle}.away`, middle);
    {
      using database = openDatabase(from.dataDir);
      database.script("UPDATE contents SET bytes = CAST('small' AS BLOB) WHERE size = 5");
    }
    assert.equal((await migrate(from, to, () => {})).findings.found, 0);
    assert.deepEqual(await seen(to), await seen(from));
  },
});

Deno.test({
  name: "C 23 a migration refuses a target that is not empty, and a source or target in use",
  ignore,
  async fn() {
    await using all = await rooms();
    const [from, to] = [await all.make(), await all.make({ database: true })];
    const run = (a: Strongroom, b: Strongroom) => migrate(a, b, () => {});
    await assert.rejects(run(from, to), /holds no strongroom.db: there is nothing to migrate/);
    await fill(from);
    {
      await using _server = await serve(from);
      await assert.rejects(run(from, to), /in use by process/);
    }
    await run(from, to);
    await assert.rejects(run(from, to), /not empty: it holds/);
    const sameDatabase = { ...await all.make(), options: to.options };
    await assert.rejects(run(from, sameDatabase), /database "test\d+" is not empty: \w+ has rows/);
    const back = await all.make();
    {
      await using _server = await serve(to);
      await assert.rejects(run(to, back), /in use/);
    }
    await run(to, back);
    assert.deepEqual(await seen(back), await seen(from));
  },
});

Deno.test({
  name: "C 23 no server starts over the source of a migration before it has ended",
  ignore,
  async fn() {
    await using all = await rooms();
    const [first, from, to] = [
      await all.make(),
      await all.make({ database: true }),
      await all.make(),
    ];
    await fill(first);
    await migrate(first, from, () => {});
    const address = from.options.database;
    assert.ok(address !== undefined);
    let starting: Promise<Database> | undefined;
    await migrate(from, to, () => {
      starting ??= Database.open(address).then(async (database) => {
        assert.equal(await orMissing(Deno.lstat(migratingPath(to.dataDir))), undefined);
        return database;
      });
    });
    await using database = await starting;
    assert.ok(database !== undefined);
    await using _own = await ServerLease.take(database, "own");
    await using _other = await ServerLease.take(database, "other");
    await assert.rejects(holdDatabase(address), /is in use by 1 server,/);
  },
});
