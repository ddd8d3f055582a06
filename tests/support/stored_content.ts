/** Stored content, as it is on the disk: in a file of its own, or in the database. */

import { Connection } from "../../storage/database/connection.ts";
import { orMissing } from "../../storage/disk/files.ts";
import { objectFile } from "./engines.ts";

/** Opens the database of a data directory beside its server, without its checks. */
export function openDatabase(dataDir: string): Connection {
  const connection = new Connection(`${dataDir}/strongroom.db`, { readOnly: false });
  connection.script("PRAGMA ignore_check_constraints = ON");
  return connection;
}

/** The path of content that is in a file. */
export function blobFile(dataDir: string, hash: string): string {
  return `${dataDir}/blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;
}

/** The path of content that is in a file, of the data directory or of the object store. */
export function contentFile(dataDir: string, hash: string): string {
  using database = openDatabase(dataDir);
  const row = database.get("SELECT object FROM contents WHERE hash = :hash", { hash });
  return typeof row?.object === "string" ? objectFile(row.object) : blobFile(dataDir, hash);
}

/** The hashes of all stored content, and the names of all foreign files in `blobs/`, sorted. */
export async function storedHashes(dataDir: string): Promise<string[]> {
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
  using database = openDatabase(dataDir);
  for (const { hash } of database.all("SELECT hash FROM contents")) hashes.add(String(hash));
  return [...hashes].sort();
}

/** Whether content is in the database. */
export function isInDatabase(dataDir: string, hash: string): boolean {
  using database = openDatabase(dataDir);
  const sql = "SELECT 1 FROM contents WHERE hash = :hash AND bytes IS NOT NULL";
  return database.get(sql, { hash }) !== undefined;
}

/** Reads stored content. */
export async function storedContent(dataDir: string, hash: string): Promise<Uint8Array> {
  using database = openDatabase(dataDir);
  const row = database.get("SELECT bytes, object FROM contents WHERE hash = :hash", { hash });
  if (row?.bytes instanceof Uint8Array) return row.bytes;
  if (typeof row?.object === "string") return await Deno.readFile(objectFile(row.object));
  return await Deno.readFile(blobFile(dataDir, hash));
}

/** Overwrites stored content, as a failing disk does. */
export async function overwriteContent(
  dataDir: string,
  hash: string,
  bytes: Uint8Array,
): Promise<void> {
  if (!isInDatabase(dataDir, hash)) {
    return await Deno.writeFile(contentFile(dataDir, hash), bytes);
  }
  using database = openDatabase(dataDir);
  database.run("UPDATE contents SET bytes = :bytes WHERE hash = :hash", { hash, bytes });
}

/** Removes stored content, and leaves its records. */
export async function loseContent(dataDir: string, hash: string): Promise<void> {
  if (!isInDatabase(dataDir, hash)) return await Deno.remove(contentFile(dataDir, hash));
  using database = openDatabase(dataDir);
  database.run("DELETE FROM contents WHERE hash = :hash", { hash });
}

/** Moves content from the database to a file, where all content was kept formerly. */
export async function moveToFile(dataDir: string, hash: string): Promise<void> {
  const bytes = await storedContent(dataDir, hash);
  const path = blobFile(dataDir, hash);
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeFile(path, bytes);
  using database = openDatabase(dataDir);
  database.run("UPDATE contents SET bytes = NULL WHERE hash = :hash", { hash });
}
