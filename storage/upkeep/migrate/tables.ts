import { isReferenced } from "../../tables/references.ts";
import type { ColumnKind, Table } from "./table.ts";

/** The tables of files that are carried. History gets into order before, so none of it is elsewhere. */
export const CARRIED = { recordTables: ["records", "kept_files", "tagged_records"] };

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
export const NUMBERED: readonly string[] = [
  "records",
  "tags",
  "links",
  "waivers",
  "scans",
  "mirror_revisions",
];

/** What the server remembers of its storage. */
export const STATE: Readonly<Record<string, ColumnKind>> = {
  strongroom_id: "text",
  scrub_started_at: "number",
  scrubbed_to: "text",
  hub_key: "bytes",
  clock_read_at: "number",
  clock_settled_at: "number",
  last_number: "number",
};
