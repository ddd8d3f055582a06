import { isReferenced, RECORD_TABLES } from "../../tables/references.ts";

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

/** Whether a file has a content. Other content is removed, or in quarantine. */
export const HAS_RECORD = isReferenced({ recordTables: RECORD_TABLES }, "contents.hash");

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

/** All other rows that are carried. Those that others refer to come first, and parents before children. */
export const TABLES: readonly Table[] = [
  {
    name: "records",
    columns: {
      id: "number",
      user_id: "number",
      path: "text",
      parent: "text",
      name: "text",
      hash: "hash",
      size: "number",
      crc32: "number",
      is_dir: "flag",
      created_at: "number",
      updated_at: "number",
    },
    key: ["user_id", "path"],
    rowsAtOnce: 1000,
  },
  {
    name: "properties",
    columns: { record_id: "number", namespace: "text", name: "text", xml: "text" },
    key: ["record_id", "namespace", "name"],
    where: "EXISTS (SELECT 1 FROM records WHERE records.id = properties.record_id)",
    // Those of a record may take 64 KiB.
    rowsAtOnce: 100,
  },
  {
    name: "s3_objects",
    columns: { record_id: "number", hash: "text", etag: "text", metadata: "text" },
    key: ["record_id"],
    rowsAtOnce: 500,
  },
  { name: "accepted_losses", columns: { hash: "text" }, key: ["hash"], rowsAtOnce: 1000 },
  {
    name: "links",
    columns: {
      id: "number",
      token_sha256: "bytes",
      user_id: "number",
      record_id: "number",
      path: "text",
      created_by: "number",
      created_at: "number",
      expires_at: "number",
      once: "number",
      used_at: "number",
      jti: "text",
      issued_at: "number",
      key_id: "text",
    },
    key: ["id"],
    rowsAtOnce: 500,
  },
  {
    name: "credentials",
    columns: {
      jti: "text",
      user_id: "number",
      privileges: "text",
      trees: "text",
      minted_at: "number",
      expires_at: "number",
      revoked_at: "number",
      parent: "text",
      label: "text",
      quota: "number",
      rooted_at: "number",
      token_sha256: "bytes",
      key_id: "text",
      used_at: "number",
      access_key_id: "text",
    },
    key: ["jti"],
    rowsAtOnce: 500,
  },
  {
    name: "user_revocations",
    columns: { user_id: "number", issued_before: "number" },
    key: ["user_id"],
    rowsAtOnce: 1000,
  },
  {
    name: "waivers",
    columns: {
      id: "number",
      sha256: "bytes",
      reason: "text",
      user_id: "number",
      created_at: "number",
      expires_at: "number",
    },
    key: ["id"],
    rowsAtOnce: 500,
  },
  {
    name: "scans",
    columns: {
      id: "number",
      user_id: "number",
      requested_by: "number",
      status: "text",
      paths: "text",
      paths_total: "number",
      skip: "text",
      created_at: "number",
      started_at: "number",
      finished_at: "number",
      files_total: "number",
      files_scanned: "number",
      bytes_total: "number",
      bytes_scanned: "number",
      critical: "number",
      warning: "number",
      info: "number",
      debug: "number",
      error: "text",
    },
    key: ["id"],
    // A scan from before there were shared trees was requested by the user whose files it scans.
    read: { requested_by: "coalesce(requested_by, user_id)" },
    rowsAtOnce: 100,
  },
  {
    name: "scan_paths",
    columns: { scan_id: "number", paths: "text" },
    key: ["scan_id"],
    rowsAtOnce: 1,
  },
  {
    name: "scan_files",
    columns: {
      scan_id: "number",
      user_id: "number",
      path: "text",
      name: "text",
      hash: "text",
      size: "number",
      error: "text",
      replaced: "number",
    },
    key: ["scan_id", "path"],
    rowsAtOnce: 1000,
  },
  {
    name: "scan_results",
    columns: {
      hash: "text",
      user_id: "number",
      name: "text",
      skip: "text",
      version: "text",
      sha256: "bytes",
      verdict: "text",
      findings: "text",
      scanned_at: "number",
      took_ms: "number",
      read_ms: "number",
      result: "text",
    },
    key: ["hash", "user_id", "name", "skip"],
    // Servers that share a database keep a result of each of their versions. The latest one is carried.
    where: `NOT EXISTS (
      SELECT 1 FROM scan_results AS other
      WHERE other.hash = scan_results.hash AND other.user_id = scan_results.user_id
        AND other.name = scan_results.name
        AND other.skip = scan_results.skip
        AND (other.scanned_at, other.version) > (scan_results.scanned_at, scan_results.version)
    )`,
    rowsAtOnce: 50,
  },
  {
    name: "scan_attempts",
    columns: {
      hash: "text",
      user_id: "number",
      name: "text",
      skip: "text",
      attempts: "number",
    },
    key: ["hash", "user_id", "name", "skip"],
    rowsAtOnce: 1000,
  },
  {
    name: "scan_failures",
    columns: {
      hash: "text",
      user_id: "number",
      name: "text",
      problem: "text",
      failed_at: "number",
    },
    key: ["hash", "user_id", "name"],
    rowsAtOnce: 500,
  },
  {
    name: "scan_report_chunks",
    columns: { scan_id: "number", part: "number", position: "number", chunk: "bytes" },
    key: ["scan_id", "part", "position"],
    rowsAtOnce: 1,
  },
  {
    name: "uploads",
    columns: {
      id: "text",
      user_id: "number",
      created_by: "number",
      path: "text",
      size: "number",
      received: "number",
      sha256: "text",
      on_conflict: "text",
      metadata: "text",
      created_at: "number",
      expires_at: "number",
      completed_at: "number",
      deferred: "number",
      concat: "text",
    },
    key: ["id"],
    // What the others have received is not carried: their clients begin again.
    where: "completed_at IS NOT NULL",
    rowsAtOnce: 500,
  },
];

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
