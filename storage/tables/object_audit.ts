import type { Chunk } from "../../core/content.ts";
import { type Eventual, MAX_AUDIT_ROWS } from "./record_audit.ts";
import { type Dialect, type SqlParameters, type SqlRow, toBytes } from "./dialect.ts";
import { isReferenced } from "./references.ts";

/** Runs statements on a database that servers may use meanwhile. */
export interface AuditSource {
  readonly dialect: Dialect;
  all(sql: string, parameters: SqlParameters): Eventual<SqlRow[]>;
  hasTable(name: string): Eventual<boolean>;
}

/** What the database has of content: small content itself, or the name of its object. */
export interface ContentRow {
  readonly hash: string;
  readonly size: number;
  /** When it was stored, in milliseconds since the Unix epoch. */
  readonly storedAt: number;
  readonly object: string | undefined;
}

/** Why the database knows an object. */
export type ObjectRole = "content" | "part" | "waiting" | "arriving" | "leaving" | "quarantine";

/** An object that a row names. */
export interface KnownObject {
  readonly key: string;
  readonly role: ObjectRole;
  /** The hash of the content, or the id of the upload or of what waits; "" otherwise. */
  readonly id: string;
  /** How many bytes the object has, at least if it is a part; undefined if that is not known. */
  readonly size: number | undefined;
}

/** A row of an upload, or of content that waits for a commit, whose bytes are not all there. */
export interface LostUpload {
  readonly table: "uploads" | "lfs_objects";
  readonly id: string;
  readonly userId: number;
  /** The path of the file; undefined for content that waits. */
  readonly path: string | undefined;
  /** The SHA-256 of content that waits, in hexadecimal. */
  readonly sha256: string | undefined;
  /** How many bytes there must be, and how many there are. */
  readonly bytes: number;
  readonly kept: number;
}

/** Each row that names an object has its key, its role, whose it is and its size. */
const OBJECTS: readonly string[] = [
  "SELECT object AS key, 'content' AS role, hash AS id, size FROM contents",
  `SELECT objects.key AS key, CASE WHEN waiting IS NULL THEN state ELSE 'waiting' END AS role,
     coalesce(waiting, '') AS id, lfs_objects.size AS size
   FROM objects LEFT JOIN lfs_objects ON lfs_objects.id = objects.waiting`,
  "SELECT object AS key, 'part' AS role, upload AS id, size FROM upload_parts",
  "SELECT object AS key, 'quarantine' AS role, hash AS id, size FROM quarantine",
];
/** The column with the key in each of them. */
const KEYS: readonly string[] = ["object", "objects.key", "object", "object"];

/** Audits the tables that name the objects of a content store (C 23), in a database of either engine. */
export class ObjectAudit {
  readonly #source: AuditSource;
  readonly #dialect: Dialect;

  constructor(source: AuditSource) {
    this.#source = source;
    this.#dialect = source.dialect;
  }

  async strongroomId(): Promise<string> {
    const [row] = await this.#source.all("SELECT strongroom_id FROM storage_state", {});
    return String(row?.strongroom_id);
  }

  /** The contents whose hash begins with a prefix. */
  contentsBelow(prefix: string): Promise<ContentRow[]> {
    return this.#contents("hash >= :prefix AND hash < :prefix || 'g'", { prefix });
  }

  /** Those of the contents that the database knows. */
  contentsOf(hashes: readonly string[]): Promise<ContentRow[]> {
    const condition = `hash IN ${this.#dialect.texts(":hashes")}`;
    return this.#contents(condition, { hashes: JSON.stringify(hashes) });
  }

  /** The bytes of small content. */
  async bytesOf(hash: string): Promise<Chunk | undefined> {
    const sql = "SELECT bytes FROM contents WHERE hash = :hash";
    const [row] = await this.#source.all(sql, { hash });
    return toBytes(row?.bytes);
  }

