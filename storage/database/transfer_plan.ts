import { AppError, quoted } from "../../core/errors.ts";
import { MAX_PATH_BYTES, MAX_PATH_SEGMENTS } from "../../core/paths.ts";
import type { Placement, TransferEffect } from "../../core/ports.ts";
import type { Connection, SqlParameters, SqlRow } from "./connection.ts";
import { pathColumns, RECORD_COLUMNS, toRecord } from "./lookup.ts";
import { descendantOf } from "./subtree.ts";

/** Effects are read from the database in pages of this size. */
const PAGE_RECORDS = 1000;

/** One row for each record that is moved or copied. */
const PLAN_TABLE = `
  CREATE TEMP TABLE plan (
    position INTEGER PRIMARY KEY, -- by source, then by path
    id INTEGER NOT NULL,
    source_path TEXT NOT NULL,
    target_path TEXT NOT NULL,
    target_parent TEXT,
    target_name TEXT NOT NULL,
    is_root INTEGER NOT NULL, -- 1 for a source, 0 for its descendants
    is_dir INTEGER NOT NULL,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    crc32 INTEGER NOT NULL,
    conflicts_with INTEGER, -- id of the record at the target path
    conflict_is_dir INTEGER
  ) STRICT;
  CREATE INDEX temp.plan_by_conflict ON plan (conflicts_with);`;

/** Selects records that get their target path. The others are directories that merge into one. */
const RELOCATED = "(plan.conflicts_with IS NULL OR plan.is_dir = 0)";

/** Selects directories that merging removes. One that another record conflicts with stays (C 7). */
const MERGED = `NOT ${RELOCATED}
  AND NOT EXISTS (SELECT 1 FROM temp.plan AS other WHERE other.conflicts_with = plan.id)`;

/** A copy conflicts with any record at its target path. */
const COPY_CONFLICTS = "TRUE";

/**
 * A move conflicts with a record at its target path unless that record moves along, and so leaves
 * its path first. An ancestor of the moved record does conflict, as it keeps its path (C 7).
 */
const MOVE_CONFLICTS = `NOT (conflict.path = :source OR ${descendantOf("conflict.path", ":source")})
  OR ${descendantOf("records.path", "conflict.path")}`;

/**
 * Moves and copies whole subtrees. Planning fills a temporary table with one row for each record;
 * running executes one statement for each kind of change, regardless of the number of records.
 */
