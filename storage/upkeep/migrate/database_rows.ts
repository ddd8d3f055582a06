import { filesWhere } from "../../tables/references.ts";
import { TABLES } from "./carried_tables.ts";
import type { RowEngine, Statement } from "./row_engine.ts";
import { addStatement, rowsJson, updateStatement } from "./row_statements.ts";
import type { Row, Table, Value } from "./table.ts";
import { CARRIED, HAS_RECORD, NUMBERED, SMALL_CONTENTS, STATE } from "./tables.ts";

/** A content outside of the database. */
export interface LargeContent {
  readonly hash: string;
  readonly size: number;
  readonly crc32: number;
  /** In lower-case hex; undefined if the content has not been read through. */
  readonly sha256: string | undefined;
  /** When it was first stored, in milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** A file, by its content and place. */
export interface ContentFile {
  readonly hash: string;
  readonly userId: number;
  readonly path: string;
}

/** What a database has besides the rows that are carried. */
export interface DatabaseState {
  /** In the order of `STATE`. */
  readonly values: Row;
  /** The last id of each table whose ids are never used again. */
  readonly lastIds: ReadonlyMap<string, number>;
}

/** How much is not carried. */
export interface LeftBehind {
  /** Unfinished uploads. */
  readonly uploads: number;
  /** Contents that were sent to the hub, and wait for a commit. */
  readonly waiting: number;
}

const FILE = "hash, user_id, path";
const filesIn = (condition: string) => filesWhere(CARRIED, condition);
const HASHES = "SELECT value FROM";

/** The rows of a strongroom in its database, whichever engine that is. */
export class DatabaseRows implements AsyncDisposable {
  readonly #engine: RowEngine;

  constructor(engine: RowEngine) {
    this.#engine = engine;
  }

  /** The rows of a table in the order of their key, some at a time. */
  read(table: Table): AsyncGenerator<readonly Row[], void> {
    return this.#engine.pages(table);
  }

  /** Adds rows of a table durably. */
  async add(table: Table, rows: readonly Row[]): Promise<void> {
    const sql = addStatement(table, this.#engine.dialect);
    await this.#engine.write([[sql, { rows: rowsJson(rows) }]]);
  }

  /** Contents outside of the database that files have, after a hash, in the order of hashes. */
  async largeContents(after: string, limit: number): Promise<LargeContent[]> {
    const rows = await this.#engine.values(
      `SELECT hash, size, crc32, ${this.#engine.dialect.dialect.hex("sha256")}, created_at
       FROM contents WHERE hash > :after AND bytes IS NULL AND ${HAS_RECORD}
       ORDER BY hash LIMIT ${limit}`,
      { after },
    );
    return rows.map(([hash, size, crc32, sha256, createdAt]) => ({
      hash: String(hash),
      size: Number(size),
      crc32: Number(crc32),
      sha256: sha256 ? String(sha256) : undefined,
      createdAt: Number(createdAt),
    }));
  }

  /** The number and bytes of all contents that files have. */
  async contentTotals(): Promise<{ files: number; bytes: number }> {
    const [row = []] = await this.#engine.values(
      `SELECT count(*), coalesce(sum(size), 0) FROM contents WHERE ${HAS_RECORD}`,
    );
    return { files: Number(row[0]), bytes: Number(row[1]) };
  }

  /** Those of the hashes that have content outside of the database. */
  async stored(hashes: readonly string[]): Promise<Set<string>> {
    const rows = await this.#engine.values(
      `SELECT hash FROM contents WHERE bytes IS NULL AND hash IN (${HASHES} ${this.#listed})`,
      { hashes: JSON.stringify(hashes) },
    );
    return new Set(rows.map(([hash]) => String(hash)));
  }

  /** Sets when contents were first stored. */
  async setStoredAt(contents: readonly LargeContent[]): Promise<void> {
    const rows = contents.map(({ hash, createdAt }) => [hash, createdAt]);
    const columns = { hash: "text", created_at: "number" } as const;
    const sql = updateStatement("contents", columns, "hash", this.#engine.dialect);
    await this.#engine.write([[sql, { rows: rowsJson(rows) }]]);
  }

  /** The oldest file with a hash. */
  async fileOf(hash: string): Promise<ContentFile | undefined> {
    const rows = await this.#engine.values(
      `SELECT ${FILE} FROM ${filesIn("hash = :hash")} AS file ORDER BY source, id LIMIT 1`,
      { hash },
    );
    return rows.map(toFile)[0];
  }

  /** Some files of whose content the database knows nothing. */
  async withoutContent(limit: number): Promise<ContentFile[]> {
    const rows = await this.#engine.values(
      `SELECT ${FILE} FROM ${filesIn("TRUE")} AS file
       WHERE NOT EXISTS (SELECT 1 FROM contents WHERE contents.hash = file.hash) LIMIT ${limit}`,
    );
    return rows.map(toFile);
  }

  /** What it has besides rows. */
  async state(): Promise<DatabaseState> {
    const columns = Object.keys(STATE).join(", ");
    const [values = []] = await this.#engine.values(`SELECT ${columns} FROM storage_state`);
    const lastIds = new Map<string, number>();
    for (const table of NUMBERED) lastIds.set(table, await this.#engine.lastId(table));
    return { values, lastIds };
  }

  async setState({ values, lastIds }: DatabaseState): Promise<void> {
    const columns = { id: "number", ...STATE } as const;
    const sql = updateStatement("storage_state", columns, "id", this.#engine.dialect);
    await this.#engine.write([
      [sql, { rows: rowsJson([[1, ...values]]) }],
      ...lastIds.entries().map(([table, id]) => this.#engine.setLastId(table, id)),
    ]);
  }

  /** Whether changes keep what they take away. */
  async keepsHistory(): Promise<boolean> {
    const [[keeps] = []] = await this.#engine.values("SELECT keeps_history FROM storage_state");
    return keeps === 1;
  }

  /** A table that has rows. */
  async firstFilled(): Promise<string | undefined> {
    for (const { name } of [SMALL_CONTENTS, ...TABLES, { name: "lfs_objects" }]) {
      const rows = await this.#engine.values(`SELECT 1 FROM ${name} LIMIT 1`);
      if (rows.length > 0) return name;
    }
    return undefined;
  }

  /** Removes all rows that are carried, but those of contents outside of the database. */
  async clear(): Promise<void> {
    const statements: Statement[] = TABLES.toReversed().map(({ name }) => [
      `DELETE FROM ${name}`,
      {},
    ]);
    await this.#engine.write([
      // An earlier run has turned it on at its end. Nobody's past is what goes now.
      ["UPDATE storage_state SET keeps_history = FALSE", {}],
      ...statements,
      ["DELETE FROM usage", {}],
      ["DELETE FROM contents WHERE bytes IS NOT NULL", {}],
    ]);
  }

  /** How much of it is not carried. */
  async leftBehind(): Promise<LeftBehind> {
    const count = async (rows: string): Promise<number> => {
      const [[found] = []] = await this.#engine.values(`SELECT count(*) FROM ${rows}`);
      return Number(found);
    };
    return {
      uploads: await count("uploads WHERE completed_at IS NULL"),
      waiting: await count("lfs_objects"),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine[Symbol.asyncDispose]();
  }

  get #listed(): string {
    return `${this.#engine.dialect.dialect.texts(":hashes")} AS listed`;
  }
}

function toFile([hash, userId, path]: readonly Value[]): ContentFile {
  return { hash: String(hash), userId: Number(userId), path: String(path) };
}
