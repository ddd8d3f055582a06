import { CREDENTIAL_TABLES } from "./credential_tables.ts";
import { MIRROR_TABLES } from "./mirror_tables.ts";
import type { Table } from "./table.ts";

/** A version by its number. Large changes of PostgreSQL are known by the negative number of the change before. */
function versionIn(table: string, column: string): string {
  return `CASE WHEN ${table}.${column} >= 0 THEN ${table}.${column} ELSE (
    SELECT ended.version FROM tree_changes AS ended
    WHERE ended.user_id = ${table}.user_id AND ended.change = -${table}.${column}
  ) END`;
}

/** What is known of a file or directory, now or as it was. */
const RECORD = {
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
} as const satisfies Table["columns"];

/** All other rows that are carried. Those that others refer to come first, and parents before children. */
export const TABLES: readonly Table[] = [
  {
    name: "records",
    columns: {
      ...RECORD,
      since: "number",
    },
    key: ["user_id", "path"],
    read: { since: versionIn("records", "since") },
    rowsAtOnce: 1000,
  },
  {
    name: "tree_versions",
    columns: { user_id: "number", version: "number", oldest: "number", history_bytes: "number" },
    key: ["user_id"],
    rowsAtOnce: 1000,
  },
  {
    name: "tree_changes",
    columns: {
      user_id: "number",
      version: "number",
      made_at: "number",
      author: "number",
      message: "text",
      first_added: "number",
      last_added: "number",
    },
    key: ["user_id", "version"],
    rowsAtOnce: 1000,
  },
  {
    name: "history",
    columns: {
      ...RECORD,
      until: "number",
      since: "number",
      is_moved: "flag",
      node: "number",
    },
    key: ["user_id", "until", "id"],
    rowsAtOnce: 1000,
  },
  {
    name: "tags",
    columns: {
      id: "number",
      user_id: "number",
      name: "text",
      path: "text",
      version: "number",
      message: "text",
      created_by: "number",
      created_at: "number",
      files: "number",
      bytes: "number",
      records: "number",
    },
    key: ["id"],
    rowsAtOnce: 500,
  },
  {
    name: "tagged_records",
    columns: {
      tag: "number",
      ...RECORD,
    },
    key: ["tag", "path"],
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
  ...CREDENTIAL_TABLES,
  ...MIRROR_TABLES,
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
      format: "text",
      findings: "text",
      scanned_at: "number",
      took_ms: "number",
      read_ms: "number",
      result: "text",
      facts_version: "number",
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
    name: "facts",
    columns: {
      hash: "text",
      user_id: "number",
      name: "text",
      version: "number",
      sha256: "bytes",
      facts: "text",
    },
    key: ["hash", "user_id", "name"],
    rowsAtOnce: 500,
  },
  {
    name: "tensor_lists",
    columns: {
      hash: "text",
      user_id: "number",
      name: "text",
      version: "number",
      sha256: "bytes",
      format: "text",
      problem: "text",
      lines: "text",
    },
    key: ["hash", "user_id", "name"],
    rowsAtOnce: 1,
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
