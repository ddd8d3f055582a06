import type { Table } from "./table.ts";

/** What is known of mirrored repositories. */
export const MIRROR_TABLES: readonly Table[] = [
  {
    name: "mirror_revisions",
    columns: {
      id: "number",
      kind: "text",
      repository: "text",
      commit_id: "text",
      about: "text",
      files: "number",
      bytes: "number",
      asked_first_at: "number",
      asked_first_by: "number",
      pinned_at: "number",
      has_code: "number",
    },
    key: ["id"],
    rowsAtOnce: 500,
  },
  {
    name: "mirror_names",
    columns: {
      kind: "text",
      repository: "text",
      name: "text",
      commit_id: "text",
      checked_at: "number",
    },
    key: ["kind", "repository", "name"],
    rowsAtOnce: 1000,
  },
  {
    name: "mirror_entries",
    columns: {
      revision: "number",
      path: "text",
      parent: "text",
      is_dir: "number",
      size: "number",
      blob_id: "text",
      sha256: "text",
      admitted_at: "number",
      fetched_at: "number",
      asked_at: "number",
      passed_on_at: "number",
    },
    key: ["revision", "path"],
    rowsAtOnce: 500,
  },
];
