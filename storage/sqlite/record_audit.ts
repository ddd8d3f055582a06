import type { ContentFacts } from "../../core/ports.ts";
import { ancestorsOf, nameOf, parentOf } from "../../core/paths.ts";
import { ChangeJournal, isChanging } from "./change_journal.ts";
import {
  type BrokenRecord,
  type BrokenRule,
  type ContentUse,
  MAX_AUDIT_ROWS,
  type RecordAudit,
} from "../tables/record_audit.ts";
import type { Dialect, SqlParameters, SqlRow } from "../tables/dialect.ts";
import { filesWhere, isUnreferenced } from "../tables/references.ts";
import type { AuditSource } from "../tables/object_audit.ts";
import { BROKEN } from "./broken_records.ts";
import { tablesWithBrokenChecks } from "./check_constraints.ts";
import { Connection } from "./connection.ts";
import { generationOf } from "./generation.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { quarantineContents } from "./objects.ts";
import { dialectOf, hasTable } from "./older_schema.ts";
import { STATEMENTS } from "./statements.ts";
import { SmallContentAudit } from "./small_content_audit.ts";
import type { ContentTotals } from "./snapshot.ts";

/** The first version of the schema that has SHA-256. */
const SHA256_VERSION = 8;
/** The first version of the schema that counts what each tree holds. */
const USAGE_VERSION = 10;

const COUNTED = `SELECT user_id, count(*) AS records, sum(1 - is_dir) AS files, sum(size) AS bytes
  FROM records GROUP BY user_id`;

/** The first version of the schema that has the id of the strongroom. */
const ID_VERSION = 7;
/** The version of the schema from which content may be in objects. */
const OBJECTS_VERSION = 21;

/** The tables whose rows state the size and CRC-32 of a content. */
const TABLES_OF_FACTS = ["records", "former_records", "history", "fresh_history", "tagged_records"];

const NAME = "records.id AS id, records.user_id AS user_id, records.path AS path";
/** Audits a SQLite file. Each call blocks the thread. */
export class SqliteRecordAudit implements RecordAudit, AuditSource, Disposable {
  readonly dialect: Dialect;
  readonly #connection: Connection;
  /** The content in the same database. */
  readonly small: SmallContentAudit;

