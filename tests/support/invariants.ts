import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { ResourceRecord } from "../../core/ports.ts";
import { ancestorsOf, nameOf } from "../../core/paths.ts";
import { Connection } from "../../storage/database/connection.ts";
import { RECORD_COLUMNS, toRecord } from "../../storage/database/lookup.ts";
import { objectsOf } from "./engines.ts";
import type { TestServer } from "./server.ts";
import { openDatabase, storedContent, storedHashes } from "./stored_content.ts";

/** Checks the invariants of C 5 on the records and files of a server, and returns all records. */
export async function checkInvariants(server: TestServer): Promise<ResourceRecord[]> {
  const records = await allRecords(server);
  await server.tree.sweeper.finish();
  await checkFiles(server.dataDir, records);
  return records;
}

/** Checks the invariants of C 5 on the data directory of a server that does nothing right now. */
export async function checkDataDirectory(dataDir: string): Promise<void> {
  using connection = new Connection(`${dataDir}/strongroom.db`, { readOnly: true });
  const rows = connection.all(`SELECT ${RECORD_COLUMNS} FROM records`);
  await checkFiles(dataDir, rows.map(toRecord));
}

async function checkFiles(dataDir: string, records: readonly ResourceRecord[]): Promise<void> {
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
  const stored = new Set(await storedHashes(dataDir));
  const surplus = [...stored].filter((hash) => !sizes.has(hash));
  const missing = [...sizes.keys()].filter((hash) => !stored.has(hash));
  assert.deepEqual(
    { surplus, missing },
    { surplus: [], missing: [] },
    `C 5.4: surplus ${surplus}; missing ${missing}`,
  );
  for (const [hash, size] of sizes) {
    const content = await storedContent(dataDir, hash);
    assert.equal(content.length, size, "C 5.3");
    assert.equal(createHash("md5").update(content).digest("hex"), hash, "C 5.3");
  }
  assert.deepEqual(await temporaryFiles(dataDir), []);
  await checkObjects(dataDir);
}

/** Checks that the database knows all objects, and that each content has its own. */
async function checkObjects(dataDir: string): Promise<void> {
  const objects = new Set(await objectsOf(dataDir));
  using connection = openDatabase(dataDir);
  const keys = (sql: string) => connection.all(sql).map(({ key }) => String(key));
  const contents = keys("SELECT object AS key FROM contents WHERE object IS NOT NULL");
  assert.deepEqual(contents.filter((key) => !objects.has(key)), [], "C 23: objects are missing");
  const known = new Set([
    ...contents,
    ...keys("SELECT key FROM objects"),
    ...keys("SELECT object AS key FROM quarantine"),
  ]);
  assert.deepEqual([...objects].filter((key) => !known.has(key)), [], "C 23: unknown objects");
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
