/** Stored content, as it is on the disk: in a file of its own, or in the database. */

import * as assert from "node:assert/strict";
import { orMissing } from "../../storage/disk/files.ts";
import type { SqlRow } from "../../storage/tables/dialect.ts";
import { IN_FILES, objectFile } from "./engines.ts";
import { openDatabase, type TestDatabase } from "./test_database.ts";

/** The path of content that is in a file. */
export function blobFile(dataDir: string, hash: string): string {
  return `${dataDir}/blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;
}

/** The path of content that is in a file, of the data directory or of the object store. */
export async function contentFile(dataDir: string, hash: string): Promise<string> {
  await using database = await openDatabase(dataDir);
  const row = await database.get("SELECT object FROM contents WHERE hash = :hash", { hash });
  return typeof row?.object === "string"
    ? objectFile(dataDir, row.object)
    : blobFile(dataDir, hash);
}

/** The hashes of all stored content, and the names of all foreign files in `blobs/`, sorted. */
export async function storedHashes(dataDir: string): Promise<string[]> {
  await using database = await openDatabase(dataDir);
  return await hashesIn(database, dataDir);
}

/** {@link storedHashes}, of a data directory whose database is open */
export async function hashesIn(database: TestDatabase, dataDir: string): Promise<string[]> {
  const hashes = new Set<string>();
  const walk = async (directory: string) => {
    // A server that runs removes directories that have become empty.
    const entries = await orMissing(Array.fromAsync(Deno.readDir(directory))) ?? [];
    for (const { name, isDirectory } of entries) {
      if (isDirectory) await walk(`${directory}/${name}`);
      else hashes.add(name);
    }
  };
  await walk(`${dataDir}/blobs`);
  for (const { hash } of await database.all("SELECT hash FROM contents")) hashes.add(String(hash));
  return [...hashes].sort();
}

/** Whether content is in the database. */
export async function isInDatabase(dataDir: string, hash: string): Promise<boolean> {
  await using database = await openDatabase(dataDir);
  const sql = "SELECT 1 FROM contents WHERE hash = :hash AND bytes IS NOT NULL";
  return await database.get(sql, { hash }) !== undefined;
}

/** Reads stored content. */
export async function storedContent(dataDir: string, hash: string): Promise<Uint8Array> {
  await using database = await openDatabase(dataDir);
  return await contentIn(database, dataDir, hash);
}

/** {@link storedContent}, of a data directory whose database is open */
export async function contentIn(
  database: TestDatabase,
  dataDir: string,
  hash: string,
): Promise<Uint8Array> {
  const row = await database.get("SELECT bytes, object FROM contents WHERE hash = :hash", { hash });
  return await bytesOf(dataDir, hash, row);
}

/** Reads stored content: by one statement for many hashes, as each waits for the database. */
export async function* contentsIn(
  database: TestDatabase,
  dataDir: string,
  hashes: Iterable<string>,
): AsyncGenerator<readonly [hash: string, content: Uint8Array]> {
  const left = [...hashes];
  while (left.length > 0) {
    const read = left.splice(0, MAX_HASHES);
    const rows = await database.all(
      `SELECT hash, bytes, object FROM contents WHERE hash IN (${read.map(literal).join()})`,
    );
    const found = new Map(rows.map((row) => [String(row.hash), row]));
    for (const hash of read) yield [hash, await bytesOf(dataDir, hash, found.get(hash))];
  }
}

/** Hashes that one statement of {@link contentsIn} asks for. Content in the database is small. */
const MAX_HASHES = 100;

function literal(hash: string): string {
  assert.match(hash, /^[0-9a-f]{32}$/);
  return `'${hash}'`;
}

/** The bytes that a row of `contents` has, or refers to. */
async function bytesOf(
  dataDir: string,
  hash: string,
  row: SqlRow | undefined,
): Promise<Uint8Array> {
  if (row?.bytes instanceof Uint8Array) return row.bytes;
  if (typeof row?.object === "string") return await Deno.readFile(objectFile(dataDir, row.object));
  return await Deno.readFile(blobFile(dataDir, hash));
}

/** Overwrites stored content, as a failing disk does. */
export async function overwriteContent(
  dataDir: string,
  hash: string,
  bytes: Uint8Array,
): Promise<void> {
  if (!await isInDatabase(dataDir, hash)) {
    return await Deno.writeFile(await contentFile(dataDir, hash), bytes);
  }
  await using database = await openDatabase(dataDir);
  await database.run("UPDATE contents SET bytes = :bytes WHERE hash = :hash", { hash, bytes });
}

/** Removes stored content, and leaves its records. */
export async function loseContent(dataDir: string, hash: string): Promise<void> {
  if (!await isInDatabase(dataDir, hash)) {
    return await Deno.remove(await contentFile(dataDir, hash));
  }
  await using database = await openDatabase(dataDir);
  await database.run("DELETE FROM contents WHERE hash = :hash", { hash });
}

/** Moves content from the database to a file, where all content was kept formerly. */
export async function moveToFile(dataDir: string, hash: string): Promise<void> {
  const bytes = await storedContent(dataDir, hash);
  const path = blobFile(dataDir, hash);
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeFile(path, bytes);
  await using database = await openDatabase(dataDir);
  await database.run("UPDATE contents SET bytes = NULL WHERE hash = :hash", { hash });
}

/** The ids of what is kept of unfinished uploads, and of content that waits for a commit. */
export async function waitingIn(dataDir: string): Promise<string[]> {
  if (IN_FILES) return await Array.fromAsync(Deno.readDir(`${dataDir}/uploads`), (it) => it.name);
  await using database = await openDatabase(dataDir);
  const rows = await database.all(
    `SELECT waiting AS id FROM objects WHERE waiting IS NOT NULL
     UNION ALL SELECT id FROM parked_contents
     UNION ALL SELECT id FROM uploads WHERE completed_at IS NULL`,
  );
  return rows.map(({ id }) => String(id));
}

/** The paths of large content that waits for a commit: files of the data directory or the object store. */
export async function waitingFiles(dataDir: string): Promise<string[]> {
  if (IN_FILES) return (await waitingIn(dataDir)).map((name) => `${dataDir}/uploads/${name}`);
  await using database = await openDatabase(dataDir);
  const rows = await database.all("SELECT key FROM objects WHERE waiting IS NOT NULL");
  return rows.map(({ key }) => objectFile(dataDir, String(key)));
}

/** What the quarantine has of a hash since today (C 22). */
export async function quarantinedContent(dataDir: string, hash: string): Promise<Uint8Array> {
  const day = new Date().toISOString().slice(0, 10);
  if (IN_FILES) return await Deno.readFile(`${dataDir}/quarantine/${day}/${hash}`);
  await using database = await openDatabase(dataDir);
  const sql = "SELECT bytes, object FROM quarantine WHERE hash = :hash";
  const row = await database.get(sql, { hash });
  if (row?.bytes instanceof Uint8Array) return row.bytes;
  return await Deno.readFile(objectFile(dataDir, String(row?.object)));
}
