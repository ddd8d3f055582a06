import type { Connection } from "./connection.ts";
import type { Range } from "./plan_table.ts";

/** Rows that one step reads. */
const PAGE_ROWS = 1000;

/**
 * A temporary table of the records that the sources of a move before have moved: those after may move
 * them again, or remove them.
 */
export class MovedTable {
  readonly #connection: Connection;
  /** The table in SQL. */
  readonly name: string;

  constructor(connection: Connection, name: string) {
    this.#connection = connection;
    this.name = `temp.${name}`;
    connection.script(`
      CREATE TEMP TABLE ${name} (
        position INTEGER PRIMARY KEY,
        id INTEGER NOT NULL UNIQUE,
        source_path TEXT NOT NULL -- before the first source
      ) STRICT`);
  }

  clear(): void {
    this.#connection.run(`DELETE FROM ${this.name}`);
  }

  /**
   * Adds records, in order. One that has been moved before keeps its position.
   *
   * @param records Selects their ids and paths.
   */
  add(records: string, range: Range): void {
    this.#connection.run(
      `INSERT OR IGNORE INTO ${this.name} (id, source_path) ${records}`,
      range,
    );
  }

  /** @param ids Selects the ids of records that are about to be deleted. */
  remove(ids: string, range: Range): void {
    this.#connection.run(`DELETE FROM ${this.name} WHERE id IN (${ids})`, range);
  }

  /** All rows, in parts. */
  *ranges(): Generator<Range, void> {
    const row = this.#connection.get(`SELECT max(position) AS end FROM ${this.name}`);
    const end = Number(row?.end);
    for (let after = 0; after < end; after += PAGE_ROWS) yield { after, upTo: after + PAGE_ROWS };
  }
}
