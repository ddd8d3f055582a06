import type { Chunk } from "../../core/content.ts";
import type { ContentRow, FoundContents } from "../../core/content_changes.ts";
import { forgedMd5 } from "../content/forged_md5.ts";
import { md5 } from "../content/md5.ts";
import { toBytes } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { beginLeaving, endArrival } from "./objects.ts";

/** More free pages than this are returned to the file system after a removal. */
const MAX_FREE_PAGES = 4096;

/** {@link ContentChanges.put} */
export function putContents(
  connection: Connection,
  contents: readonly ContentRow[],
  now: number,
): FoundContents {
  const inFiles = new Set<string>();
  const damaged = new Map<string, string>();
  for (const content of contents) {
    const { hash, size, crc32, sha256, bytes = null, object = null } = content;
    if (object !== null) endArrival(connection, object);
    const added = connection.run(
      `INSERT INTO contents (hash, size, crc32, sha256, created_at, bytes, object)
       VALUES (:hash, :size, :crc32, :sha256, :now, :bytes, :object) ON CONFLICT DO NOTHING`,
      { hash, size, crc32, sha256, now, bytes, object },
    );
    if (added > 0) continue;
    const stored = bytesOf(connection, hash);
    if (stored === undefined) {
      if (replaceObject(connection, content)) continue;
      addSha256(connection, content);
      if (bytes !== null) inFiles.add(hash);
      else if (content.isNew === true) replaceContent(connection, content);
    } else if (bytes === null || !isEqual(stored, bytes)) {
      const found = md5(stored);
      if (found === hash) throw forgedMd5(hash);
      damaged.set(hash, found);
      replaceContent(connection, content);
    }
  }
  return { inFiles, damaged };
}

/** Adds rows of contents whose files are to come. Those that have a row keep it as it is. */
export function announceContents(
  connection: Connection,
  contents: readonly ContentRow[],
  now: number,
): void {
  for (const { hash, size, crc32, sha256 } of contents) {
    connection.run(
      `INSERT INTO contents (hash, size, crc32, sha256, created_at)
       VALUES (:hash, :size, :crc32, :sha256, :now) ON CONFLICT DO NOTHING`,
      { hash, size, crc32, sha256, now },
    );
  }
}

/**
 * Replaces the object of content by the one that has just been received: if the former one is damaged or
 * lost, that repairs it. Returns false if the content is in no object.
 *
 * @throws {AppError} `ErrResourcesInvalidData` when the object holds other content.
 */
function replaceObject(
  connection: Connection,
  { hash, size, sha256, object }: ContentRow,
): boolean {
  const former = connection.get(
    `SELECT object, size = :size AND ifnull(sha256, :sha256) = :sha256 AS same
     FROM contents WHERE hash = :hash AND object IS NOT NULL`,
    { hash, size, sha256 },
  );
  if (former === undefined) return false;
  if (former.same !== 1 || object === undefined) throw forgedMd5(hash);
  connection.run("UPDATE contents SET object = :object WHERE hash = :hash", { hash, object });
  beginLeaving(connection, String(former.object));
  return true;
}

/** Adds the SHA-256 of content that was stored before it was kept. */
function addSha256(connection: Connection, { hash, sha256 }: ContentRow): void {
  connection.run(
    "UPDATE contents SET sha256 = :sha256 WHERE hash = :hash AND sha256 IS NULL",
    { hash, sha256 },
  );
}

/** Replaces what is stored under a hash. */
export function replaceContent(connection: Connection, content: ContentRow): void {
  const { hash, size, crc32, sha256, bytes = null, object = null } = content;
  connection.run(
    `UPDATE contents SET size = :size, crc32 = :crc32, bytes = :bytes, sha256 = :sha256,
       object = :object, created_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
     WHERE hash = :hash`,
    { hash, size, crc32, sha256, bytes, object },
  );
}

/** Removes contents, and returns most of the space that they took to the file system. */
export function removeContents(connection: Connection, hashes: readonly string[]): void {
  const removed = connection.all(
    `DELETE FROM contents WHERE hash IN (SELECT value FROM json_each(:hashes))
     RETURNING object`,
    { hashes: JSON.stringify(hashes) },
  );
  for (const { object } of removed) {
    if (typeof object === "string") beginLeaving(connection, object);
  }
  const free = Number(connection.get("PRAGMA freelist_count")?.freelist_count);
  // Has no effect on a database that was created without `auto_vacuum`: that reuses its free pages.
  if (free > MAX_FREE_PAGES) {
    // Each step returns one page, and `script` makes one step only.
    connection.all(`PRAGMA incremental_vacuum(${free - MAX_FREE_PAGES})`);
  }
}

/** The bytes of content, or undefined if it is in no row or in a file. */
export function bytesOf(connection: Connection, hash: string): Chunk | undefined {
  const row = connection.get(
    "SELECT bytes FROM contents WHERE hash = :hash AND bytes IS NOT NULL",
    { hash },
  );
  return row && toBytes(row.bytes);
}

/** The bytes of those contents that are not in files, by hash. */
export function bytesOfAll(connection: Connection, hashes: readonly string[]): Map<string, Chunk> {
  const rows = connection.all(
    `SELECT hash, bytes FROM json_each(:hashes) h CROSS JOIN contents ON hash = h.value
     WHERE bytes IS NOT NULL`,
    { hashes: JSON.stringify(hashes) },
  );
  const found = new Map<string, Chunk>();
  for (const row of rows) {
    const bytes = toBytes(row.bytes);
    if (bytes !== undefined) found.set(String(row.hash), bytes);
  }
  return found;
}

/** The sizes of those contents that are not in files, by hash. Reads no content. */
export function sizesOf(connection: Connection, hashes: readonly string[]): Map<string, number> {
  const rows = connection.all(
    `SELECT hash, length(bytes) AS size FROM json_each(:hashes) h CROSS JOIN contents
     ON hash = h.value WHERE bytes IS NOT NULL`,
    { hashes: JSON.stringify(hashes) },
  );
  return new Map(rows.map(({ hash, size }) => [String(hash), Number(size)]));
}

/** The hashes with a prefix whose content is not in a file. */
export function smallHashes(connection: Connection, prefix: string): string[] {
  return connection.all(
    `SELECT hash FROM contents
     WHERE hash >= :prefix AND hash < :prefix || 'g' AND bytes IS NOT NULL`,
    { prefix },
  ).map(({ hash }) => String(hash));
}

function isEqual(stored: Uint8Array, received: Uint8Array): boolean {
  return stored.length === received.length && stored.every((byte, at) => byte === received[at]);
}