  /**
   * @param repair Whether to write. Nobody else may use the database then.
   * @throws {Error} when the schema is newer than this program.
   */
  constructor(path: string, { repair }: { repair: boolean }) {
    this.#connection = new Connection(path, { readOnly: !repair });
    if (repair) {
      migrate(this.#connection);
      new ChangeJournal(this.#connection).recover();
    } else schemaVersion(this.#connection);
    this.dialect = dialectOf(this.#connection);
    this.small = new SmallContentAudit(this.#connection);
  }

  /** All that can keep SQLite from reading its own file. */
  isDamage(error: unknown): boolean {
    return error instanceof Error && "errcode" in error;
  }

  get generation(): number {
    return generationOf(this.#connection);
  }

  /** The id of the strongroom; undefined if an earlier version of the program wrote the database. */
  get strongroomId(): string | undefined {
    if (schemaVersion(this.#connection) < ID_VERSION) return undefined;
    return String(this.#connection.get("SELECT strongroom_id FROM storage_state")?.strongroom_id);
  }

  /** Whether there is content in an object store (C 23). */
  get hasObjects(): boolean {
    if (schemaVersion(this.#connection) < OBJECTS_VERSION) return false;
    return this.#connection.get(STATEMENTS.objects.inObjects) !== undefined;
  }

  /** What SQLite finds wrong with its own structures, and references between other tables. */
  damage(): string[] {
    const integrity = this.#connection.all("PRAGMA integrity_check")
      .map((row) => String(row.integrity_check))
      .filter((it) => !/^(ok$|CHECK constraint failed in )/.test(it));
    // The rules of {@link BROKEN} say which records these are, and reading contents which those.
    const checks = tablesWithBrokenChecks(
      this.#connection,
      (it) => !/^(records|contents)$/.test(it),
    )
      .map((table) => `CHECK constraint failed in ${table}`);
    const references = this.#connection.all("PRAGMA foreign_key_check")
      .filter((row) => row.table !== "records")
      .map((row) => `row ${row.rowid} of ${row.table} refers to a missing row of ${row.parent}`);
    return [...integrity, ...checks, ...references];
  }

  get records(): number {
    return Number(this.#connection.get("SELECT count(*) AS n FROM records")?.n);
  }

  broken(rule: BrokenRule, after: number): BrokenRecord[] {
    // Between the steps of a large change, directories of its users may be missing.
    const settled = isChanging(this.#connection)
      ? "user_id NOT IN (SELECT user_id FROM large_change)"
      : "TRUE";
    return this.#connection.all(
      `SELECT ${NAME} FROM records WHERE id > :after AND ${settled} AND (${BROKEN[rule]})
       ORDER BY id LIMIT ${MAX_AUDIT_ROWS}`,
      { after },
    ).map(toBroken);
  }

  contentsBelow(prefix: string): ContentUse[] {
    return this.#uses("hash >= :prefix AND hash < :prefix || 'g'", { prefix });
  }

  contentsOf(hashes: readonly string[]): ContentUse[] {
    const condition = "hash IN (SELECT value FROM json_each(:hashes))";
    return this.#uses(condition, { hashes: JSON.stringify(hashes) });
  }

  get totals(): ContentTotals {
    const row = this.#connection.get(
      `SELECT count(*) AS files, ifnull(sum(size), 0) AS bytes
       FROM (SELECT size FROM ${filesWhere(this.dialect, "TRUE")} GROUP BY hash)`,
    );
    return { files: Number(row?.files), bytes: Number(row?.bytes) };
  }

  miscounted(): number[] {
    if (schemaVersion(this.#connection) < USAGE_VERSION || isChanging(this.#connection)) return [];
    const rows = this.#connection.all(
      `SELECT user_id FROM (${COUNTED}) AS counted FULL JOIN usage USING (user_id)
       WHERE (ifnull(counted.records, 0), ifnull(counted.files, 0), ifnull(counted.bytes, 0))
         IS NOT (ifnull(usage.records, 0), ifnull(usage.files, 0), ifnull(usage.bytes, 0))
       LIMIT ${MAX_AUDIT_ROWS}`,
    );
    return rows.map((row) => Number(row.user_id));
  }

  recount(): void {
    this.#connection.script(
      `BEGIN IMMEDIATE; DELETE FROM usage;
       INSERT INTO usage (user_id, records, files, bytes) ${COUNTED}; COMMIT`,
    );
  }

  has({ id }: BrokenRecord, hash: string): boolean {
    const files = filesWhere(this.dialect, "id = :id AND hash = :hash");
    return this.#connection.get(`SELECT 1 FROM ${files}`, { id, hash }) !== undefined;
  }

  unreferenced(hashes: readonly string[]): string[] {
    return this.#connection.all(
      `SELECT value AS hash FROM json_each(:hashes) WHERE ${isUnreferenced(this.dialect, "value")}`,
      { hashes: JSON.stringify(hashes) },
    ).map((row) => String(row.hash));
  }

  /** A server remembers them, and removes them within a moment. */
  dropped(): string[] {
    return [];
  }

  indexedPaths(records: readonly BrokenRecord[]): Map<number, string> {
    if (records.length === 0) return new Map();
    const rows = this.#connection.all(
      `SELECT id, path FROM records INDEXED BY records_by_path
       WHERE path <> '' AND id IN (SELECT value FROM json_each(:ids))`,
      { ids: JSON.stringify(records.map(({ id }) => id)) },
    );
    return new Map(rows.map((row) => [Number(row.id), String(row.path)]));
  }

  correctPath({ id }: BrokenRecord, path: string): boolean {
    const row = this.#connection.get(
      `UPDATE records SET path = :path, parent = :parent, name = :name
       WHERE id = :id AND (path = :path OR (parent IS :parent AND name = :name))
       RETURNING 1`,
      { id, path, parent: parentOf(path) || null, name: nameOf(path) },
    );
    return row !== undefined;
  }

  rename({ id }: BrokenRecord, name: string): boolean {
    const row = this.#connection.get(
      `UPDATE records SET path = target.path || substr(records.path, 1 + length(source.path)),
         parent = CASE WHEN records.id = :id THEN records.parent
           ELSE target.path || substr(records.parent, 1 + length(source.path)) END,
         name = CASE WHEN records.id = :id THEN :name ELSE records.name END
       FROM records AS source, (
         SELECT ifnull(parent || '/', '') || :name AS path FROM records WHERE id = :id
       ) AS target
       WHERE source.id = :id AND records.user_id = source.user_id
         AND (records.path = source.path
           OR records.path > source.path || '/' AND records.path < source.path || '0')
         AND NOT EXISTS (
           SELECT 1 FROM records AS other
           WHERE other.user_id = source.user_id AND other.path = target.path
         )
       RETURNING 1`,
      { id, name },
    );
    return row !== undefined;
  }

  rebuildIndexes(): void {
    this.#connection.script("REINDEX");
  }

  addAncestors({ userId, path }: BrokenRecord, now: number): boolean {
    const ancestors = ancestorsOf(path);
    const rows = ancestors.map((it) => ({
      path: it,
      parent: parentOf(it) || null,
      name: nameOf(it),
    }));
    const parameters = { user: userId, now, rows: JSON.stringify(rows) };
    const file = this.#connection.get(
      `SELECT 1 FROM json_each(:rows) AS above JOIN records
         ON user_id = :user AND records.path = above.value ->> 'path' AND NOT is_dir`,
      { user: userId, rows: parameters.rows },
    );
    if (file !== undefined) return false;
    this.#connection.run(
      `INSERT INTO records
         (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
       SELECT :user, value ->> 'path', value ->> 'parent', value ->> 'name', '', 0, 0, 1, :now, :now
       FROM json_each(:rows) WHERE TRUE ON CONFLICT DO NOTHING`,
      parameters,
    );
    return true;
  }

  correctFacts({ hash, size, crc32 }: ContentFacts): void {
    for (const table of TABLES_OF_FACTS) {
      if (!this.hasTable(table)) continue;
      this.#connection.run(
        `UPDATE ${table} SET size = :size, crc32 = :crc32 WHERE hash = :hash AND hash <> ''`,
        { hash, size, crc32 },
      );
    }
  }

  quarantine(hashes: readonly string[]): void {
    this.#write(() => quarantineContents(this.#connection, hashes));
  }

  /** An earlier version of the program lacks some. */
  hasTable(name: string): boolean {
    return hasTable(this.#connection, name);
  }

  all(sql: string, parameters: SqlParameters): SqlRow[] {
    return this.#connection.all(sql, parameters);
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  #uses(condition: string, parameters: SqlParameters): ContentUse[] {
    const sha256 = schemaVersion(this.#connection) < SHA256_VERSION
      ? "NULL"
      : "(SELECT lower(hex(sha256)) FROM contents WHERE contents.hash = file.hash)";
    return this.#connection.all(
      `SELECT id, user_id, path, ${sha256} AS sha256, hash, size, crc32, min(id), count(*) AS records,
         min(size) = max(size) AND min(crc32) = max(crc32) AS agree
       FROM ${filesWhere(this.dialect, condition)} AS file GROUP BY hash`,
      parameters,
    ).map((row) => ({
      hash: String(row.hash),
      size: Number(row.size),
      crc32: Number(row.crc32),
      record: toBroken(row),
      // SQLite makes an empty text of NULL.
      sha256: row.sha256 ? String(row.sha256) : undefined,
      records: Number(row.records),
      agree: row.agree === 1,
    }));
  }

  #write(work: () => void): void {
    this.#connection.script("BEGIN IMMEDIATE");
    try {
      work();
      this.#connection.script("COMMIT");
    } catch (error) {
      this.#connection.script("ROLLBACK");
      throw error;
    }
  }
}

function toBroken(row: SqlRow): BrokenRecord {
  return { id: Number(row.id), userId: Number(row.user_id), path: String(row.path) };
}
