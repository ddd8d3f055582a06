import { AppError, quoted } from "../../core/errors.ts";
import { MAX_PATH_BYTES, MAX_PATH_SEGMENTS } from "../../core/paths.ts";
import type { Placement, ResourceRecord } from "../../core/ports.ts";
import { pathColumns } from "../tables/record_rows.ts";
import type { PastTree } from "../tables/history_store.ts";
import { EFFECT_COLUMNS, EFFECTS, MOVED, PLAN } from "./change_tables.ts";
import { RECORD_COLUMNS } from "./lookup.ts";
import { pastParameters } from "./past.ts";
import { isPath } from "./path_conditions.ts";
import {
  adding,
  COPIED,
  DESCENDANTS,
  MOVED_ALONG,
  type Planned,
  RESTORED,
  RESTORED_TAG,
  ROOT,
} from "./plan_rows.ts";
import type { Session } from "./session.ts";

/** Selects directories that merge into others. The conditions are worded for the index of conflicts. */
const MERGES = "(plan.conflicts_with IS NOT NULL AND plan.is_dir)";

/** Selects records that get their target path. */
const RELOCATED = `NOT ${MERGES}`;

/** Selects directories that merging removes. One that another record conflicts with stays (C 7). */
const MERGED = `${MERGES} AND NOT EXISTS (
  SELECT FROM ${PLAN} AS other WHERE other.conflicts_with = plan.id)`;

/** Selects files that replace others. */
const REPLACES = "plan.conflicts_with IS NOT NULL AND NOT plan.is_dir";

/** What a planned record keeps at its target, in the order of {@link EFFECT_COLUMNS}. */
const CONTENT = `coalesce(plan.hash, ''), plan.size, plan.crc32, plan.is_dir::integer`;

/**
 * Moves and copies whole subtrees in a transaction, whatever their size: one table has what goes where and
 * what it conflicts with there, another one what has happened. The statements of a source are sent together.
 * If it has a problem, one of them empties the plan, and those after it find nothing to do.
 */
