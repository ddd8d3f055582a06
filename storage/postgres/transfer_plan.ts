import { AppError, quoted } from "../../core/errors.ts";
import { MAX_PATH_BYTES, MAX_PATH_SEGMENTS } from "../../core/paths.ts";
import type { Placement } from "../../core/ports.ts";
import { pathColumns } from "../tables/record_rows.ts";
import { EFFECT_COLUMNS, EFFECTS, MOVED, PLAN } from "./change_tables.ts";
import { RECORD_COLUMNS } from "./lookup.ts";
import { byPath, isBelow, isPath } from "./path_conditions.ts";
import type { Session } from "./session.ts";

/** Selects records that get their target path. The others are directories that merge into one. */
const RELOCATED = "(plan.conflicts_with IS NULL OR NOT plan.is_dir)";

/** Selects directories that merging removes. One that another record conflicts with stays (C 7). */
const MERGED = `NOT ${RELOCATED} AND NOT EXISTS (
  SELECT FROM ${PLAN} AS other WHERE other.conflicts_with = plan.id)`;

/** The ids of the files that other files replace. */
const OVERWRITTEN = `SELECT plan.conflicts_with FROM ${PLAN} AS plan
  WHERE NOT plan.is_dir AND plan.conflicts_with IS NOT NULL`;

/** A copy conflicts with any record at its target path. */
const COPY_CONFLICTS = "TRUE";

/**
 * A move conflicts with a record at its target path unless that record moves along, and so leaves
 * its path first. An ancestor of the moved record does conflict, as it keeps its path (C 7).
 */
const MOVE_CONFLICTS = `(NOT (conflict.path = :source::text
    OR ${isBelow("conflict.path", ":source::text")})
  OR ${isBelow("records.path", "conflict.path")})`;

/**
 * Moves and copies whole subtrees in a transaction, whatever their size: one table has what goes where and
 * what it conflicts with there, another one what has happened.
 */
