import type { SQLOutputValue } from "node:sqlite";
import { nameOf } from "../../core/paths.ts";
import type { Placement } from "../../core/ports.ts";
import type { SqlParameters } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { RECORD_COLUMNS } from "./lookup.ts";
import { MovedTable } from "./moved_table.ts";
import {
  COPY_CONFLICTS,
  IN_RANGE,
  MOVE_CONFLICTS,
  type PlanSource,
  PlanTable,
  type Range,
} from "./plan_table.ts";
import type { PastTree } from "../tables/history_store.ts";
import type { EffectRows } from "../tables/record_pages.ts";
import type { Keeper } from "./tree_history.ts";

/** Selects records that get their target path. The others are directories that merge into one. */
const RELOCATED = "(plan.conflicts_with IS NULL OR plan.is_dir = 0)";

/** What a step did to records, if it did anything. */
type Step = EffectRows | undefined;

/**
 * Moves and copies whole subtrees, in steps of some hundred records. The first steps fill a temporary
 * table with one row for each record; the others carry the plan out.
 * See docs/design/moves.md.
 */
export class TransferPlan {
  readonly #connection: Connection;
  readonly #keeper: Keeper;
  readonly #table: PlanTable;
  readonly #moved: MovedTable;
  /** Selects directories that merging removes. One that another record conflicts with stays (C 7). */
  readonly #merged: string;

  /**
   * @param keeper Keeps the former state of what the plan changes.
   * @param table The name of the plan's table, and the start of that of another one.
   */
  constructor(connection: Connection, keeper: Keeper, table: string) {
    this.#connection = connection;
    this.#keeper = keeper;
    this.#table = new PlanTable(connection, table);
    this.#moved = new MovedTable(connection, `${table}_moved`);
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
    this.#moved.clear();
    for (const placement of placements) {
      this.#table.clear();
      yield* this.#add(placement, { conflicts: MOVE_CONFLICTS });
      const { userId, path } = placement.source;
      yield* this.#overwrite(userId);
      yield* this.#removeMerged(userId);
      if (path.startsWith(`${placement.target}/`)) yield* this.#vacate(userId);
      yield* this.#relocate(userId, { now, isOnly: placements.length === 1 });
    }
    yield* this.#relocated();
    this.#table.clear();
    this.#moved.clear();
  }

