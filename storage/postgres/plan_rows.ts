import { PLAN } from "./change_tables.ts";
import { PAST, TAGGED } from "./past.ts";
import { byPath, isBelow, isPath } from "./path_conditions.ts";

/**
 * A move conflicts with a record at its target path unless that record moves along, and so leaves
 * its path first. An ancestor of the moved record does conflict, as it keeps its path (C 7).
 */
const MOVE_CONFLICTS = `(NOT (conflict.path = :source::text
    OR ${isBelow("conflict.path", ":source::text")})
  OR ${isBelow("records.path", "conflict.path")})`;

/** The SQL of what moves and copies plan differently. */
export interface Planned {
  /** What has the source itself and what has all below it, each named `records`. */
  readonly from: { readonly root: string; readonly below: string };
  /** The id of the record at the target. */
  readonly id: string;
  /** Whether a record at the target path is in the way. */
  readonly conflicts: string;
}

/** Moves keep the records. */
export const MOVED_ALONG: Planned = {
  from: { root: "records", below: "records" },
  id: "records.id",
  conflicts: MOVE_CONFLICTS,
};
/** A copy conflicts with any record at its target path. */
export const COPIED: Planned = {
  from: { root: "records", below: "records" },
  id: "nextval('records_id_seq')",
  conflicts: "TRUE",
};
/** A copy of what the tree had at a version. */
export const RESTORED: Planned = {
  ...COPIED,
  from: { root: PAST.at(":source::text"), below: PAST.below(":source::text") },
};
/** A copy of what a tag names. */
export const RESTORED_TAG: Planned = { ...COPIED, from: { root: TAGGED, below: TAGGED } };

/** The SQL of what rows of the plan have, for some records of a source. */
export interface Added {
  readonly isRoot: boolean;
  readonly which: string;
  readonly target: string;
  readonly parent: string;
  readonly name: string;
  /** Whether there may be a record at the target path. */
  readonly mayConflict: string;
}

/** The source itself. */
export const ROOT: Added = {
  isRoot: true,
  which: isPath("records.path", ":source::text"),
  target: ":target::text",
  parent: ":parent::text",
  name: ":name::text",
  mayConflict: "TRUE",
};

/** All that is below a source. */
export const DESCENDANTS: Added = {
  isRoot: false,
  which: isBelow("records.path", ":source::text"),
  target: targetOf("records.path"),
  parent: targetOf("records.parent"),
  name: "records.name",
  // Without a record at the target of the root, there is none below it.
  mayConflict: `EXISTS (
    SELECT FROM ${PLAN} AS root
    WHERE root.conflicts_with IS NOT NULL AND root.is_root AND root.target_path = :target::text
  )`,
};

/** A statement that adds records to the plan, with the records that they conflict with. */
export function adding({ from, id, conflicts }: Planned, added: Added): string {
  const { isRoot, which, target, parent, name, mayConflict } = added;
  return `INSERT INTO ${PLAN} (
      id, source_path, source_name, target_path, target_parent, target_name, is_root, is_dir, hash,
      size, crc32, created_at, conflicts_with, problem
    )
    SELECT ${id}, records.path, records.name, ${target}, ${parent}, ${name}, ${isRoot},
      records.is_dir, records.hash, records.size, records.crc32, records.created_at, conflict.id,
      CASE WHEN conflict.is_dir <> records.is_dir THEN 'kind'
        WHEN octet_length(${target}) > :max_bytes::integer THEN 'long'
        WHEN length(${target}) - length(replace(${target}, '/', '')) >= :max_segments::integer
          THEN 'deep' END
    FROM ${isRoot ? from.root : from.below} LEFT JOIN LATERAL (
      SELECT conflict.id, conflict.is_dir FROM records AS conflict
      WHERE ${mayConflict} AND conflict.user_id = :user::bigint
        AND ${isPath("conflict.path", target)} AND ${conflicts} OFFSET 0
    ) AS conflict ON TRUE
    WHERE records.user_id = :user::bigint AND ${which} ORDER BY ${byPath("records.path")}`;
}

/** The SQL expression of the target of a path at or below the source. */
function targetOf(path: string): string {
  return `:target::text || substr(${path}, length(:source::text) + 1)`;
}
