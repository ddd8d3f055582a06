import { AppError, quoted } from "../../core/errors.ts";
import { MAX_PATH_BYTES } from "../../core/paths.ts";
import type { Placement, TransferEffect } from "../../core/ports.ts";
import type { Connection, Parameters, Row } from "./connection.ts";
import { COLUMNS, split, toRecord } from "./lookup.ts";

/** How many records are read at a time. */
const PAGE = 1000;

/** Where each record of a move or copy goes, and what it meets there. */
const PLAN = `
  CREATE TEMP TABLE plan (
    place INTEGER PRIMARY KEY, -- in the order of the sources, then of the paths
    id INTEGER NOT NULL,
    source TEXT NOT NULL, -- its path
    target TEXT NOT NULL, -- the path that it gets, and its parts
    parent TEXT,
    name TEXT NOT NULL,
    is_root INTEGER NOT NULL,
    is_dir INTEGER NOT NULL,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    crc32 INTEGER NOT NULL,
    met INTEGER, -- the id of the record that it meets at its target
    met_is_dir INTEGER
  ) STRICT;
  CREATE INDEX temp.plan_by_met ON plan (met);`;

/** The records that go to their target: the others are directories that meet a directory. */
const GOES = "(plan.met IS NULL OR plan.is_dir = 0)";

/** The directories that give way to the one that they meet; one that is met itself stays (C 7). */
const MERGES = `NOT ${GOES}
  AND NOT EXISTS (SELECT 1 FROM temp.plan AS other WHERE other.met = plan.id)`;

/** What a copied record meets: whatever is at its target. */
const COPY_MEETS = "TRUE";

/**
 * What a moved record meets. Records that are moved along with it leave their paths first; but a
 * directory above it, at whose path it would arrive, stays where it is (C 7).
 */
const MOVE_MEETS =
  `NOT (met.path = :source OR met.path > :source || '/' AND met.path < :source || '0')
  OR records.path > met.path || '/' AND records.path < met.path || '0'`;

/**
 * Moves and copies of whole subtrees. First a table is filled with what is to be done, then one
 * statement for each kind of change does it, however many records there are.
 */