export class TransferPlan {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Refuses a source that an earlier one of the same move has moved or replaced.
   *
   * @throws {AppError} `ErrResourcesInvalidRequest`.
   */
  async requireUnmoved({ id, userId, path }: ResourceRecord): Promise<void> {
    const found = await this.#session.get(
      `SELECT id FROM records WHERE user_id = :user::bigint AND ${isPath("path", ":path::text")}`,
      { user: userId, path },
    );
    if (found?.id === id) return;
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot move ${quoted(path)}: an earlier source moved or replaced it`,
    );
  }

  /**
   * Moves a source to its target.
   *
   * @throws {AppError} as `WriteTransaction.moveSubtrees` does.
   */
  async move(placement: Placement, now: number): Promise<void> {
    const { source, target } = placement;
    const user = source.userId;
    const cleared = this.#session.run(`DELETE FROM ${PLAN}`);
    const planned = [...this.#add(placement, MOVED_ALONG), this.#refuseProblems()];
    const overwritten = this.#overwrite();
    // Each statement leaves the tree whole, so directories are removed when they are empty.
    const moved = source.path.startsWith(`${target}/`)
      ? [this.#vacate(user), this.#removeMerged(), this.#relocate(user, now)]
      : [this.#relocate(user, now), this.#removeMerged()];
    await Promise.all([cleared, ...planned, overwritten, ...moved]);
  }

  /** Notes what the only source of a move has moved. */
  async noteMoved(source: ResourceRecord, now: number): Promise<void> {
    await this.#session.run(
      `INSERT INTO ${EFFECTS} (effect, ${EFFECT_COLUMNS})
       SELECT 'updated', plan.id, :user::bigint, target_path, target_name, ${CONTENT},
         plan.created_at, :now::bigint
       FROM ${PLAN} AS plan WHERE ${RELOCATED} ORDER BY position`,
      { user: source.userId, now },
    );
  }

  /** Remembers what a source has moved, for those after it. */
  async remember(): Promise<void> {
    await this.#session.run(
      `INSERT INTO ${MOVED} (id, source_path, source_name)
       SELECT id, source_path, source_name FROM ${PLAN} AS plan WHERE ${RELOCATED}
       ORDER BY position ON CONFLICT DO NOTHING`,
    );
  }

  /** Notes what the remembered sources have moved. */
  async noteRemembered(): Promise<void> {
    await this.#session.run(
      `INSERT INTO ${EFFECTS} (effect, ${EFFECT_COLUMNS})
       SELECT 'updated', ${RECORD_COLUMNS} FROM ${MOVED} AS moved
       JOIN records ON records.id = moved.id ORDER BY moved.position`,
    );
  }

  /**
   * Plans the copy of all placements together, of what is there or was at a version, then carries it out.
   *
   * @throws {AppError} as `WriteTransaction.copySubtrees` does.
   */
  async copy(
    placements: readonly Placement[],
    { now, past }: { readonly now: number; readonly past?: PastTree | undefined },
  ): Promise<void> {
    const planned = past === undefined ? COPIED : past.tag === undefined ? RESTORED : RESTORED_TAG;
    const user = placements[0]?.source.userId ?? 0;
    const inserted = () =>
      this.#session.run(
        `INSERT INTO records (
           id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at,
           since
         ) OVERRIDING SYSTEM VALUE
         SELECT plan.id, :user::bigint, target_path, target_parent, target_name, hash, size, crc32,
           is_dir, :now::bigint, :now::bigint, (SELECT version_of(:user::bigint))
         FROM ${PLAN} AS plan WHERE ${RELOCATED} ORDER BY position`,
        { user, now },
      );
    const noted = () =>
      this.#session.run(
        `INSERT INTO ${EFFECTS} (effect, ${EFFECT_COLUMNS})
         SELECT CASE WHEN plan.conflicts_with IS NULL THEN 'added' ELSE 'updated' END,
           coalesce(kept.id, plan.id), :user::bigint, target_path, target_name, ${CONTENT},
           coalesce(kept.created_at, :now::bigint), coalesce(kept.updated_at, :now::bigint)
         FROM ${PLAN} AS plan LEFT JOIN LATERAL (
           SELECT id, created_at, updated_at FROM records
           WHERE records.id = plan.conflicts_with AND plan.is_dir OFFSET 0
         ) AS kept ON TRUE
         WHERE ${RELOCATED} OR NOT plan.is_root ORDER BY position`,
        { user, now },
      );
    await Promise.all([
      ...placements.flatMap((placement) => this.#add(placement, planned, past)),
      this.#refuseProblems(),
      this.#overwrite(),
      inserted(),
      noted(),
    ]);
  }

  /** Adds a source and its descendants to the plan. */
  #add({ source, target }: Placement, planned: Planned, past?: PastTree): Promise<unknown>[] {
    const parameters = {
      user: source.userId,
      source: source.path,
      target,
      max_bytes: MAX_PATH_BYTES,
      max_segments: MAX_PATH_SEGMENTS,
      ...past && pastParameters(past),
    };
    const root = { ...parameters, ...pathColumns(target) };
    return [
      this.#session.run(adding(planned, ROOT), root),
      ...source.isDir ? [this.#session.run(adding(planned, DESCENDANTS), parameters)] : [],
    ];
  }

  /**
   * Refuses a file at the path of a directory, a directory at the path of a file, and paths that are too long
   * or too deep. The plan is empty then.
   *
   * @throws {AppError} `ErrResourcesConflict`, `ErrResourcesInvalidRequest`.
   */
  async #refuseProblems(): Promise<void> {
    const [found] = await Promise.all([
      this.#session.get(
        `SELECT target_path, is_dir, problem FROM ${PLAN} WHERE problem IS NOT NULL
         ORDER BY problem <> 'kind', position LIMIT 1`,
      ),
      this.#session.run(
        `DELETE FROM ${PLAN} WHERE EXISTS (
           SELECT FROM ${PLAN} AS other WHERE other.problem IS NOT NULL
         )`,
      ),
    ]);
    if (found === undefined) return;
    const path = quoted(String(found.target_path));
    if (found.problem === "kind") {
      const kind = found.is_dir === true ? "file" : "directory";
      throw new AppError(
        "ErrResourcesConflict",
        `Cannot write to ${path}: a ${kind} has this path`,
      );
    }
    const reason = found.problem === "long"
      ? `longer than ${MAX_PATH_BYTES} bytes`
      : `more than ${MAX_PATH_SEGMENTS} segments`;
    throw new AppError("ErrResourcesInvalidRequest", `Invalid path ${path}: ${reason}`);
  }

  /** Deletes the files that other files replace. */
  async #overwrite(): Promise<void> {
    await Promise.all([
      this.#noteFormer("overwritten", `records.id = plan.conflicts_with AND ${REPLACES}`),
      ...this.#delete(`SELECT plan.conflicts_with FROM ${PLAN} AS plan WHERE ${REPLACES}`),
    ]);
  }

  /** Deletes the directories that merge into others. The moved one comes last (RS 4.4.7). */
  async #removeMerged(): Promise<void> {
    await Promise.all([
      this.#noteFormer("merged", `records.id = plan.id AND ${MERGED}`, "plan.is_root, "),
      ...this.#delete(`SELECT plan.id FROM ${PLAN} AS plan WHERE ${MERGED}`),
    ]);
  }

  /** Moves records to temporary paths, as a target path may be that of a record that moves later. */
  async #vacate(user: number): Promise<void> {
    // Paths in requests hold no control characters (C 4), so these paths are free.
    await this.#session.run(
      `UPDATE records
       SET path = chr(1) || records.id, parent = NULL, name = chr(1) || records.id,
         since = (SELECT version_of(:user::bigint))
       FROM ${PLAN} AS plan WHERE records.id = plan.id AND ${RELOCATED}`,
      { user },
    );
  }

  async #relocate(user: number, now: number): Promise<void> {
    await this.#session.run(
      `UPDATE records
       SET path = plan.target_path, parent = plan.target_parent, name = plan.target_name,
         updated_at = :now::bigint, since = (SELECT version_of(:user::bigint))
       FROM ${PLAN} AS plan WHERE records.id = plan.id AND ${RELOCATED}`,
      { user, now },
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

  #delete(ids: string): Promise<unknown>[] {
    return [
      this.#session.run(`DELETE FROM ${MOVED} WHERE id IN (${ids})`),
      this.#session.run(`DELETE FROM records WHERE id IN (${ids})`),
    ];
  }
}
