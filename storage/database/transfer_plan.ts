import type { SQLOutputValue } from "node:sqlite";
import type { Placement, TransferEffect } from "../../core/ports.ts";
import type { ChangeJournal } from "./change_journal.ts";
import type { Connection, SqlParameters } from "./connection.ts";
import { RECORD_COLUMNS, recordOf } from "./lookup.ts";
import { COPY_CONFLICTS, IN_RANGE, MOVE_CONFLICTS, PlanTable, type Range } from "./plan_table.ts";

/** Selects records that get their target path. The others are directories that merge into one. */
const RELOCATED = "(plan.conflicts_with IS NULL OR plan.is_dir = 0)";

/** The effects of a step; it may have none. */
type Step = readonly TransferEffect[];

const NO_EFFECTS: Step = [];

/**
 * Moves and copies whole subtrees, in steps of some hundred records. The first steps fill a temporary
 * table with one row for each record; the others carry the plan out.
 */
export class TransferPlan {
  readonly #connection: Connection;
  readonly #journal: ChangeJournal | undefined;
  readonly #table: PlanTable;
  /** Selects directories that merging removes. One that another record conflicts with stays (C 7). */
  readonly #merged: string;

  /**
   * @param journal Keeps the former state of what the plan changes, if it is a large change.
   * @param table The name of the plan's table.
   */
  constructor(connection: Connection, journal: ChangeJournal | undefined, table: string) {
    this.#connection = connection;
    this.#journal = journal;
    this.#table = new PlanTable(connection, table);
    this.#merged = `NOT ${RELOCATED} AND NOT EXISTS (
      SELECT 1 FROM ${this.#table.name} AS other WHERE other.conflicts_with = plan.id)`;
  }

  /**
   * Moves the placements, one after the other. Each further one is planned when its turn comes, because
   * the moves before it change what it finds.
   *
   * @throws {AppError} as `WriteTransaction.moveSubtrees` does.
   */
  *move(placements: readonly Placement[], now: number): Generator<Step, void> {
    for (const placement of placements) {
      this.#table.clear();
      yield* this.#add(placement, MOVE_CONFLICTS);
      yield* this.#overwrite();
      yield* this.#removeMerged();
      if (placement.source.path.startsWith(`${placement.target}/`)) yield* this.#vacate();
      yield* this.#relocate(now);
    }
    this.#table.clear();
  }

  /**
   * Plans the copy of all placements together, then carries it out.
   *
   * @throws {AppError} as `WriteTransaction.copySubtrees` does.
   */
  *copy(placements: readonly Placement[], now: number): Generator<Step, void> {
    this.#table.clear();
    for (const placement of placements) yield* this.#add(placement, COPY_CONFLICTS);
    yield* this.#overwrite();
    const user = placements[0]?.source.userId ?? 0;
    for (const range of this.#table.ranges()) {
      this.#connection.run(
        `INSERT INTO records
           (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
         SELECT :user, target_path, target_parent, target_name, hash, size, crc32, is_dir, :now, :now
         FROM ${this.#table.name} AS plan WHERE ${IN_RANGE} AND ${RELOCATED} ORDER BY position`,
        { user, now, ...range },
      );
      yield this.#effects(
        (conflictsWith) => conflictsWith === null ? "added" : "updated",
        `records.user_id = :user AND records.path = plan.target_path
           AND (${RELOCATED} OR NOT is_root)`,
        { user, ...range },
      );
    }
    this.#table.clear();
  }

  *#add(placement: Placement, conflicts: string): Generator<Step, void> {
    for (const _ of this.#table.add(placement, conflicts)) yield NO_EFFECTS;
  }

  /** Deletes the files that other files replace. */
  *#overwrite(): Generator<Step, void> {
    if (!this.#table.hasConflicts) return;
    const ids =
      `SELECT conflicts_with FROM ${this.#table.name} AS plan WHERE ${IN_RANGE} AND is_dir = 0`;
    for (const range of this.#table.ranges()) {
      const effects = this.#effects(
        () => "overwritten",
        "records.id = plan.conflicts_with AND plan.is_dir = 0",
        range,
      );
      this.#delete(ids, range);
      yield effects;
    }
  }

  /** Deletes the directories that merge into others. The moved one comes last (RS 4.4.7). */
  *#removeMerged(): Generator<Step, void> {
    if (!this.#table.hasConflicts) return;
    for (const isRoot of [0, 1]) {
      const merged = `is_root = ${isRoot} AND ${this.#merged}`;
      const ids = `SELECT id FROM ${this.#table.name} AS plan WHERE ${IN_RANGE} AND ${merged}`;
      for (const range of this.#table.ranges()) {
        const effects = this.#effects(() => "merged", `records.id = plan.id AND ${merged}`, range);
        this.#delete(ids, range);
        yield effects;
      }
    }
  }

  /** Moves records to temporary paths, as a target path may be that of a record that moves later. */
  *#vacate(): Generator<Step, void> {
    for (const range of this.#table.ranges()) {
      this.#keepRelocated(range);
      // Paths in requests hold no control characters (C 4), so these paths are free.
      this.#connection.run(
        `UPDATE records
         SET path = char(1) || records.id, parent = NULL, name = char(1) || records.id
         FROM ${this.#table.name} AS plan
         WHERE ${IN_RANGE} AND records.id = plan.id AND ${RELOCATED}`,
        range,
      );
      yield NO_EFFECTS;
    }
  }

  *#relocate(now: number): Generator<Step, void> {
    for (const range of this.#table.ranges()) {
      this.#keepRelocated(range);
      this.#connection.run(
        `UPDATE records
         SET path = plan.target_path, parent = plan.target_parent, name = plan.target_name,
           updated_at = :now
         FROM ${this.#table.name} AS plan
         WHERE ${IN_RANGE} AND records.id = plan.id AND ${RELOCATED}`,
        { now, ...range },
      );
      yield this.#effects(() => "updated", `records.id = plan.id AND ${RELOCATED}`, range);
    }
  }

  #keepRelocated(range: Range): void {
    this.#journal?.keep(
      `SELECT id FROM ${this.#table.name} AS plan WHERE ${IN_RANGE} AND ${RELOCATED}`,
      range,
    );
  }

  #delete(ids: string, range: Range): void {
    this.#journal?.keep(ids, range);
    this.#connection.run(`DELETE FROM records WHERE id IN (${ids})`, range);
  }

  /** The records joined with a part of the plan, in its order. */
  #effects(
    kindOf: (conflictsWith: SQLOutputValue | undefined) => TransferEffect["kind"],
    joined: string,
    parameters: SqlParameters & Range,
  ): TransferEffect[] {
    const rows = this.#connection.values(
      `SELECT ${RECORD_COLUMNS}, plan.source_path, plan.conflicts_with
       FROM ${this.#table.name} AS plan CROSS JOIN records ON ${joined}
       WHERE ${IN_RANGE} ORDER BY plan.position`,
      parameters,
    );
    return rows.map((values) => ({
      kind: kindOf(values.at(-1)),
      record: recordOf(values),
      source: String(values.at(-2)),
    }));
  }
}
