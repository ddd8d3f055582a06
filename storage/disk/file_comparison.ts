import { DatabaseSync, type StatementSync } from "node:sqlite";
import * as v from "valibot";

/** What a transfer copies from, and what it copies to. */
export type Side = "source" | "target";

/** A file or directory of one side. */
export interface ListedFile {
  /** Below the directory that the transfer copies to. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** Bytes; -1 if unknown. */
  readonly size: number;
  /** In lower-case hex. */
  readonly sha256?: string | undefined;
}

/** How many files there are, and their bytes. */
export interface FileTotals {
  readonly files: number;
  readonly bytes: number;
}

/** How many rows are read at a time. */
const PAGE_ROWS = 500;

const Row = v.object({
  path: v.string(),
  is_dir: v.number(),
  size: v.number(),
  sha256: v.nullable(v.string()),
});
const Totals = v.object({ files: v.number(), bytes: v.nullable(v.number()) });

const TargetCounts = v.object({ surplus: v.number(), all: v.number() });

/** Both have a file of this size, and the content of one is unknown. */
const MAY_BE_EQUAL = `NOT s.is_dir AND t.is_dir = 0 AND (s.size = t.size OR -1 IN (s.size, t.size))
  AND (s.sha256 IS NULL) <> (t.sha256 IS NULL)`;
const IS_EQUAL = "NOT s.is_dir AND t.is_dir = 0 AND s.sha256 IS NOT NULL AND s.sha256 = t.sha256";
const OTHER_KIND = "s.is_dir <> t.is_dir";
const IS_SURPLUS = `(s.path IS NULL OR ${OTHER_KIND})`;

/** Rows of the source with what the target has at their paths. */
const CONDITIONS = {
  uncompared: MAY_BE_EQUAL,
  equal: IS_EQUAL,
  missing: "NOT s.is_dir AND t.path IS NULL",
  changed: `NOT s.is_dir AND t.is_dir = 0 AND NOT coalesce(${IS_EQUAL}, 0)`,
  /** Those that have nothing in them. */
  missingDirectories: `s.is_dir AND t.path IS NULL AND NOT EXISTS
    (SELECT 1 FROM source i WHERE i.path > s.path || '/' AND i.path < s.path || '0')`,
  otherKind: OTHER_KIND,
} as const;

/** What is asked of a {@link FileComparison}. */
export type Difference = keyof typeof CONDITIONS;

/**
 * Compares the files of two sides, however many there are: the lists are in a temporary file, which
 * SQLite deletes as soon as it has opened it.
 * See docs/design/transfers.md.
 */
export class FileComparison implements Disposable {
  readonly #database = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();

  constructor() {
    this.#database.exec("PRAGMA temp_store = FILE");
    for (const side of ["source", "target"]) {
      this.#database.exec(
        `CREATE TEMP TABLE ${side} (path TEXT PRIMARY KEY, is_dir INTEGER NOT NULL,
        size INTEGER NOT NULL, sha256 TEXT) WITHOUT ROWID`,
      );
    }
  }

  /** Adds files to a side. One that is there already is replaced. */
  add(side: Side, files: Iterable<ListedFile>): void {
    const insert = this.#database.prepare(`INSERT OR REPLACE INTO ${side} VALUES (?, ?, ?, ?)`);
    this.#database.exec("BEGIN");
    for (const { path, isDirectory, size, sha256 } of files) {
      insert.run(path, Number(isDirectory), size, sha256 ?? null);
    }
    this.#database.exec("COMMIT");
  }

  /** Adds the content of files to a side. One that is not there yet is added with an unknown size. */
  addContents(
    side: Side,
    files: Iterable<{ readonly path: string; readonly sha256: string }>,
  ): void {
    const upsert = this.#database.prepare(`INSERT INTO ${side} VALUES (?, 0, -1, ?)
      ON CONFLICT (path) DO UPDATE SET sha256 = excluded.sha256`);
    this.#database.exec("BEGIN");
    for (const { path, sha256 } of files) upsert.run(path, sha256);
    this.#database.exec("COMMIT");
  }

  /** Takes files off a list whose content is unknown. */
  removeUnknown(side: Side): void {
    this.#database.exec(`DELETE FROM ${side} WHERE NOT is_dir AND sha256 IS NULL`);
  }

  /** Whether a side has neither files nor directories. */
  isEmpty(side: Side): boolean {
    return this.#database.prepare(`SELECT 1 FROM ${side} LIMIT 1`).get() === undefined;
  }

  /** Sets what the content of a file is. */
  setSha256(side: Side, path: string, sha256: string): void {
    this.#prepared(`UPDATE ${side} SET sha256 = ? WHERE path = ?`).run(sha256, path);
  }

  /** Takes a file off a list. */
  remove(side: Side, path: string): void {
    this.#database.prepare(`DELETE FROM ${side} WHERE path = ?`).run(path);
  }

  /** The entries of the source that differ so, ordered by path. */
  differences(difference: Difference): Generator<ListedFile> {
    return this.#pages(`SELECT s.* FROM source s LEFT JOIN target t USING (path)
      WHERE ${CONDITIONS[difference]} AND s.path > ? ORDER BY s.path LIMIT ${PAGE_ROWS}`);
  }

  /** The number of {@link differences}, and their bytes. */
  totals(difference: Difference): FileTotals {
    const row = this.#database.prepare(
      `SELECT count(*) AS files, sum(max(s.size, 0)) AS bytes FROM source s
      LEFT JOIN target t USING (path) WHERE ${CONDITIONS[difference]}`,
    ).get();
    const { files, bytes } = v.parse(Totals, row);
    return { files, bytes: bytes ?? 0 };
  }

  /** The entries of the target that the source lacks, or has another kind of, each before what it is in. */
  surplus(): Generator<ListedFile> {
    return this.#pages(
      `SELECT t.* FROM target t LEFT JOIN source s USING (path)
      WHERE ${IS_SURPLUS} AND t.path < ? ORDER BY t.path DESC LIMIT ${PAGE_ROWS}`,
      "\u{10ffff}",
    );
  }

  /** How many entries the target has, and how many of them are {@link surplus}. */
  countTarget(): { readonly surplus: number; readonly all: number } {
    const row = this.#database.prepare(
      `SELECT count(*) AS "all", count(*) FILTER (WHERE ${IS_SURPLUS}) AS surplus
      FROM target t LEFT JOIN source s USING (path)`,
    ).get();
    return v.parse(TargetCounts, row);
  }

  /** Takes the {@link surplus} off the list. */
  removeSurplus(): void {
    this.#database.exec(`DELETE FROM target WHERE path IN
      (SELECT t.path FROM target t LEFT JOIN source s USING (path) WHERE ${IS_SURPLUS})`);
  }

  /** A statement that runs once for each of many files. */
  #prepared(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  *#pages(sql: string, start = ""): Generator<ListedFile> {
    const statement = this.#database.prepare(sql);
    for (let last = start;;) {
      const rows = statement.all(last).map((row) => v.parse(Row, row));
      for (const { path, is_dir, size, sha256 } of rows) {
        yield { path, isDirectory: is_dir !== 0, size, sha256: sha256 ?? undefined };
      }
      const end = rows.at(-1);
      if (end === undefined) return;
      last = end.path;
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