  /**
   * Plans the copy of all placements together, then carries it out.
   *
   * @param past What the tree had then is copied. @default what it has
   * @throws {AppError} as `WriteTransaction.copySubtrees` does.
   */
  *copy(placements: readonly Placement[], now: number, past?: PastTree): Generator<Step, void> {
    this.#table.clear();
    const source = { conflicts: COPY_CONFLICTS, past };
    for (const placement of placements) yield* this.#add(placement, source);
    const user = placements[0]?.source.userId ?? 0;
    yield* this.#overwrite(user);
    const since = this.#keeper.versionOf(user);
    for (const range of this.#table.ranges()) {
      const added = this.#connection.run(
        `INSERT INTO records
           (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, since)
         SELECT :user, target_path, target_parent, target_name, hash, size, crc32, is_dir, :now, :now,
           :since
         FROM ${this.#table.name} AS plan WHERE ${IN_RANGE} AND ${RELOCATED} ORDER BY position`,
        { user, now, since, ...range },
      );
      if (added > 0) this.#keeper.added(user, added);
      const rows = this.#rows(
        "plan.conflicts_with",
        `records.user_id = :user AND records.path = plan.target_path
           AND (${RELOCATED} OR NOT is_root)`,
        { user, ...range },
      );
      const isNew = (values: readonly SQLOutputValue[]) => values.at(-1) === null;
      yield { effect: "added", rows: rows.filter(isNew) };
      yield { effect: "updated", rows: rows.filter((values) => !isNew(values)) };
    }
    this.#table.clear();
  }

  *#add(placement: Placement, source: PlanSource): Generator<Step, void> {
    for (const _ of this.#table.add(placement, source)) yield undefined;
  }

  /** Deletes the files that other files replace. */
  *#overwrite(user: number): Generator<Step, void> {
    if (!this.#table.hasConflicts) return;
    const ids =
      `SELECT conflicts_with FROM ${this.#table.name} AS plan WHERE ${IN_RANGE} AND is_dir = 0`;
    for (const range of this.#table.ranges()) {
      const rows = this.#former("records.id = plan.conflicts_with AND plan.is_dir = 0", range);
      this.#delete(user, ids, range);
      yield { effect: "overwritten", rows };
    }
  }

  /** Deletes the directories that merge into others. The moved one comes last (RS 4.4.7). */
  *#removeMerged(user: number): Generator<Step, void> {
    if (!this.#table.hasConflicts) return;
    for (const isRoot of [0, 1]) {
      const merged = `is_root = ${isRoot} AND ${this.#merged}`;
      const ids = `SELECT id FROM ${this.#table.name} AS plan WHERE ${IN_RANGE} AND ${merged}`;
      for (const range of this.#table.ranges()) {
        const rows = this.#former(`records.id = plan.id AND ${merged}`, range);
        this.#delete(user, ids, range);
        yield { effect: "merged", rows };
      }
    }
  }

  /** Moves records to temporary paths, as a target path may be that of a record that moves later. */
  *#vacate(user: number): Generator<Step, void> {
    for (const range of this.#table.ranges()) {
      const since = this.#keepRelocated(user, range);
      // Paths in requests hold no control characters (C 4), so these paths are free.
      this.#connection.run(
        `UPDATE records
         SET path = char(1) || records.id, parent = NULL, name = char(1) || records.id, since = :since
         FROM ${this.#table.name} AS plan
         WHERE ${IN_RANGE} AND records.id = plan.id AND ${RELOCATED}`,
        { since, ...range },
      );
      yield undefined;
    }
  }

  *#relocate(
    user: number,
    { now, isOnly }: { readonly now: number; readonly isOnly: boolean },
  ): Generator<Step, void> {
    for (const range of this.#table.ranges()) {
      const since = this.#keepRelocated(user, range);
      this.#connection.run(
        `UPDATE records
         SET path = plan.target_path, parent = plan.target_parent, name = plan.target_name,
           updated_at = :now, since = :since
         FROM ${this.#table.name} AS plan
         WHERE ${IN_RANGE} AND records.id = plan.id AND ${RELOCATED}`,
        { now, since, ...range },
      );
      if (isOnly) {
        const rows = this.#rows("NULL", `records.id = plan.id AND ${RELOCATED}`, range);
        yield { effect: "updated", rows };
      } else {
        this.#moved.add(
          `SELECT id, source_path FROM ${this.#table.name} AS plan
           WHERE ${IN_RANGE} AND ${RELOCATED} ORDER BY position`,
          range,
        );
        yield undefined;
      }
    }
  }

  /** The records that several sources have moved, as they are now. */
  *#relocated(): Generator<Step, void> {
    for (const range of this.#moved.ranges()) {
      const rows = this.#connection.values(
        `SELECT ${RECORD_COLUMNS} FROM ${this.#moved.name} AS moved CROSS JOIN records
         ON records.id = moved.id
         WHERE position > :after AND position <= :upTo ORDER BY position`,
        range,
      );
      yield { effect: "updated", rows };
    }
  }

  /** Returns the version that the move makes. */
  #keepRelocated(user: number, range: Range): number {
    const ids = `SELECT id FROM ${this.#table.name} AS plan WHERE ${IN_RANGE} AND ${RELOCATED}`;
    this.#keeper.keep(user, "moved", `id IN (${ids})`, { ...range });
    return this.#keeper.versionOf(user);
  }

  #delete(user: number, ids: string, range: Range): void {
    this.#keeper.keep(user, "dropped", `id IN (${ids})`, { ...range });
    this.#moved.remove(ids, range);
    this.#connection.run(`DELETE FROM records WHERE id IN (${ids})`, range);
  }

  /** Like {@link #rows}, for records that are about to be deleted: with the paths before the move. */
  #former(joined: string, range: Range): SQLOutputValue[][] {
    const former = `(SELECT moved.source_path FROM ${this.#moved.name} AS moved
      WHERE moved.id = records.id)`;
    return this.#rows(former, joined, range).map((values) => {
      const path = values.at(-1);
      return typeof path === "string" ? values.with(2, path).with(3, nameOf(path)) : values;
    });
  }

  /** The records joined with a part of the plan, in its order, and one more value each. */
  #rows(
    value: string,
    joined: string,
    parameters: SqlParameters & Range,
  ): SQLOutputValue[][] {
    return this.#connection.values(
      `SELECT ${RECORD_COLUMNS}, ${value}
       FROM ${this.#table.name} AS plan CROSS JOIN records ON ${joined}
       WHERE ${IN_RANGE} ORDER BY plan.position`,
      parameters,
    );
  }
}
