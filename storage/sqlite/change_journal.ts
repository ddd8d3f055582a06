import type { SqlParameters } from "../tables/dialect.ts";
import type { MadeVersions } from "../../core/history_changes.ts";
import type { Connection } from "./connection.ts";
import { KEPT_BYTES } from "../tables/history_statements.ts";
import { hasTable } from "./older_schema.ts";
import { type Fate, type Keeper, TreeHistory } from "./tree_history.ts";

/** Records that one step undoes. */
const PAGE_RECORDS = 1000;

const COLUMNS =
  "id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";

/**
 * The former state of records while a large change is carried out step by step. After a crash or a
 * failure, it restores all of them.
 * See docs/design/large_changes.md.
 */
export class ChangeJournal implements Keeper {
  readonly #connection: Connection;
  readonly #history: TreeHistory;
  /** An earlier version of the program has kept no versions. */
  readonly #columns: string;
  #lastId = 0;

  constructor(connection: Connection, history = new TreeHistory(connection)) {
    this.#connection = connection;
    this.#history = history;
    this.#columns = hasTable(connection, "history") ? `${COLUMNS}, since` : COLUMNS;
  }

  /** Begins a change of records of the users. */
  begin(userIds: readonly number[]): void {
    const row = this.#connection.get("SELECT ifnull(max(id), 0) AS id FROM records");
    this.#lastId = Number(row?.id);
    for (const [user, version] of this.#history.beginLarge(userIds)) {
      this.#connection.run(
        "INSERT INTO large_change (user_id, last_id, version) VALUES (:user, :last, :version)",
        { user, last: this.#lastId, version },
      );
    }
  }

  versionOf(userId: number): number {
    return this.#history.versionOf(userId);
  }

  added(userId: number, records: number): void {
    this.#history.added(userId, records);
  }

  keep(userId: number, fate: Fate, condition: string, parameters: SqlParameters = {}): void {
    this.#connection.run(
      `INSERT OR IGNORE INTO former_records (${this.#columns})
       SELECT ${this.#columns} FROM records WHERE ${condition} AND id <= :lastId`,
      { ...parameters, lastId: this.#lastId },
    );
    this.#history.keep(userId, fate, condition, parameters);
  }

  /**
   * Ends the change: what it did is permanent from the commit on, or what {@link undo} did. Returns the versions that
   * it has made.
   */
  end(): MadeVersions {
    this.#connection.run("DELETE FROM large_change");
    this.#connection.run("DELETE FROM former_records");
    return this.#history.endLarge();
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
        `INSERT INTO records (${this.#columns}) SELECT ${this.#columns} FROM former_records
         WHERE id IN (SELECT value FROM json_each(:page))`,
        { page },
      ));
    if (this.#columns !== COLUMNS) yield* this.#forgetVersions();
  }

  /** Takes back the versions of the change, once no record is of them. */
  *#forgetVersions(): Generator<void, void> {
    const fresh = `SELECT position FROM fresh_history ORDER BY position LIMIT ${PAGE_RECORDS}`;
    while (
      this.#connection.run(`DELETE FROM fresh_history WHERE position IN (${fresh})`) > 0
    ) yield;
    const made = "SELECT user_id, version FROM large_change WHERE version > 0";
    const rows = `SELECT user_id, until, id FROM history
      WHERE (user_id, until) IN (${made}) LIMIT ${PAGE_RECORDS}`;
    while (
      this.#connection.run(`DELETE FROM history WHERE (user_id, until, id) IN (${rows})`) > 0
    ) yield;
    this.#connection.run(`DELETE FROM tree_changes WHERE (user_id, version) IN (${made})`);
    this.#connection.run(
      `UPDATE tree_versions SET version = made.version - 1, history_bytes = (
         SELECT ifnull(sum(${KEPT_BYTES}), 0) FROM history
         WHERE history.user_id = tree_versions.user_id
       ) FROM (${made}) AS made WHERE made.user_id = tree_versions.user_id`,
    );
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
