import { Buffer } from "node:buffer";
import type { Chunk } from "../../core/content.ts";
import { numberedStatement } from "./named_parameters.ts";
import type { PoolClient, QueryConfig, QueryResult } from "./pg.d.ts";
import { standbyError } from "./failures.ts";
import { MARK } from "./session_settings.ts";
import { Silence } from "./silence.ts";

/** A value in a result. */
export type SqlValue = string | number | boolean | Chunk | null;
/** A row of a result: values by column name. */
export type SqlRow = Record<string, SqlValue>;
/** Values of the named parameters of a statement. An array is one of SQL. */
export type SqlParameters = Readonly<
  Record<
    string,
    | string
    | number
    | boolean
    | Uint8Array
    | null
    | readonly (string | number | boolean | null)[]
  >
>;

/** How a transaction sees the changes of others. */
export type TransactionMode = "READ COMMITTED" | "REPEATABLE READ" | "REPEATABLE READ READ ONLY";

/** What transactions over a pooler begin with, as it keeps nothing of a session between them. */
export interface Preamble {
  /** A standby refuses to begin a transaction that may write. */
  readonly access: "READ WRITE" | "READ ONLY";
  /** A statement that makes the settings those of the transaction. */
  readonly settings: string;
}

export interface SessionOptions {
  /** How long the engine may say nothing to a statement, in milliseconds. @default any time */
  readonly silenceMs?: number;
  /** Given where a pooler stands between. @default none */
  readonly preamble?: Preamble | undefined;
}

/** The engine's error that it does not do something: here, to begin a transaction on a standby that may write. */
const NOT_SUPPORTED = "0A000";

/** Runs statements on one connection, in the order of the calls: none waits for the reply to one before. */
export class Session {
  readonly #client: PoolClient;
  readonly #preamble: Preamble | undefined;
  #isInTransaction = false;
  /** Breaks the connection if it says nothing for some time, unless the engine is still at work. */
  readonly silence: Silence;
  /** The first failure, which has caused those of the statements after it in a transaction. */
  failure: unknown;
  /** Whether the engine is still at work on the statements that have no reply. */
  isAtWork: () => Promise<boolean> = () => Promise.resolve(false);

  constructor(client: PoolClient, { silenceMs = Infinity, preamble }: SessionOptions = {}) {
    this.#client = client;
    this.#preamble = preamble;
    this.silence = new Silence(silenceMs, async () => {
      if (!await this.isAtWork()) client.connection.stream.destroy();
    });
  }

  /** The rows of the result, by column name. */
  async all(sql: string, parameters: SqlParameters = {}): Promise<SqlRow[]> {
    const { fields, rows } = await this.#query(sql, parameters);
    return rows.map((row) =>
      Object.fromEntries(fields.map(({ name }, index) => [name, row[index] as SqlValue]))
    );
  }

  /** The first row of the result. */
  async get(sql: string, parameters: SqlParameters = {}): Promise<SqlRow | undefined> {
    return (await this.all(sql, parameters))[0];
  }

  /** The rows of the result as arrays. */
  async values(sql: string, parameters: SqlParameters = {}): Promise<SqlValue[][]> {
    return (await this.#query(sql, parameters)).rows as SqlValue[][];
  }

  /** Runs a statement, and returns how many rows it has changed. */
  async run(sql: string, parameters: SqlParameters = {}): Promise<number> {
    return (await this.#query(sql, parameters)).rowCount ?? 0;
  }

  /** Whether the engine has the settings with which the connection began. A pooler would have left them out. */
  async hasSettings(): Promise<boolean> {
    // A pooler may refuse to prepare it.
    const [row] = await this.fetch(`SELECT current_setting('${MARK}', true)`);
    return row?.[0] === "on";
  }

  /** Begins a transaction. */
  async begin(mode: TransactionMode = "READ COMMITTED"): Promise<void> {
    this.#isInTransaction = true;
    if (this.#preamble === undefined) {
      await this.#send(`BEGIN ISOLATION LEVEL ${mode}`);
      return;
    }
    const { access, settings } = this.#preamble;
    try {
      await this.#send(`BEGIN ${access}; SET TRANSACTION ISOLATION LEVEL ${mode}; ${settings}`);
    } catch (error) {
      const isStandby = error instanceof Error && "code" in error && error.code === NOT_SUPPORTED;
      throw isStandby ? standbyError() : error;
    }
  }

  /** Rolls the current transaction back. */
  async rollback(): Promise<void> {
    this.#isInTransaction = false;
    await this.#send("ROLLBACK");
  }

  /**
   * Commits the current transaction.
   *
   * @throws {Error} when a statement has failed before: then nothing is committed.
   */
  async commit(): Promise<void> {
    this.#isInTransaction = false;
    const { command } = await this.#send("COMMIT");
    if (command !== "COMMIT") throw new Error("The transaction was rolled back");
  }

  /** Calls `onNotice` with each payload on a channel. Resolves when the connection has ended. */
  listen(channel: string, onNotice: (payload: string) => void): Promise<void> {
    this.#client.on("notification", (notice) => {
      if (notice.channel === channel) onNotice(notice.payload ?? "");
    });
    return new Promise((resolve) => this.#client.on("end", () => resolve()));
  }

  /** The rows of a statement that is not prepared: of a cursor, it cannot be. */
  async fetch(sql: string): Promise<SqlValue[][]> {
    return (await this.#send({ text: sql, rowMode: "array" })).rows as SqlValue[][];
  }

  /** Runs one or several statements without parameters. Over a pooler, the settings hold in a transaction alone. */
  async script(sql: string): Promise<void> {
    await this.#send(sql);
  }

  #query(sql: string, given: SqlParameters): Promise<QueryResult> {
    const { name, text, parameters } = numberedStatement(sql);
    const values = parameters.map((parameter) => {
      const value = given[parameter];
      if (value !== undefined) return value;
      throw new Error(`A statement lacks its parameter ${parameter}: ${sql}`);
    });
    if (this.#preamble === undefined) return this.#send({ name, text, values, rowMode: "array" });
    // The engine behind a pooler may be another one for each transaction: it knows no prepared statement.
    const query = { text, values, rowMode: "array" } as const;
    return this.#isInTransaction ? this.#send(query) : this.#alone(query);
  }

  /** Runs a statement in a transaction of its own, sent with it at once. */
  async #alone(query: QueryConfig): Promise<QueryResult> {
    const sent = [this.begin(), this.#send(query), this.commit()] as const;
    // The first failure is the cause of the others.
    await Promise.allSettled(sent);
    const [, result] = await Promise.all(sent);
    return result;
  }

  async #send(query: QueryConfig | string): Promise<QueryResult> {
    try {
      return await this.silence.during(this.#client.query(query));
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }
}

const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 701, 1700]);
const BOOL = 16;
const BYTEA = 17;

/**
 * How the text of a value is read, by the type's object id. Numbers become JavaScript's: all that the
 * schema has are below 2^53.
 */
export const VALUE_TYPES = {
  getTypeParser(oid: number): (text: string) => SqlValue {
    if (NUMBERS.has(oid)) return Number;
    if (oid === BOOL) return (text) => text === "t";
    if (oid === BYTEA) return bytesOf;
    return String;
  },
};

/** Bytes from `\x` and hex digits, in memory of their own. */
function bytesOf(text: string): Chunk {
  const bytes = new Uint8Array((text.length - 2) / 2);
  Buffer.from(bytes.buffer).write(text.slice(2), "hex");
  return bytes;
}
