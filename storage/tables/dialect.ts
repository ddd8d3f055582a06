/** A value of a column. */
export type SqlValue = null | boolean | number | bigint | string | Uint8Array;

/** A row of a result: values by column name. */
export type SqlRow = Record<string, SqlValue>;

/** Values of the named parameters of a statement. */
export type SqlParameters = Record<string, null | number | string | Uint8Array>;

/** The types of columns that {@link Dialect.rows} reads. */
export type ColumnType = "text" | "bigint";

/**
 * Where the SQL of the engines differs. All else of the statements of this room is the same.
 * See docs/design/several_servers.md.
 */
export interface Dialect {
  /** The facts of directories, as a table with the columns `id` and `facts`. */
  readonly directoryFacts: string;
  /** The texts of a JSON array, as a table with the column `value`. */
  texts(array: string): string;
  /** A query of all values of a column, as a JSON array. */
  array(column: string, from: string): string;
  /**
   * The objects of a JSON array, as a table with the columns of these names and types, and `position`,
   * from 0.
   */
  rows(array: string, columns: Readonly<Record<string, ColumnType>>): string;
  /** A hexadecimal text as bytes. */
  bytes(hex: string): string;
  /** Bytes as a text in lower-case hexadecimal. */
  hex(bytes: string): string;
  /** A text that is compared by its bytes, as the columns are. */
  bytewise(text: string): string;
  /** The characters that C 4 trims, as a text. Records have no control characters. */
  readonly whiteSpace: string;
  /** The id that the last INSERT of this connection has assigned. */
  readonly lastId: string;
  /** Compares a column of paths with an expression, by an index if it has one. */
  comparePath(column: string, operator: "<" | "<=" | "=" | ">=" | ">", value: string): string;
  /** Whether a {@link pattern} is in a text. */
  matches(text: string, pattern: string): string;
  /** Whether a text has another one in it. */
  contains(text: string, part: string): string;
  /** The part of a text before its first slash, or all of it. */
  firstSegment(text: string): string;
  /** What finds a word in a text: for each of its letters, any of these characters. */
  pattern(letters: readonly (readonly string[])[]): string;
  /** A text with the letters of ASCII in lower case. */
  lower(text: string): string;
  /** A text as JSON, whose values `->>` reads. */
  json(text: string): string;
  /** All texts in JSON, a line each; NULL without any. */
  textsIn(json: string): string;
  /** The texts of a list in JSON, or none of NULL, as a table `it` with the column `value`. */
  valuesOf(json: string): string;
  /** The values of keys of JSON, or NULL, as the text of a list. */
  pick(json: string, keys: readonly string[]): string;
  /** The keys of an object in JSON, or none of NULL, as a table `it` with the column `key`. */
  keysOf(json: string): string;
  /** What indexes have of a path: sorting by it reads one from a place on. Long paths may share it. */
  pathKey(column: string): string;
  /** Sorts by a column of paths, by an index if it has one. */
  byPath(column: string): string;
  /** The records with this parent. */
  isParent(column: string, value: string): string;
  /** The records directly under the root. */
  isTopLevel(column: string): string;
  /** The column that an index of the children of a directory has in order. */
  readonly child: "path" | "name";
  /** The value that a child has in that column. */
  childKey(parent: string, name: string): string;
  /** Says that a search of a table is by an index, where the engine has to be asked. */
  indexedBy(index: string): string;
  /** Whether a result in a column was cut short by an error or a limit. */
  readonly isCutShort: string;
  /** Whether no server holds a row of a table any more: the one that did has ended. */
  isLeft(table: string): string;
  /** Whether this server holds a row of a table. */
  isOwn(table: string): string;
  /** The columns that identify a scan result. */
  readonly resultKey: string;
  /** Whether scan results of another version count for no server. */
  readonly isStale: string;
  /** Lets the statements after it in a transaction take as long as they need. */
  readonly unhurried: string;
  /** Ends a list of assignments: this server takes the row. */
  readonly take: string;
  /** Ends a list of assignments: no server has the row then. */
  readonly leave: string;
  /** Keeps others from changing the rows that are read, until the transaction ends. */
  readonly forShare: string;
  /** Locks the rows that are read, and leaves out those that others have locked. */
  readonly skipLocked: string;
  /** Whether a leaving object is known to be whole, as it was content: no upload of it is unfinished. */
  readonly isWhole: string;
  /** Whether objects may be deleted now: no backup needs them. */
  readonly mayDelete: string;
  /**
   * The rows of a table, named `state`, for each that is `asked`, by an index: engines may expect too many.
   *
   * @param asked A query in brackets.
   * @param table With an index, if engines would not choose it.
   */
  foundFor(asked: string, table: { name: string; index?: string }, condition: string): string;
  /**
   * Joins the row of a table, named `name`, that a condition finds by a key, or one of NULL. Each is looked for by
   * an index: engines may read all rows if they expect many.
   */
  leftJoin(table: string, name: string, condition: string): string;
  /** The version that a column has, of a row with the column `user_id`. */
  versionIn(table: string, column: "since" | "until"): string;
  /**
   * The tables in which files may be: their content is kept. Who asks whether content is still needed asks by
   * `references.ts`.
   */
  readonly recordTables: readonly string[];
  /** Whether there is an index of the hashes of history that is not in order yet. */
  readonly indexesFresh: boolean;
}

/** The record is one that no request can name, as C 4 trims its path. An index has these records. */
export function isUnnameable({ whiteSpace }: Pick<Dialect, "whiteSpace">): string {
  return `(name <> rtrim(name, ${whiteSpace})
    OR parent IS NULL AND name <> ltrim(name, ${whiteSpace}))`;
}

/** Runs a statement in a transaction, and returns its rows. Those of one transaction run in order. */
export type RunStatement<Name extends string> = (
  statement: Name,
  parameters: SqlParameters,
) => Promise<SqlRow[]>;

/** Runs the statements of a store by their names, on an engine. */
export interface Statements<Name extends string> {
  /** Looks for a few rows, by keys. */
  readonly find: RunStatement<Name>;
  /** Reads rows, which may take a while. */
  readonly read: RunStatement<Name>;
  /** Runs one statement in a transaction of its own, which may be carried out although this fails. */
  readonly once: RunStatement<Name>;
  /**
   * Runs work in a transaction, and resolves once it is durable. The work may run again, when the engine
   * asks for it.
   *
   * @param userId Work for the same user runs one after the other, so that it can rely on what it has
   *   read. @default other work may run meanwhile
   */
  write<T>(work: (run: RunStatement<Name>) => Promise<T>, userId?: number): Promise<T>;
}

/** Runs one statement in a transaction of its own. */
export function commit<Name extends string>(
  statements: Statements<Name>,
  statement: Name,
  parameters: SqlParameters,
): Promise<SqlRow[]> {
  return statements.write((run) => run(statement, parameters));
}

/** The value of a column of bytes, or undefined for NULL. */
export function toBytes(value: SqlValue | undefined): Uint8Array<ArrayBuffer> | undefined {
  if (!(value instanceof Uint8Array && value.buffer instanceof ArrayBuffer)) return undefined;
  return new Uint8Array(value.buffer, value.byteOffset, value.length);
}

/** A number in a column, or null. */
export function numberOrNull(value: SqlValue | undefined): number | null {
  return value == null ? null : Number(value);
}

/** A text in a column, or null. */
export function textOrNull(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** A text for people. It may tell of names in hostile files, and not all engines keep NUL. */
export function withoutNul(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}
