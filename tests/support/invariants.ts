import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { ResourceRecord } from "../../core/ports.ts";
import { ancestorsOf, nameOf } from "../../core/paths.ts";
import { RECORD_COLUMNS, toRecord } from "../../storage/sqlite/lookup.ts";
import { contentOf, objectsOf } from "./engines.ts";
import { pastFaults } from "./past_faults.ts";
import type { TestServer } from "./server.ts";
import { contentsIn, hashesIn } from "./stored_content.ts";
import { openDatabase, type TestDatabase } from "./test_database.ts";
import { until } from "./until.ts";

/** Checks the invariants of C 5 on the records and files of a server, and returns all records. */
export async function checkInvariants(server: TestServer): Promise<ResourceRecord[]> {
  await using database = await openDatabase(server.dataDir);
  return await checkInvariantsIn(database, server);
}

/** {@link checkInvariants}, of a server whose database is open */
export async function checkInvariantsIn(
  database: TestDatabase,
  server: TestServer,
): Promise<ResourceRecord[]> {
  const records = await allRecords(server);
  await server.tree.sweeper.finish();
  await checkFiles(database, server.dataDir, records);
  return records;
}

/** Checks the invariants of C 5 on the data directory of a server that does nothing right now. */
export async function checkDataDirectory(dataDir: string): Promise<void> {
  await using database = await openDatabase(dataDir);
  const rows = await database.all(`SELECT ${RECORD_COLUMNS} FROM records`);
  await checkFiles(
    database,
    dataDir,
    rows.map((row) => toRecord({ ...row, hash: row.hash ?? "", is_dir: Number(row.is_dir) })),
  );
}

async function checkFiles(
  database: TestDatabase,
  dataDir: string,
  records: readonly ResourceRecord[],
): Promise<void> {
  const held = new Map(records.map((record) => [`${record.userId}:${record.path}`, record]));
  assert.equal(held.size, records.length, "C 5.1: duplicate path");
  for (const { userId, path, name, isDir, hash, size } of records) {
    assert.equal(name, nameOf(path), "C 5.1");
    assert.notEqual(path, "", "C 5.1");
    for (const ancestor of ancestorsOf(path)) {
      assert.equal(held.get(`${userId}:${ancestor}`)?.isDir, true, `C 5.2: ancestor of ${path}`);
    }
    if (isDir) assert.deepEqual([hash, size], ["", 0], "C 5.3");
    else assert.match(hash, /^[0-9a-f]{32}$/, "C 5.3");
  }
  const sizes = new Map(
    records.filter(({ isDir }) => !isDir).map(({ hash, size }) => [hash, size]),
  );
  const kept = await database.all(
    ["kept_files", "fresh_files", "tagged_records"].map((table) =>
      `SELECT hash, size FROM ${table} WHERE hash <> ''`
    ).join(" UNION ALL "),
  );
  for (const { hash, size } of kept) sizes.set(String(hash), Number(size));
  const stored = new Set(await hashesIn(database, dataDir));
  const surplus = [...stored].filter((hash) => !sizes.has(hash));
  const missing = [...sizes.keys()].filter((hash) => !stored.has(hash));
  assert.deepEqual(
    { surplus, missing },
    { surplus: [], missing: [] },
    `C 5.4: surplus ${surplus}; missing ${missing}`,
  );
  for await (const [hash, content] of contentsIn(database, dataDir, sizes.keys())) {
    assert.equal(content.length, sizes.get(hash), "C 5.3");
    assert.equal(createHash("md5").update(content).digest("hex"), hash, "C 5.3");
  }
  assert.deepEqual(await pastFaults(database), [], "C 26");
  assert.deepEqual(await temporaryFiles(dataDir), []);
  await checkObjects(database, dataDir);
}

/** Checks that the database knows all objects, and that each content has its own. */
async function checkObjects(database: TestDatabase, dataDir: string): Promise<void> {
  const objects = new Set(await objectsOf(dataDir));
  const rows = await database.all(
    `SELECT object AS key, 1 AS is_content FROM contents WHERE object IS NOT NULL
    UNION ALL SELECT key, 0 FROM objects
    UNION ALL SELECT object, 0 FROM upload_parts
    UNION ALL SELECT object, 0 FROM quarantine`,
  );
  const contents = rows.filter((row) => Number(row.is_content) === 1);
  const lost = contents.map(({ key }) => String(key)).filter((key) => !objects.has(key));
  assert.deepEqual(lost, [], "C 23: objects are missing");
  const known = new Set(rows.map(({ key }) => String(key)));
  assert.deepEqual([...objects].filter((key) => !known.has(key)), [], "C 23: unknown objects");
}

/** Checks that no object is kept for an upload: for a server that has replied to all of them. */
export async function checkNothingArrives(database: TestDatabase): Promise<void> {
  const keys = await database.all("SELECT key FROM objects WHERE state = 'arriving'");
  assert.deepEqual(keys, [], "C 23: objects of no upload");
}

/** Waits until no object is kept for an upload or commit, where the server has ended all requests. */
export async function untilNothingArrives(dataDir: string): Promise<void> {
  if (contentOf(dataDir) === undefined) return;
  await using database = await openDatabase(dataDir);
  const sql = "SELECT key FROM objects WHERE state = 'arriving' AND waiting IS NULL";
  await until(async () => await database.get(sql) === undefined);
}

/** Waits until the object store has the objects of content, and no others. */
export async function untilObjectsLeft(database: TestDatabase, dataDir: string): Promise<void> {
  await until(async () => {
    const rows = await database.all("SELECT object FROM contents WHERE object IS NOT NULL");
    return (await objectsOf(dataDir)).join() === rows.map(({ object }) => object).sort().join();
  });
}

/** All records of a user, or of all users. */
export async function allRecords(server: TestServer, userId?: number): Promise<ResourceRecord[]> {
  const batches = await Array.fromAsync(server.tree.records.list({
    scope: { userId: userId ?? 1, everyone: userId === undefined },
    recursive: true,
    directories: [],
    chain: [],
  }));
  return batches.flat();
}

/** The names of the files in `tmp/`. */
export async function temporaryFiles(dataDir: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(`${dataDir}/tmp`))).map(({ name }) => name);
}
