import type { CollectedFile, CollectionRoots, ResourceRecord } from "../../core/ports.ts";
import { Connection, type Parameters } from "./connection.ts";

/** How many files a page holds. */
const PAGE_FILES = 500;

/**
 * Files collected into a temporary table of SQLite, which keeps them in a file that it removes: a
 * collection of millions takes no memory, and one that is read slowly holds up nobody, since it
 * needs the records only while it is made.
 */
export class Collection implements Disposable {
  readonly #connection: Connection;

  constructor(path: string, roots: CollectionRoots) {
    this.#connection = new Connection(path, { readOnly: true });
    try {
      this.#fill(roots);
    } catch (error) {
      this.#connection[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * A path at which two different records were collected: two files, one of them found by its id, or
   * a file and a directory, which no archive can hold together (RS 4.7.5).
   */
  sharedPath(roots: CollectionRoots): string | undefined {
    const shared = this.#path("SELECT path FROM temp.collected WHERE shared = 1 LIMIT 1");
    const owners = new Set([...roots.byPath, ...roots.byId].map(({ userId }) => userId));
    // One owner has no file with something below it (C 5.2).
    if (shared !== undefined || owners.size === 1) return shared;
    const below = "path > file.path || '/' AND path < file.path || '0'";
    const directories = roots.byId.filter(({ isDir }) => isDir).map(({ path }) => path);
    return this.#path(
      `SELECT path FROM temp.collected AS file
       WHERE path IN (SELECT value FROM json_each(:directories))
         OR EXISTS (SELECT 1 FROM temp.collected WHERE ${below}) LIMIT 1`,
      { directories: JSON.stringify(directories) },
    );
  }

  /** The first files behind the path `after`, in path order. */
  page(after: string): CollectedFile[] {
    const rows = this.#connection.all(
      `SELECT path, hash, size, crc32, updated_at, packed_size FROM temp.collected
       WHERE path > :after ORDER BY path LIMIT ${PAGE_FILES}`,
      { after },
    );
    return rows.map((row) => ({
      path: String(row.path),
      hash: String(row.hash),
      size: Number(row.size),
      crc32: Number(row.crc32),
      updatedAt: Number(row.updated_at),
      packedSize: row.packed_size === null ? null : Number(row.packed_size),
    }));
  }

  setPackedSize(path: string, bytes: number): void {
    this.#connection.run(
      "UPDATE temp.collected SET packed_size = :bytes WHERE path = :path",
      { path, bytes },
    );
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  #path(sql: string, parameters: Parameters = {}): string | undefined {
    const row = this.#connection.get(sql, parameters);
    return row === undefined ? undefined : String(row.path);
  }

  #fill(roots: CollectionRoots): void {
    this.#connection.script(`
      CREATE TEMP TABLE collected (
        path TEXT PRIMARY KEY,
        id INTEGER NOT NULL,
        user_id INTEGER NOT NULL,
        hash TEXT NOT NULL,
        size INTEGER NOT NULL,
        crc32 INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        shared INTEGER NOT NULL DEFAULT 0,
        packed_size INTEGER
      ) STRICT, WITHOUT ROWID;
      BEGIN;
    `);
    for (const root of roots.byPath) this.#collect(root, PREFER_OWN, { user: roots.userId });
    for (const root of roots.byId) this.#collect(root, NOTE_SHARED, {});
    this.#connection.script("COMMIT");
  }

  /** Adds the file, or all files below the directory; `onConflict` says which of two at a path stays. */
  #collect(root: ResourceRecord, onConflict: string, parameters: Parameters): void {
    const files = root.isDir ? "path > :path || '/' AND path < :path || '0'" : "path = :path";
    this.#connection.run(
      `INSERT INTO temp.collected (path, id, user_id, hash, size, crc32, updated_at)
       SELECT path, id, user_id, hash, size, crc32, updated_at FROM main.records
       WHERE user_id = :owner AND is_dir = 0 AND ${files}
       ON CONFLICT (path) DO UPDATE SET ${onConflict}`,
      { ...parameters, owner: root.userId, path: root.path },
    );
  }
}

/** RS 4.7.5: of two found by path the caller's own stays, else the one that RS 1.4 prefers. */
const PREFER_OWN = `
  (id, user_id, hash, size, crc32, updated_at) = (
    excluded.id, excluded.user_id, excluded.hash, excluded.size, excluded.crc32, excluded.updated_at
  )
  WHERE (excluded.user_id = :user, excluded.updated_at, -excluded.id)
    > (collected.user_id = :user, collected.updated_at, -collected.id)`;

/** RS 4.7.5: the same record twice is one, a different one found by id is refused. */
const NOTE_SHARED = "shared = 1 WHERE collected.id <> excluded.id";