  /** A record has content that is in a file. */
  async hasFiles(): Promise<boolean> {
    const rows = await this.#source.all(
      `SELECT 1 AS found FROM contents WHERE bytes IS NULL AND object IS NULL
         AND ${isReferenced(this.#dialect, "contents.hash")} LIMIT 1`,
      {},
    );
    return rows.length > 0;
  }

  /** The objects that rows name, in the order of their keys, read in pages. */
  async *objects(): AsyncGenerator<KnownObject, void> {
    const parts = OBJECTS.map((sql, index) =>
      `SELECT * FROM (${sql} WHERE ${KEYS[index]} > :after
         ORDER BY ${KEYS[index]} LIMIT ${MAX_AUDIT_ROWS}) AS part${index}`
    );
    const sql = `SELECT * FROM (${parts.join(" UNION ALL ")}) AS named
      ORDER BY key LIMIT ${MAX_AUDIT_ROWS}`;
    for (let after = "";;) {
      const page = (await this.#source.all(sql, { after })).map(toObject);
      yield* page;
      const last = page.at(-1);
      if (page.length < MAX_AUDIT_ROWS || last === undefined) return;
      after = last.key;
    }
  }

  /** What names an object now. */
  async find(key: string): Promise<KnownObject | undefined> {
    const parts = OBJECTS.map((sql, index) => `${sql} WHERE ${KEYS[index]} = :key`);
    const [row] = await this.#source.all(parts.join(" UNION ALL "), { key });
    return row && toObject(row);
  }

  /** Unfinished uploads that have received more than their parts have. */
  lostUploads(): AsyncGenerator<LostUpload, void> {
    return this.#lost(
      `SELECT 'uploads' AS source, id, user_id, path, NULL AS sha256, received AS bytes, (
         SELECT coalesce(sum(size), 0) FROM upload_parts WHERE upload = uploads.id
       ) AS kept FROM uploads WHERE completed_at IS NULL`,
      "bytes > kept",
    );
  }

  /** Content that waits for a commit and is nowhere. */
  lostWaiting(): AsyncGenerator<LostUpload, void> {
    return this.#lost(
      `SELECT 'lfs_objects' AS source, id, user_id, NULL AS path, ${
        this.#dialect.hex("sha256")
      } AS sha256,
         size AS bytes, 0 AS kept,
         EXISTS (SELECT 1 FROM objects WHERE waiting = lfs_objects.id AND state = 'arriving')
           OR EXISTS (SELECT 1 FROM parked_contents WHERE parked_contents.id = lfs_objects.id) AS found
       FROM lfs_objects`,
      "NOT found",
    );
  }

  /** The row of an upload or of content that waits. */
  async upload(role: ObjectRole, id: string, kept: number): Promise<LostUpload | undefined> {
    const sql = role === "part"
      ? `SELECT 'uploads' AS source, id, user_id, path, NULL AS sha256, received AS bytes
         FROM uploads WHERE id = :id`
      : `SELECT 'lfs_objects' AS source, id, user_id, NULL AS path, ${
        this.#dialect.hex("sha256")
      } AS sha256, size AS bytes FROM lfs_objects WHERE id = :id`;
    const [row] = await this.#source.all(sql, { id });
    return row && toLost({ ...row, kept });
  }

  /** How many objects are to be deleted. */
  leaving(): Promise<number> {
    return this.#count(
      "SELECT count(*) AS n FROM objects WHERE state = 'leaving' AND deletions = 0",
    );
  }

  quarantined(): Promise<number> {
    return this.#count("SELECT count(*) AS n FROM quarantine");
  }

  /** Has an object that no row names be deleted at a time, in milliseconds since the Unix epoch. */
  async leave(key: string, due: number): Promise<void> {
    await this.#source.all(
      `INSERT INTO objects (key, state, due_at) VALUES (:key, 'leaving', :due)
       ON CONFLICT DO NOTHING RETURNING key`,
      { key, due },
    );
  }

  /** Removes the row of an upload, or of content that waits. What is left of it leaves. */
  async removeUpload({ table, id }: LostUpload): Promise<void> {
    await this.#source.all(`DELETE FROM ${table} WHERE id = :id RETURNING id`, { id });
  }

  /** Moves content that is not stored back from quarantine. Returns whether it was there. */
  async giveBack(hash: string): Promise<boolean> {
    const given = await this.#source.all(
      `INSERT INTO contents (hash, size, crc32, sha256, created_at, bytes, object)
       SELECT hash, size, crc32, sha256, created_at, bytes, object FROM quarantine
       WHERE hash = :hash ON CONFLICT DO NOTHING RETURNING hash`,
      { hash },
    );
    if (given.length === 0) return false;
    await this.#source.all("DELETE FROM quarantine WHERE hash = :hash RETURNING hash", { hash });
    return true;
  }

  async *#lost(sql: string, condition: string): AsyncGenerator<LostUpload, void> {
    for (let after = "";;) {
      const page = await this.#source.all(
        `SELECT * FROM (${sql}) AS waiting WHERE ${condition} AND id > :after
         ORDER BY id LIMIT ${MAX_AUDIT_ROWS}`,
        { after },
      );
      yield* page.map(toLost);
      const last = page.at(-1);
      if (last === undefined) return;
      after = String(last.id);
    }
  }

  async #contents(condition: string, parameters: SqlParameters): Promise<ContentRow[]> {
    const rows = await this.#source.all(
      `SELECT hash, coalesce(length(bytes), size) AS size, created_at, object FROM contents
       WHERE ${condition} AND (bytes IS NOT NULL OR object IS NOT NULL)`,
      parameters,
    );
    return rows.map((row) => ({
      hash: String(row.hash),
      size: Number(row.size),
      storedAt: Number(row.created_at),
      object: typeof row.object === "string" ? row.object : undefined,
    }));
  }

  async #count(sql: string): Promise<number> {
    const [row] = await this.#source.all(sql, {});
    return Number(row?.n);
  }
}

function toObject(row: SqlRow): KnownObject {
  return {
    key: String(row.key),
    role: row.role as ObjectRole,
    id: String(row.id),
    size: row.size === null ? undefined : Number(row.size),
  };
}

function toLost(row: SqlRow): LostUpload {
  return {
    table: row.source === "uploads" ? "uploads" : "lfs_objects",
    id: String(row.id),
    userId: Number(row.user_id),
    path: row.path === null ? undefined : String(row.path),
    sha256: row.sha256 === null ? undefined : String(row.sha256),
    bytes: Number(row.bytes),
    kept: Number(row.kept),
  };
}
