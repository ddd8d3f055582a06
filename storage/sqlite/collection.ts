import type { CollectedFile, CollectionRoots, ResourceRecord } from "../../core/ports.ts";
import { outermost } from "../../core/paths.ts";
import type { RefusedFile } from "../../core/verdicts.ts";
import type { SqlParameters } from "../tables/dialect.ts";
import { Connection } from "./connection.ts";
import { descendantOf } from "./subtree.ts";
import { SQLITE } from "./dialect.ts";
import { fillWithRoots } from "./past.ts";
import type { PastTree } from "../tables/history_store.ts";
import {
  refusalParameters,
  type RefusalQuery,
  refusedFiles,
  toRefused,
} from "../tables/verdict_statements.ts";

const REFUSED_FILES = refusedFiles(SQLITE, "temp.collected");

/** Number of files in a page. */
const PAGE_FILES = 500;

/**
 * Collects files into a temporary SQLite table, which SQLite keeps in a file that it deletes itself.
 * Memory use does not grow with the collection, and a slow reader blocks no other, as the records are
 * read only while the table is filled.
 */
export class Collection implements Disposable {
  readonly #connection: Connection;

  /** @param past Where the roots are. @default the present */
  constructor(path: string, roots: CollectionRoots, past?: PastTree) {
    this.#connection = new Connection(path, { readOnly: true });
    try {
      const records = [...roots.byPath, ...roots.byId];
      if (past !== undefined) fillWithRoots(this.#connection, past, records);
      this.#fill(roots);
    } catch (error) {
      this.#connection[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * A path at which an archive would need two entries (RS 4.7.5): two different records were
   * collected there, at least one of them by id, or a file and a directory.
   */
  sharedPath(roots: CollectionRoots): string | undefined {
    const shared = this.#firstPath("SELECT path FROM temp.collected WHERE shared = 1 LIMIT 1");
    const owners = new Set([...roots.byPath, ...roots.byId].map(({ userId }) => userId));
    // Within the records of one owner, a file has no descendants (C 5.2).
    if (shared !== undefined || owners.size === 1) return shared;
    const directories = roots.byId.filter(({ isDir }) => isDir).map(({ path }) => path);
    return this.#firstPath(
      `SELECT path FROM temp.collected AS file
       WHERE path IN (SELECT value FROM json_each(:directories))
         OR EXISTS (
           SELECT 1 FROM temp.collected WHERE ${descendantOf("path", "file.path")}
         ) LIMIT 1`,
      { directories: JSON.stringify(directories) },
    );
  }

  /**
   * The first files after the path `after`, in path order.
   *
   * @param onlyUnchecked Leaves out those whose content was in the database when they were collected.
   */
  page(after: string, onlyUnchecked: boolean): CollectedFile[] {
    const rows = this.#connection.all(
      `SELECT user_id, path, hash, size, crc32, updated_at, stored_at, packed_size
       FROM temp.collected
       WHERE path > :after ${onlyUnchecked ? "AND checked = 0" : ""}
       ORDER BY path LIMIT ${PAGE_FILES}`,
      { after },
    );
    return rows.map((row) => ({
      userId: Number(row.user_id),
      path: String(row.path),
      hash: String(row.hash),
      size: Number(row.size),
      crc32: Number(row.crc32),
      updatedAt: Number(row.updated_at),
      storedAt: row.stored_at === null ? null : Number(row.stored_at),
      packedSize: row.packed_size === null ? null : Number(row.packed_size),
    }));
  }

  setPackedSizes(sizes: ReadonlyMap<string, number>): void {
    this.#connection.script("BEGIN");
    for (const [path, bytes] of sizes) {
      this.#connection.run(
        "UPDATE temp.collected SET packed_size = :bytes WHERE path = :path",
        { path, bytes },
      );
    }
    this.#connection.script("COMMIT");
  }

  /** {@link FileCollection.refused} */
  refused(query: RefusalQuery): RefusedFile[] {
    // One snapshot for both statements.
    this.#connection.script("BEGIN");
    try {
      this.#connection.run(
        `UPDATE temp.collected SET stored_at = (
           SELECT created_at FROM contents WHERE contents.hash = collected.hash
         )`,
      );
      return this.#connection.all(REFUSED_FILES, refusalParameters(query)).map(toRefused);
    } finally {
      this.#connection.script("COMMIT");
    }
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  #firstPath(sql: string, parameters: SqlParameters = {}): string | undefined {
    const row = this.#connection.get(sql, parameters);
    return row === undefined ? undefined : String(row.path);
  }

  #fill(roots: CollectionRoots): void {
    this.#connection.script(`
      CREATE TEMP TABLE collected (
        path TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        id INTEGER NOT NULL,
        user_id INTEGER NOT NULL,
        hash TEXT NOT NULL,
        size INTEGER NOT NULL,
        crc32 INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        checked INTEGER NOT NULL,
        shared INTEGER NOT NULL DEFAULT 0,
        stored_at INTEGER,
        packed_size INTEGER
      ) STRICT, WITHOUT ROWID;
      BEGIN;
    `);
    for (const root of withoutNested(roots.byPath)) {
      this.#collect(root, PREFER_OWN, { user: roots.userId });
    }
    for (const root of withoutNested(roots.byId)) this.#collect(root, NOTE_SHARED, {});
    this.#connection.script("COMMIT");
  }

  /** Adds the file, or all files below the directory. `onConflict` resolves two files at one path. */
  #collect(root: ResourceRecord, onConflict: string, parameters: SqlParameters): void {
    const files = root.isDir ? descendantOf("path", ":path") : "path = :path";
    this.#connection.run(
      `INSERT INTO temp.collected (path, name, id, user_id, hash, size, crc32, updated_at, checked)
       SELECT path, name, id, user_id, hash, size, crc32, updated_at, EXISTS (
         SELECT 1 FROM main.contents AS content
         WHERE content.hash = records.hash AND content.size = records.size AND bytes IS NOT NULL
       )
       FROM records
       WHERE user_id = :owner AND is_dir = 0 AND ${files}
       ON CONFLICT (path) DO UPDATE SET ${onConflict}`,
      { ...parameters, owner: root.userId, path: root.path },
    );
  }
}

/** The records without those that are below another one of the same owner. */
function withoutNested(records: readonly ResourceRecord[]): ResourceRecord[] {
  const byOwner = Map.groupBy(records, ({ userId }) => userId);
  return [...byOwner.values()].flatMap((owned) => {
    const kept = new Set(outermost(owned.map(({ path }) => path)));
    return owned.filter(({ path }) => kept.has(path));
  });
}

/** RS 4.7.5: of two files found by path, keeps the caller's own, or else the one RS 1.4 prefers. */
const PREFER_OWN = `
  (id, user_id, hash, size, crc32, updated_at, checked) = (
    excluded.id, excluded.user_id, excluded.hash, excluded.size, excluded.crc32,
    excluded.updated_at, excluded.checked
  )
  WHERE (excluded.user_id = :user, excluded.updated_at, -excluded.id)
    > (collected.user_id = :user, collected.updated_at, -collected.id)`;

/** RS 4.7.5: a record collected twice counts once; a different record found by id is a conflict. */
const NOTE_SHARED = "shared = 1 WHERE collected.id <> excluded.id";
