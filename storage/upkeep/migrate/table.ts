/**
 * What a column holds. `hash` is the MD5 of a file, which one engine has as "" and the other as NULL for a
 * directory; `flag` is 0 or 1.
 */
export type ColumnKind = "text" | "number" | "bytes" | "flag" | "hash";

/** A value of a column, whichever engine it is from. */
export type Value = string | number | Uint8Array | null;
/** The values of a row, in the order of the columns. */
export type Row = readonly Value[];

/** A table that is carried from one database to another. */
export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** The columns that identify a row. Rows are read in their order. */
  readonly key: readonly string[];
  /** Which rows are carried. @default all */
  readonly where?: string;
  /** Columns that are read as an expression. */
  readonly read?: Readonly<Record<string, string>>;
  /** How many rows are in memory at a time. */
  readonly rowsAtOnce: number;
}
