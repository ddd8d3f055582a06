import { isReferenced } from "../../tables/references.ts";

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

/** The tables of files that are carried. History gets into order before, so none of it is elsewhere. */
export const CARRIED = { recordTables: ["records", "kept_files"] };

/** Whether a file has a content. Other content is removed, or in quarantine. */
export const HAS_RECORD = isReferenced(CARRIED, "contents.hash");

/** Content that is in the database itself. */
export const SMALL_CONTENTS: Table = {
  name: "contents",
  columns: {
    hash: "text",
    size: "number",
    crc32: "number",
    sha256: "bytes",
    created_at: "number",
    bytes: "bytes",
  },
  key: ["hash"],
  where: `bytes IS NOT NULL AND ${HAS_RECORD}`,
  rowsAtOnce: 32,
};

/** Content that is outside of the database. Its rows are compared; publishing it makes them. */
export const LARGE_CONTENTS: Table = {
  name: "contents",
  columns: { hash: "text", size: "number", crc32: "number", created_at: "number" },
  key: ["hash"],
  where: `bytes IS NULL AND ${HAS_RECORD}`,
  rowsAtOnce: 1000,
};

/** What each tree holds. The databases count it themselves. */
export const USAGE: Table = {
  name: "usage",
  columns: { user_id: "number", records: "number", files: "number", bytes: "number" },
  key: ["user_id"],
  where: "records > 0",
  rowsAtOnce: 1000,
};

/** The tables whose ids are never used again, not even those of deleted rows. */
export const NUMBERED: readonly string[] = ["records", "links", "waivers", "scans"];

/** What the server remembers of its storage. */
export const STATE: Readonly<Record<string, ColumnKind>> = {
  strongroom_id: "text",
  scrub_started_at: "number",
  scrubbed_to: "text",
  hub_key: "bytes",
  clock_read_at: "number",
  clock_settled_at: "number",
};
