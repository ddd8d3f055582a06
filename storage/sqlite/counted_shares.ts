import type { ShareQuery, Shares } from "../../core/shares.ts";
import { type Counted, countedFor, LARGEST, summedUp, toShares } from "../tables/shares.ts";
import type { Connection } from "./connection.ts";
import { SQLITE } from "./dialect.ts";

/** Rows of a page. */
const PAGE_ROWS = 5000;

/** Counts what trees hold, part by part. It reads all their records, page by page. */
export class CountedShares implements Disposable {
  readonly #connection: Connection;
  readonly #counted: Counted;
  readonly #limit: number;
  readonly #page: string;
  #after: string | number;

  /** @param connection A connection of its own, which is closed with this. */
  constructor(connection: Connection, query: ShareQuery) {
    this.#connection = connection;
    this.#limit = query.limit;
    const counted = this.#counted = countedFor(query, SQLITE);
    const { table, key, isAfter, condition, columns } = counted;
    this.#after = counted.first;
    this.#page = `(SELECT ${key} AS last, ${columns} FROM ${table}
      WHERE ${isAfter} AND ${condition} ORDER BY ${key} LIMIT ${PAGE_ROWS})`;
    connection.script(
      `CREATE TEMP TABLE counted (
        name TEXT PRIMARY KEY, is_dir INTEGER NOT NULL, files INTEGER NOT NULL, bytes INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
    );
  }

  /** Reads a page. Returns the parts after the last one. */
  next(): Shares | undefined {
    const { parameters, together } = this.#counted;
    const page = { ...parameters, after: this.#after };
    const merged = (column: string) =>
      together === "sum"
        ? `${column} = ${column} + excluded.${column}`
        : `${column} = max(${column}, excluded.${column})`;
    this.#connection.run(
      `INSERT INTO counted ${summedUp(this.#page, together)} ON CONFLICT (name) DO UPDATE
       SET is_dir = max(is_dir, excluded.is_dir), ${merged("files")}, ${merged("bytes")}`,
      page,
    );
    const end = this.#connection.get(
      `SELECT max(last) AS last, count(*) AS count FROM ${this.#page}`,
      page,
    );
    if (Number(end?.count) === PAGE_ROWS) {
      this.#after = typeof end?.last === "string" ? end.last : Number(end?.last);
      return undefined;
    }
    return toShares(this.#connection.all(LARGEST, { limit: this.#limit }));
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}
