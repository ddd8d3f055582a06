import type { ContentFacts } from "../../core/ports.ts";
import { ancestorsOf, nameOf, parentOf } from "../../core/paths.ts";
import {
  type BrokenRecord,
  type BrokenRule,
  type ContentUse,
  MAX_AUDIT_ROWS,
  type RecordAudit,
} from "../tables/record_audit.ts";
import { isUnnameable } from "../tables/dialect.ts";
import { filesWhere, isUnreferenced } from "../tables/references.ts";
import type { AuditSource } from "../tables/object_audit.ts";
import { unreferencedOf } from "./contents.ts";
import type { Database } from "./database.ts";
import { POSTGRES } from "./dialect.ts";
import { isDamage } from "./failures.ts";
import { isBelow, isPath } from "./path_conditions.ts";
import { quarantineContents } from "./quarantine.ts";
import type { Session, SqlParameters, SqlRow } from "./session.ts";

const NAME = "records.id AS id, records.user_id AS user_id, records.path AS path";

/** Conditions that no record fulfills (C 5.1 to C 5.3). Constraints keep them, as long as they are there. */
const BROKEN: Readonly<Record<BrokenRule, string>> = {
  path: `path IS DISTINCT FROM coalesce(parent || '/', '') || name OR name = ''
    OR strpos(name, '/') > 0 OR user_id <= 0`,
  name: isUnnameable(POSTGRES),
  directory: "is_dir AND (hash IS NOT NULL OR size <> 0 OR crc32 <> 0)",
  file: "NOT is_dir AND (hash IS NULL OR hash !~ '^[0-9a-f]{32}$' OR size < 0 OR crc32 < 0)",
  ancestor: `parent IS NOT NULL AND NOT EXISTS (
    SELECT FROM records AS above WHERE above.user_id = records.user_id
      AND ${isPath("above.path", "records.parent")} AND above.is_dir
  )`,
};

const COUNTED = `SELECT user_id, count(*) AS records, count(hash) AS files, sum(size) AS bytes
  FROM records GROUP BY user_id`;

/** What of the schema does not hold, such as after a restore that has failed in part. */
const UNSOUND: readonly (readonly [sql: string, what: string])[] = [
  [
    `SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE relnamespace = current_schema()::regnamespace AND NOT indisvalid ORDER BY 1`,
    "is not valid: REINDEX it",
  ],
  [
    `SELECT conrelid::regclass || '.' || conname FROM pg_constraint
     WHERE connamespace = current_schema()::regnamespace AND NOT convalidated ORDER BY 1`,
    "is not validated: VALIDATE it",
  ],
  [
    `SELECT tgrelid::regclass || '.' || tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE relnamespace = current_schema()::regnamespace AND tgenabled NOT IN ('O', 'A') ORDER BY 1`,
    "is disabled: ENABLE it",
  ],
  [
    `SELECT DISTINCT 'the path ' || to_json(path) || ' of user ' || user_id FROM records
     GROUP BY user_id, path HAVING count(*) > 1 LIMIT ${MAX_AUDIT_ROWS}`,
    "is that of several records",
  ],
];

/** Audits a database of PostgreSQL. What the engine can check and repair itself is left to it. */
export class PostgresRecordAudit implements RecordAudit, AuditSource {
  readonly dialect = POSTGRES;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  isDamage(error: unknown): boolean {
    return isDamage(error);
  }

  async damage(): Promise<string[]> {
    const found: string[] = [];
    for (const [sql, what] of UNSOUND) {
      for (const [name] of await this.#values(sql)) found.push(`${name} ${what}`);
    }
    return found;
  }

  get records(): Promise<number> {
    return this.#values("SELECT count(*) FROM records").then(([row]) => Number(row?.[0]));
  }

  get totals(): Promise<{ files: number; bytes: number }> {
    return this.#values(
      `SELECT count(*), coalesce(sum(size), 0)
       FROM (
         SELECT max(size) AS size FROM ${filesWhere(POSTGRES, "TRUE")} AS file GROUP BY hash
       ) AS stored`,
    ).then(([row]) => ({ files: Number(row?.[0]), bytes: Number(row?.[1]) }));
  }

  async broken(rule: BrokenRule, after: number): Promise<BrokenRecord[]> {
    const rows = await this.all(
      `SELECT ${NAME} FROM records WHERE id > :after::bigint AND (${BROKEN[rule]})
       ORDER BY id LIMIT ${MAX_AUDIT_ROWS}`,
      { after },
    );
    return rows.map(toBroken);
  }

  contentsBelow(prefix: string): Promise<ContentUse[]> {
    return this.#uses("hash >= :prefix::text AND hash < :prefix::text || 'g'", { prefix });
  }

  contentsOf(hashes: readonly string[]): Promise<ContentUse[]> {
    return this.#uses("hash = ANY (:hashes::text[])", { hashes });
  }

