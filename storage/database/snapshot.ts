import { backup, DatabaseSync } from "node:sqlite";
import type { ContentFacts } from "../../core/ports.ts";
import { Connection } from "./connection.ts";
import { checkIntegrity } from "./integrity.ts";
import { schemaVersion } from "./migrate.ts";
import { toFacts, upkeepRows } from "./upkeep_statements.ts";

/** The most contents in a page. */
const PAGE_CONTENTS = 500;
/** The most records that {@link ContentUses} names. */
const MAX_USES = 3;
/** The first version of the schema that has the id of the strongroom. */
const ID_VERSION = 7;
/** How long to wait for the lock of a server that is starting or stopping. */
const BUSY_TIMEOUT_MS = 10_000;

/** What identifies a content. Different contents may be made to have the same MD5. */
export type ContentKey = Pick<ContentFacts, "hash" | "crc32">;

/** The files and bytes of contents. */
export interface ContentTotals {
  readonly files: number;
  readonly bytes: number;
}

/** The records that have a content. */
export interface ContentUses {
  /** The first few of them by path. */
  readonly first: readonly { readonly userId: number; readonly path: string }[];
  readonly count: number;
}

/**
 * Copies a database that others may write to meanwhile. The copy is the state of one moment, in one
 * file. Blocks the thread.
 *
 * @param target A file that does not exist.
 */
export async function copyDatabase(source: string, target: string): Promise<void> {
  // SQLite would let others read a file that it creates.
  await Deno.writeFile(target, new Uint8Array(), { createNew: true, mode: 0o600 });
  using database = new DatabaseSync(source, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  // In one step, which reads a single transaction and does not hinder the writer.
  await backup(database, target, { rate: -1 });
  using copy = new DatabaseSync(target);
  // The copy of a database with a log would expect a log of its own.
  copy.exec("PRAGMA journal_mode = DELETE");
}

/** A database that is not in use by a server. Calls block the thread. */
export class Snapshot implements Disposable {
  readonly #connection: Connection;
  readonly #version: number;

  /** @throws {Error} when the schema is newer than this program. */
  constructor(path: string) {
    this.#connection = new Connection(path, { readOnly: true });
    this.#version = schemaVersion(this.#connection);
  }

  /**
   * Reads the whole database and checks it.
   *
   * @throws {Error} when it is damaged.
   */
  check(): void {
    checkIntegrity(this.#connection);
  }

  /**
   * The id of the strongroom, which does not change.
   *
   * @throws {Error} when a version of this program wrote the database that gave it none.
   */
  get strongroomId(): string {
    if (this.#version < ID_VERSION) {
      throw new Error(
        "An earlier version of strongroom wrote the database: start the server once, to migrate it",
      );
    }
    return String(this.#connection.get("SELECT strongroom_id FROM storage_state")?.strongroom_id);
  }

  /** The number of records, directories included. */
  get records(): number {
    return Number(this.#connection.get("SELECT count(*) AS n FROM records")?.n);
  }

  /** All contents that records name, each once, in pages. */
  *contents(): Generator<readonly ContentFacts[], void> {
    for (let after = "";;) {
      const parameters = { after, limit: PAGE_CONTENTS };
      const page = upkeepRows(this.#connection, "contents", parameters).map(toFacts);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = last.hash;
    }
  }

  /** The number and size of {@link contents}. */
  get totals(): ContentTotals {
    const row = this.#connection.get(
      `SELECT count(*) AS files, ifnull(sum(size), 0) AS bytes
       FROM (SELECT size FROM records WHERE hash <> '' GROUP BY hash)`,
    );
    return { files: Number(row?.files), bytes: Number(row?.bytes) };
  }

  usesOf(hash: string): ContentUses {
    const rows = this.#connection.all(
      `SELECT user_id, path, count(*) OVER () AS n FROM records
       WHERE hash = :hash AND hash <> '' ORDER BY path, user_id LIMIT ${MAX_USES}`,
      { hash },
    );
    return {
      first: rows.map((row) => ({ userId: Number(row.user_id), path: String(row.path) })),
      count: Number(rows[0]?.n ?? 0),
    };
  }

  /** Returns those of the contents that no record has. */
  unreferenced(contents: readonly ContentKey[]): ContentKey[] {
    const rows = this.#connection.all(
      `SELECT value ->> 'hash' AS hash, value ->> 'crc32' AS crc32 FROM json_each(:contents)
       WHERE NOT EXISTS (
         SELECT 1 FROM records
         WHERE hash = value ->> 'hash' AND hash <> '' AND crc32 = value ->> 'crc32'
       )`,
      { contents: JSON.stringify(contents) },
    );
    return rows.map((row) => ({ hash: String(row.hash), crc32: Number(row.crc32) }));
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}
