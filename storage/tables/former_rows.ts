import type { Dialect } from "./dialect.ts";

/** The tables with records as they were: in order, and not yet. */
export const FORMER = ["history", "fresh_history"] as const;
/** Those with records as they are, too. */
export type Table = "records" | typeof FORMER[number];

/** How statements read these tables. */
export const rowsByVersion = ({ indexedBy, versionIn }: Dialect) => ({
  /** Rows in order state versions by their numbers. */
  versionOf: (table: Table, row: string, column: "since" | "until") =>
    table === "history" ? `${row}.${column}` : versionIn(row, column),
  /** Rows of history by their paths: engines do not know how many others a version has. */
  byIndex: (table: Table) => table === "history" ? indexedBy("history_by_path") : "",
});