  async miscounted(): Promise<number[]> {
    const rows = await this.#values(
      `SELECT user_id FROM (${COUNTED}) AS counted FULL JOIN usage USING (user_id)
       WHERE (coalesce(counted.records, 0), coalesce(counted.files, 0), coalesce(counted.bytes, 0))
         <> (coalesce(usage.records, 0), coalesce(usage.files, 0), coalesce(usage.bytes, 0))
       LIMIT ${MAX_AUDIT_ROWS}`,
    );
    return rows.map(([userId]) => Number(userId));
  }

  async has({ id }: BrokenRecord, hash: string): Promise<boolean> {
    const files = filesWhere(POSTGRES, "id = :id::bigint AND hash = :hash::text");
    return (await this.#values(`SELECT 1 FROM ${files} AS file`, { id, hash })).length > 0;
  }

  unreferenced(hashes: readonly string[]): Promise<string[]> {
    return this.#hashes(
      `SELECT asked.hash FROM unnest(:hashes::text[]) AS asked (hash)
       WHERE ${isUnreferenced(POSTGRES, "asked.hash")}`,
      hashes,
    );
  }

  dropped(hashes: readonly string[]): Promise<string[]> {
    return this.#hashes(
      "SELECT DISTINCT hash FROM dropped WHERE hash = ANY (:hashes::text[])",
      hashes,
    );
  }

  async recount(): Promise<void> {
    await this.#write(async (session) => {
      await session.script("LOCK TABLE records IN SHARE MODE; DELETE FROM usage");
      await session.run(`INSERT INTO usage (user_id, records, files, bytes) ${COUNTED}`);
    });
  }

  /** Its constraints keep what a damaged table would show. */
  indexedPaths(): Map<number, string> {
    return new Map();
  }

  correctPath(): boolean {
    return false;
  }

  async rename({ id }: BrokenRecord, name: string): Promise<boolean> {
    const rows = await this.#values(
      `UPDATE records SET path = target.path || substr(records.path, 1 + length(source.path)),
         parent = CASE WHEN records.id = :id::bigint THEN records.parent
           ELSE target.path || substr(records.parent, 1 + length(source.path)) END,
         name = CASE WHEN records.id = :id::bigint THEN :name::text ELSE records.name END
       FROM records AS source, (
         SELECT coalesce(parent || '/', '') || :name::text AS path FROM records WHERE id = :id::bigint
       ) AS target
       WHERE source.id = :id::bigint AND records.user_id = source.user_id
         AND (records.id = source.id OR ${isBelow("records.path", "source.path")})
         AND NOT EXISTS (
           SELECT FROM records AS other
           WHERE other.user_id = source.user_id AND ${isPath("other.path", "target.path")}
         )
       RETURNING 1`,
      { id, name },
    );
    return rows.length > 0;
  }

  rebuildIndexes(): never {
    throw new Error("PostgreSQL rebuilds its own indexes");
  }

  async addAncestors({ userId, path }: BrokenRecord, now: number): Promise<boolean> {
    const ancestors = ancestorsOf(path);
    const parameters = { user: userId, paths: ancestors };
    const files = await this.#values(
      `SELECT 1 FROM unnest(:paths::text[]) AS above (path) JOIN records
         ON user_id = :user::bigint AND ${isPath("records.path", "above.path")} AND NOT is_dir`,
      parameters,
    );
    if (files.length > 0) return false;
    await this.#write((session) =>
      session.run(
        `INSERT INTO records
           (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
         SELECT :user::bigint, path, nullif(parent, ''), name, NULL, 0, 0, TRUE, :now::bigint, :now::bigint
         FROM unnest(:paths::text[], :parents::text[], :names::text[]) AS above (path, parent, name)
         ON CONFLICT DO NOTHING`,
        { ...parameters, parents: ancestors.map(parentOf), names: ancestors.map(nameOf), now },
      )
    );
    return true;
  }

  async correctFacts({ hash, size, crc32 }: ContentFacts): Promise<void> {
    await this.#write(async (session) => {
      for (const table of ["contents", "records", "history", "fresh_history", "tagged_records"]) {
        await session.run(
          `UPDATE ${table} SET size = :size::bigint, crc32 = :crc32::bigint
           WHERE hash = :hash::text AND (size, crc32) <> (:size::bigint, :crc32::bigint)`,
          { hash, size, crc32 },
        );
      }
    });
  }

  async quarantine(hashes: readonly string[]): Promise<void> {
    await this.#write(async (session) =>
      void await quarantineContents(session, await unreferencedOf(session, hashes))
    );
  }

  hasTable(): boolean {
    return true;
  }

  all(sql: string, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#database.use("long", (session) => session.all(sql, parameters));
  }

  async #uses(condition: string, parameters: SqlParameters): Promise<ContentUse[]> {
    const rows = await this.all(
      `SELECT used.id AS id, user_id, path, used.hash AS hash, used.size AS size, used.crc32 AS crc32,
         used.records AS records, encode(contents.sha256, 'hex') AS sha256,
         agree AND coalesce(contents.size = used.size AND contents.crc32 = used.crc32, TRUE) AS agree
       FROM (
         SELECT id, user_id, path, hash, size, crc32,
           row_number() OVER (PARTITION BY hash ORDER BY source, id) AS place,
           count(*) OVER alike AS records,
           min(size) OVER alike = max(size) OVER alike AND min(crc32) OVER alike = max(crc32) OVER alike
             AS agree
         FROM ${filesWhere(POSTGRES, condition)} AS file WINDOW alike AS (PARTITION BY hash)
       ) AS used LEFT JOIN contents ON contents.hash = used.hash WHERE used.place = 1`,
      parameters,
    );
    return rows.map((row) => ({
      hash: String(row.hash),
      size: Number(row.size),
      crc32: Number(row.crc32),
      record: toBroken(row),
      sha256: row.sha256 === null ? undefined : String(row.sha256),
      records: Number(row.records),
      agree: row.agree === true,
    }));
  }

  async #hashes(sql: string, hashes: readonly string[]): Promise<string[]> {
    return (await this.#values(sql, { hashes })).map(([hash]) => String(hash));
  }

  #values(sql: string, parameters: SqlParameters = {}) {
    return this.#database.use("long", (session) => session.values(sql, parameters));
  }

  /** No other program uses the database. */
  #write(work: (session: Session) => Promise<unknown>): Promise<void> {
    return this.#database.use("long", async (session) => {
      await session.begin();
      await work(session);
      await session.commit();
    });
  }
}

function toBroken(row: SqlRow): BrokenRecord {
  return { id: Number(row.id), userId: Number(row.user_id), path: String(row.path) };
}