export class TransferPlan {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Moves the placements, one after the other. Each further one is planned when its turn comes, because
   * the moves before it change what it finds.
   *
   * @throws {AppError} as `WriteTransaction.moveSubtrees` does.
   */
  async move(placements: readonly Placement[], now: number): Promise<void> {
    for (const placement of placements) {
      await this.#clear();
      await this.#add(placement, MOVE_CONFLICTS);
      if (await this.#hasConflicts()) {
        await this.#overwrite();
        await this.#removeMerged();
      }
      if (placement.source.path.startsWith(`${placement.target}/`)) await this.#vacate();
      await this.#relocate(now);
    }
    await this.#session.run(
      `INSERT INTO ${EFFECTS} (effect, ${EFFECT_COLUMNS})
       SELECT 'updated', ${RECORD_COLUMNS} FROM ${MOVED} AS moved
       JOIN records ON records.id = moved.id ORDER BY moved.position`,
    );
  }

  /**
   * Plans the copy of all placements together, then carries it out.
   *
   * @throws {AppError} as `WriteTransaction.copySubtrees` does.
   */
  async copy(placements: readonly Placement[], now: number): Promise<void> {
    await this.#clear();
    for (const placement of placements) await this.#add(placement, COPY_CONFLICTS);
    if (await this.#hasConflicts()) await this.#overwrite();
    const user = placements[0]?.source.userId ?? 0;
    await this.#session.run(
      `INSERT INTO records
         (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
       SELECT :user::bigint, target_path, target_parent, target_name, hash, size, crc32, is_dir,
         :now::bigint, :now::bigint
       FROM ${PLAN} AS plan WHERE ${RELOCATED} ORDER BY position`,
      { user, now },
    );
    const effect = "CASE WHEN plan.conflicts_with IS NULL THEN 'added' ELSE 'updated' END";
    await this.#session.run(
      `INSERT INTO ${EFFECTS} (effect, ${EFFECT_COLUMNS})
       SELECT ${effect}, found.* FROM ${PLAN} AS plan CROSS JOIN LATERAL (
         SELECT ${RECORD_COLUMNS} FROM records
         WHERE user_id = :user::bigint AND ${isPath("records.path", "plan.target_path")} OFFSET 0
       ) AS found
       WHERE ${RELOCATED} OR NOT plan.is_root ORDER BY plan.position`,
      { user },
    );
  }

  async #clear(): Promise<void> {
    await this.#session.run(`DELETE FROM ${PLAN}`);
  }

  /**
   * Adds a source and its descendants to the plan.
   *
   * @throws {AppError} `ErrResourcesInvalidRequest` when the source is gone, or a target path is too long
   *   or too deep; `ErrResourcesConflict` when a file and a directory would have the same path.
   */
  async #add({ source, target }: Placement, conflicts: string): Promise<void> {
    const parameters = { user: source.userId, source: source.path, target };
    const [root] = await this.#session.values(
      `${adding(conflicts, ROOT)} RETURNING id`,
      { ...parameters, ...pathColumns(target) },
    );
    if (root?.[0] !== source.id) {
      throw new AppError(
        "ErrResourcesInvalidRequest",
        `Cannot move ${quoted(source.path)}: an earlier source moved or replaced it`,
      );
    }
    if (source.isDir) {
      await this.#session.run(adding(conflicts, DESCENDANTS), parameters);
    }
    await Promise.all([this.#checkKinds(), this.#checkPaths()]);
  }

  /** Whether there is a record at any target path. */
  async #hasConflicts(): Promise<boolean> {
    const found = await this.#session.get(
      `SELECT id FROM ${PLAN} WHERE conflicts_with IS NOT NULL LIMIT 1`,
    );
    return found !== undefined;
  }

  /** Deletes the files that other files replace. */
  async #overwrite(): Promise<void> {
    await this.#noteFormer(
      "overwritten",
      "records.id = plan.conflicts_with AND NOT plan.is_dir",
    );
    await this.#delete(OVERWRITTEN);
  }

  /** Deletes the directories that merge into others. The moved one comes last (RS 4.4.7). */
  async #removeMerged(): Promise<void> {
    await this.#noteFormer("merged", `records.id = plan.id AND ${MERGED}`, "plan.is_root, ");
    await this.#delete(`SELECT plan.id FROM ${PLAN} AS plan WHERE ${MERGED}`);
  }

  /** Moves records to temporary paths, as a target path may be that of a record that moves later. */
  async #vacate(): Promise<void> {
    // Paths in requests hold no control characters (C 4), so these paths are free.
    await this.#session.run(
      `UPDATE records
       SET path = chr(1) || records.id, parent = NULL, name = chr(1) || records.id
       FROM ${PLAN} AS plan WHERE records.id = plan.id AND ${RELOCATED}`,
    );
  }

  async #relocate(now: number): Promise<void> {
    await this.#session.run(
      `UPDATE records
       SET path = plan.target_path, parent = plan.target_parent, name = plan.target_name,
         updated_at = :now::bigint
       FROM ${PLAN} AS plan WHERE records.id = plan.id AND ${RELOCATED}`,
      { now },
    );
    await this.#session.run(
      `INSERT INTO ${MOVED} (id, source_path, source_name)
       SELECT id, source_path, source_name FROM ${PLAN} AS plan WHERE ${RELOCATED}
       ORDER BY position ON CONFLICT DO NOTHING`,
    );
  }

  /** Notes records that are about to be deleted, with the paths before the move. */
  async #noteFormer(effect: string, joined: string, order = ""): Promise<void> {
    const columns = RECORD_COLUMNS
      .replace("records.path", "coalesce(moved.source_path, records.path)")
      .replace("records.name", "coalesce(moved.source_name, records.name)");
    await this.#session.run(
      `INSERT INTO ${EFFECTS} (effect, ${EFFECT_COLUMNS})
       SELECT '${effect}', ${columns} FROM ${PLAN} AS plan
       JOIN records ON ${joined} LEFT JOIN ${MOVED} AS moved ON moved.id = records.id
       ORDER BY ${order}plan.position`,
    );
  }

  async #delete(ids: string): Promise<void> {
    await Promise.all([
      this.#session.run(`DELETE FROM ${MOVED} WHERE id IN (${ids})`),
      this.#session.run(`DELETE FROM records WHERE id IN (${ids})`),
    ]);
  }

  /** Refuses a file at the path of a directory, and a directory at the path of a file. */
  async #checkKinds(): Promise<void> {
    const mismatch = await this.#session.get(
      `SELECT target_path, conflict_is_dir FROM ${PLAN}
       WHERE conflict_is_dir <> is_dir ORDER BY position LIMIT 1`,
    );
    if (mismatch === undefined) return;
    throw new AppError(
      "ErrResourcesConflict",
      `Cannot write to ${quoted(String(mismatch.target_path))}: ` +
        `a ${mismatch.conflict_is_dir === true ? "directory" : "file"} has this path`,
    );
  }

  /** Refuses paths that are too long or too deep. */
  async #checkPaths(): Promise<void> {
    const long = "octet_length(target_path) > :maxBytes::integer";
    const segments = "length(target_path) - length(replace(target_path, '/', '')) + 1";
    const invalid = await this.#session.get(
      `SELECT target_path, ${long} AS long FROM ${PLAN}
       WHERE ${long} OR ${segments} > :maxSegments::integer ORDER BY position LIMIT 1`,
      { maxBytes: MAX_PATH_BYTES, maxSegments: MAX_PATH_SEGMENTS },
    );
    if (invalid === undefined) return;
    const reason = invalid.long === true
      ? `longer than ${MAX_PATH_BYTES} bytes`
      : `more than ${MAX_PATH_SEGMENTS} segments`;
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid path ${quoted(String(invalid.target_path))}: ${reason}`,
    );
  }
}

/** The SQL of what rows of the plan have, for some records of a source. */
interface Added {
  readonly isRoot: boolean;
  readonly which: string;
  readonly target: string;
  readonly parent: string;
  readonly name: string;
}

const ROOT: Added = {
  isRoot: true,
  which: isPath("records.path", ":source::text"),
  target: ":target::text",
  parent: ":parent::text",
  name: ":name::text",
};

const DESCENDANTS: Added = {
  isRoot: false,
  which: isBelow("records.path", ":source::text"),
  target: targetOf("records.path"),
  parent: targetOf("records.parent"),
  name: "records.name",
};

/** A statement that adds records to the plan, with the records that they conflict with. */
function adding(conflicts: string, { isRoot, which, target, parent, name }: Added): string {
  return `INSERT INTO ${PLAN} (
      id, source_path, source_name, target_path, target_parent, target_name, is_root, is_dir, hash,
      size, crc32, conflicts_with, conflict_is_dir
    )
    SELECT records.id, records.path, records.name, ${target}, ${parent}, ${name}, ${isRoot},
      records.is_dir, records.hash, records.size, records.crc32, conflict.id, conflict.is_dir
    FROM records LEFT JOIN LATERAL (
      SELECT conflict.id, conflict.is_dir FROM records AS conflict
      WHERE conflict.user_id = :user::bigint AND ${isPath("conflict.path", target)}
        AND ${conflicts} OFFSET 0
    ) AS conflict ON TRUE
    WHERE records.user_id = :user::bigint AND ${which} ORDER BY ${byPath("records.path")}`;
}

/** The SQL expression of the target of a path at or below the source. */
function targetOf(path: string): string {
  return `:target::text || substr(${path}, length(:source::text) + 1)`;
}