export class TransferPlan {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.script(PLAN);
  }

  /** `WriteTransaction.moveSubtrees`. It is done when the last effect has been taken. */
  *move(placements: readonly Placement[], now: number): Generator<TransferEffect, void> {
    for (const placement of placements) {
      yield* this.#moveOne(placement, now);
      this.#clear();
    }
  }

  *#moveOne(placement: Placement, now: number): Generator<TransferEffect, void> {
    this.#add(placement, MOVE_MEETS);
    this.#check();
    yield* this.#overwrite();
    // RS 4.4.7: the directory that is moved is removed at the end.
    for (const isRoot of [0, 1]) {
      yield* this.#effects(
        () => "merged",
        `records.id = plan.id AND is_root = ${isRoot} AND ${MERGES}`,
      );
    }
    this.#connection.run(
      `DELETE FROM records WHERE id IN (SELECT id FROM temp.plan AS plan WHERE ${MERGES})`,
    );
    const { source, target } = placement;
    if (source.path.startsWith(`${target}/`)) this.#vacate();
    this.#connection.run(
      `UPDATE records
       SET path = plan.target, parent = plan.parent, name = plan.name, updated_at = :now
       FROM temp.plan AS plan WHERE records.id = plan.id AND ${GOES}`,
      { now },
    );
    yield* this.#effects(() => "updated", `records.id = plan.id AND ${GOES}`);
  }

  /** `WriteTransaction.copySubtrees`. It is done when the last effect has been taken. */
  *copy(placements: readonly Placement[], now: number): Generator<TransferEffect, void> {
    for (const placement of placements) this.#add(placement, COPY_MEETS);
    this.#check();
    yield* this.#overwrite();
    const user = placements[0]?.source.userId ?? 0;
    this.#connection.run(
      `INSERT INTO records
         (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
       SELECT :user, target, parent, name, hash, size, crc32, is_dir, :now, :now
       FROM temp.plan AS plan WHERE ${GOES} ORDER BY place`,
      { user, now },
    );
    yield* this.#effects(
      (row) => row.met === null ? "added" : "updated",
      `records.user_id = :user AND records.path = plan.target AND (${GOES} OR NOT is_root)`,
      { user },
    );
    this.#clear();
  }

  #clear(): void {
    this.#connection.run("DELETE FROM temp.plan");
  }

  /** Plans for the source and all below it; `meets` says which records at a target count. */
  #add({ source, target }: Placement, meets: string): void {
    const counterpart = (path: string) => `:target || substr(${path}, length(:source) + 1)`;
    const add = (which: string, columns: { isRoot: 0 | 1; parent: string; name: string }) =>
      `INSERT INTO temp.plan (
         id, source, target, parent, name, is_root, is_dir, hash, size, crc32, met, met_is_dir
       )
       SELECT records.id, records.path, ${counterpart("records.path")}, ${columns.parent},
         ${columns.name}, ${columns.isRoot}, records.is_dir, records.hash, records.size,
         records.crc32, met.id, met.is_dir
       FROM records LEFT JOIN records AS met
       ON met.user_id = :user AND met.path = ${counterpart("records.path")} AND (${meets})
       WHERE records.user_id = :user AND ${which} ORDER BY records.path`;
    const parameters = { user: source.userId, source: source.path, target };
    const root = this.#connection.get(
      `${
        add("records.path = :source", { isRoot: 1, parent: ":parent", name: ":name" })
      } RETURNING id`,
      { ...parameters, ...split(target) },
    );
    if (root?.id !== source.id) {
      throw new AppError(
        "ErrResourcesInvalidRequest",
        `Cannot move ${quoted(source.path)}: another source took it along, or took its place`,
      );
    }
    if (!source.isDir) return;
    this.#connection.run(
      add("records.path > :source || '/' AND records.path < :source || '0'", {
        isRoot: 0,
        parent: counterpart("records.parent"),
        name: "records.name",
      }),
      parameters,
    );
  }

  /** Refuses what can't be: a file at the path of a directory, or a path that gets too long. */
  #check(): void {
    const mismatch = this.#connection.get(
      "SELECT target, met_is_dir FROM temp.plan WHERE met_is_dir <> is_dir ORDER BY place LIMIT 1",
    );
    if (mismatch !== undefined) {
      throw new AppError(
        "ErrResourcesConflict",
        `Cannot put a record at ${quoted(String(mismatch.target))}: ` +
          `a ${mismatch.met_is_dir === 1 ? "directory" : "file"} has this path`,
      );
    }
    const long = this.#connection.get(
      "SELECT target FROM temp.plan WHERE octet_length(target) > :max ORDER BY place LIMIT 1",
      { max: MAX_PATH_BYTES },
    );
    if (long !== undefined) {
      throw new AppError(
        "ErrResourcesInvalidRequest",
        `Invalid path ${quoted(String(long.target))}: it is longer than ${MAX_PATH_BYTES} bytes`,
      );
    }
  }

  /** Deletes the files that are met by files. */
  *#overwrite(): Generator<TransferEffect, void> {
    yield* this.#effects(
      () => "overwritten",
      "records.id = plan.met AND plan.is_dir = 0",
    );
    this.#connection.run(
      "DELETE FROM records WHERE id IN (SELECT met FROM temp.plan WHERE is_dir = 0)",
    );
  }

  /**
   * The records that the plan is joined with, in its order. Not by `iterate`, which ends without a
   * word where SQLite fails.
   */
  *#effects(
    kindOf: (row: Row) => TransferEffect["kind"],
    joined: string,
    parameters: Parameters = {},
  ): Generator<TransferEffect, void> {
    for (let after = 0;;) {
      const rows = this.#connection.all(
        `SELECT plan.place, plan.source, plan.met, ${COLUMNS}
         FROM temp.plan AS plan CROSS JOIN records ON ${joined}
         WHERE plan.place > :after ORDER BY plan.place LIMIT ${PAGE}`,
        { ...parameters, after },
      );
      for (const row of rows) {
        yield { kind: kindOf(row), record: toRecord(row), source: String(row.source) };
        after = Number(row.place);
      }
      if (rows.length < PAGE) return;
    }
  }

  /** Takes what goes out of the way: it may go where something else leaves only later. */
  #vacate(): void {
    // No path that anybody can ask for holds a control character (C 4).
    this.#connection.run(
      `UPDATE records
       SET path = char(1) || records.id, parent = NULL, name = char(1) || records.id
       FROM temp.plan AS plan WHERE records.id = plan.id AND ${GOES}`,
    );
  }
}
