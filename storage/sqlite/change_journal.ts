import type { SqlParameters } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { hasTable } from "./older_schema.ts";

/** Records that one step undoes. */
const PAGE_RECORDS = 1000;

const COLUMNS =
  "id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";

/**
 * The former state of records while a large change is carried out step by step. After a crash or a
 * failure, it restores all of them.
 * See docs/design/large_changes.md.
 */
export class ChangeJournal {
  readonly #connection: Connection;
  #lastId = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Begins a change of records of the users. */
  begin(userIds: readonly number[]): void {
    const row = this.#connection.get("SELECT ifnull(max(id), 0) AS id FROM records");
    this.#lastId = Number(row?.id);
    this.#connection.run(
      "INSERT INTO large_change (user_id, last_id) SELECT value, :last FROM json_each(:users)",
      { users: JSON.stringify(userIds), last: this.#lastId },
    );
  }

  /**
   * Keeps the present state of records that the change is about to change or delete.
   *
   * @param condition Selects them.
   */
  keep(condition: string, parameters: SqlParameters = {}): void {
    this.#connection.run(
      `INSERT OR IGNORE INTO former_records (${COLUMNS})
       SELECT ${COLUMNS} FROM records WHERE ${condition} AND id <= :lastId`,
      { ...parameters, lastId: this.#lastId },
    );
  }

  /** Ends the change: what it did is permanent from the commit on, or what {@link undo} did. */
  end(): void {
    this.#connection.run("DELETE FROM large_change");
    this.#connection.run("DELETE FROM former_records");
  }

  /** Restores the records, in steps. It can be begun again after any of them. */
  *undo(): Generator<void, void> {
    const row = this.#connection.get("SELECT max(last_id) AS id FROM large_change");
    const added = `SELECT id FROM records NOT INDEXED
      WHERE id > :after AND user_id IN (SELECT user_id FROM large_change)`;
    yield* this.#pages(added, Number(row?.id), (page) => this.#delete(page));
    const former = "SELECT id FROM former_records WHERE id > :after";
    // All of them leave their paths before any takes its former path.
    yield* this.#pages(former, 0, (page) => this.#delete(page));
    yield* this.#pages(former, 0, (page) =>
      this.#connection.run(
        `INSERT INTO records (${COLUMNS}) SELECT ${COLUMNS} FROM former_records
         WHERE id IN (SELECT value FROM json_each(:page))`,
        { page },
      ));
  }

  /** Undoes a change that a crash interrupted. In steps, which take little space in the log. */
  recover(): void {
    if (!isChanging(this.#connection)) return;
    // Records come back in any order.
    this.#connection.enforceForeignKeys(false);
    this.#connection.script("BEGIN IMMEDIATE");
    for (const _ of this.undo()) this.#connection.script("COMMIT; BEGIN IMMEDIATE");
    this.end();
    this.#connection.script("COMMIT");
    this.#connection.enforceForeignKeys(true);
  }

  #delete(page: string): void {
    this.#connection.run("DELETE FROM records WHERE id IN (SELECT value FROM json_each(:page))", {
      page,
    });
  }

  *#pages(ids: string, after: number, run: (page: string) => void): Generator<void, void> {
    for (;;) {
      const rows = this.#connection.all(`${ids} ORDER BY id LIMIT ${PAGE_RECORDS}`, { after });
      const page = rows.map((row) => Number(row.id));
      if (page.length === 0) return;
      run(JSON.stringify(page));
      after = page.at(-1) ?? after;
      yield;
    }
  }
}

/** Whether a large change is going on, or was interrupted. */
export function isChanging(connection: Connection): boolean {
  // Earlier versions of the program have no such changes.
  return hasTable(connection, "large_change") &&
    connection.get("SELECT 1 FROM large_change LIMIT 1") !== undefined;
}