export class TransferPlan {
  readonly #connection: Connection;
  #effects: Iterator<TransferEffect, void> = [].values();

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.script(PLAN_TABLE);
  }

  /**
   * Plans the move of the placements, one after the other. Each further one is planned when its
   * turn comes, because the moves before it change what it finds.
   *
   * @throws {AppError} as `WriteTransaction.moveSubtrees` does.
   */
  planMove(placements: readonly Placement[], now: number): void {
    const [first] = placements;
    if (first !== undefined) this.#planMove(first);
    this.#effects = this.#move(placements, now);
  }

  /**
   * Plans the copy of all placements together.
   *
   * @throws {AppError} as `WriteTransaction.copySubtrees` does.
   */
  planCopy(placements: readonly Placement[], now: number): void {
    for (const placement of placements) this.#add(placement, COPY_CONFLICTS);
    this.#check();
    this.#effects = this.#copy(placements[0]?.source.userId ?? 0, now);
  }

  /**
   * Runs the plan until it has the next `limit` effects, and returns them. The plan is done when
   * there are fewer.
   *
   * @throws {AppError} as `WriteTransaction.moveSubtrees` does, for a later placement.
   */
  run(limit: number): TransferEffect[] {
    const effects: TransferEffect[] = [];
    while (effects.length < limit) {
      const { done, value } = this.#effects.next();
      if (done) break;
      effects.push(value);
    }
    return effects;
  }

  #planMove(placement: Placement): void {
    this.#add(placement, MOVE_CONFLICTS);
    this.#check();
  }

  *#move(placements: readonly Placement[], now: number): Generator<TransferEffect, void> {
    for (const [index, placement] of placements.entries()) {
      if (index > 0) this.#planMove(placement);
      yield* this.#moveOne(placement, now);
      this.#clear();
    }
  }

  *#moveOne({ source, target }: Placement, now: number): Generator<TransferEffect, void> {
    yield* this.#overwrite();
    // RS 4.4.7: the directory that is moved is removed at the end.
    for (const isRoot of [0, 1]) {
      yield* this.#read(
        () => "merged",
        `records.id = plan.id AND is_root = ${isRoot} AND ${MERGED}`,
      );
    }
    this.#connection.run(
      `DELETE FROM records WHERE id IN (SELECT id FROM temp.plan AS plan WHERE ${MERGED})`,
    );
    if (source.path.startsWith(`${target}/`)) this.#vacate();
    this.#connection.run(
      `UPDATE records
       SET path = plan.target_path, parent = plan.target_parent, name = plan.target_name,
         updated_at = :now
       FROM temp.plan AS plan WHERE records.id = plan.id AND ${RELOCATED}`,
      { now },
    );
    yield* this.#read(() => "updated", `records.id = plan.id AND ${RELOCATED}`);
  }

  *#copy(user: number, now: number): Generator<TransferEffect, void> {
    yield* this.#overwrite();
    this.#connection.run(
      `INSERT INTO records
         (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
       SELECT :user, target_path, target_parent, target_name, hash, size, crc32, is_dir, :now, :now
       FROM temp.plan AS plan WHERE ${RELOCATED} ORDER BY position`,
      { user, now },
    );
    yield* this.#read(
      (row) => row.conflicts_with === null ? "added" : "updated",
      `records.user_id = :user AND records.path = plan.target_path
         AND (${RELOCATED} OR NOT is_root)`,
      { user },
    );
    this.#clear();
  }

  #clear(): void {
    this.#connection.run("DELETE FROM temp.plan");
  }

  /**
   * Adds a source and its descendants to the plan. `conflicts` is the condition under which the
   * record at a target path conflicts.
   */
  #add({ source, target }: Placement, conflicts: string): void {
    const targetOf = (path: string) => `:target || substr(${path}, length(:source) + 1)`;
    const add = (which: string, columns: { isRoot: 0 | 1; parent: string; name: string }) =>
      `INSERT INTO temp.plan (
         id, source_path, target_path, target_parent, target_name, is_root, is_dir, hash, size,
         crc32, conflicts_with, conflict_is_dir
       )
       SELECT records.id, records.path, ${targetOf("records.path")}, ${columns.parent},
         ${columns.name}, ${columns.isRoot}, records.is_dir, records.hash, records.size,
         records.crc32, conflict.id, conflict.is_dir
       FROM records LEFT JOIN records AS conflict
       ON conflict.user_id = :user AND conflict.path = ${targetOf("records.path")}
         AND (${conflicts})
       WHERE records.user_id = :user AND ${which} ORDER BY records.path`;
    const parameters = { user: source.userId, source: source.path, target };
    const root = this.#connection.get(
      `${
        add("records.path = :source", { isRoot: 1, parent: ":parent", name: ":name" })
      } RETURNING id`,
      { ...parameters, ...pathColumns(target) },
    );
    if (root?.id !== source.id) {
      throw new AppError(
        "ErrResourcesInvalidRequest",
        `Cannot move ${quoted(source.path)}: an earlier source moved or replaced it`,
      );
    }
    if (!source.isDir) return;
    this.#connection.run(
      add(descendantOf("records.path", ":source"), {
        isRoot: 0,
        parent: targetOf("records.parent"),
        name: "records.name",
      }),
      parameters,
    );
  }

  /** Refuses a file at the path of a directory and the reverse, and paths that are long or deep. */
  #check(): void {
    this.#checkKinds();
    this.#checkPaths();
  }

  #checkKinds(): void {
    const mismatch = this.#connection.get(
      `SELECT target_path, conflict_is_dir FROM temp.plan
       WHERE conflict_is_dir <> is_dir ORDER BY position LIMIT 1`,
    );
    if (mismatch !== undefined) {
      throw new AppError(
        "ErrResourcesConflict",
        `Cannot write to ${quoted(String(mismatch.target_path))}: ` +
          `a ${mismatch.conflict_is_dir === 1 ? "directory" : "file"} has this path`,
      );
    }
  }

  #checkPaths(): void {
    const segments = "octet_length(target_path) - octet_length(replace(target_path, '/', '')) + 1";
    const invalid = this.#connection.get(
      `SELECT target_path, octet_length(target_path) > :maxBytes AS long FROM temp.plan
       WHERE octet_length(target_path) > :maxBytes OR ${segments} > :maxSegments
       ORDER BY position LIMIT 1`,
      { maxBytes: MAX_PATH_BYTES, maxSegments: MAX_PATH_SEGMENTS },
    );
    if (invalid === undefined) return;
    const reason = invalid.long === 1
      ? `longer than ${MAX_PATH_BYTES} bytes`
      : `more than ${MAX_PATH_SEGMENTS} segments`;
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid path ${quoted(String(invalid.target_path))}: ${reason}`,
    );
  }

  /** Deletes the files that other files replace. */
  *#overwrite(): Generator<TransferEffect, void> {
    yield* this.#read(
      () => "overwritten",
      "records.id = plan.conflicts_with AND plan.is_dir = 0",
    );
    this.#connection.run(
      "DELETE FROM records WHERE id IN (SELECT conflicts_with FROM temp.plan WHERE is_dir = 0)",
    );
  }

  /**
   * Reads records joined with the plan, in its order. Does not use {@link Connection.iterate}, which
   * ends silently when SQLite fails.
   */
  *#read(
    kindOf: (row: SqlRow) => TransferEffect["kind"],
    joined: string,
    parameters: SqlParameters = {},
  ): Generator<TransferEffect, void> {
    for (let after = 0;;) {
      const rows = this.#connection.all(
        `SELECT plan.position, plan.source_path, plan.conflicts_with, ${RECORD_COLUMNS}
         FROM temp.plan AS plan CROSS JOIN records ON ${joined}
         WHERE plan.position > :after ORDER BY plan.position LIMIT ${PAGE_RECORDS}`,
        { ...parameters, after },
      );
      for (const row of rows) {
        yield { kind: kindOf(row), record: toRecord(row), source: String(row.source_path) };
        after = Number(row.position);
      }
      if (rows.length < PAGE_RECORDS) return;
    }
  }

  /** Moves records to temporary paths, as a target path may be that of a record that moves later. */
  #vacate(): void {
    // Paths in requests hold no control characters (C 4), so these paths are free.
    this.#connection.run(
      `UPDATE records
       SET path = char(1) || records.id, parent = NULL, name = char(1) || records.id
       FROM temp.plan AS plan WHERE records.id = plan.id AND ${RELOCATED}`,
    );
  }
}
