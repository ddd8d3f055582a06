import { HISTORY_ROW_BYTES } from "../../core/history.ts";
import type { MadeVersions, VersionNote } from "../../core/history_changes.ts";
import type { SqlParameters } from "../tables/dialect.ts";
import { nodeOf } from "../tables/history_nodes.ts";
import type { Connection } from "./connection.ts";

const NODE = nodeOf("since", ":version");

/** What becomes of records that are about to be changed: they go on at other paths, or their content goes. */
export type Fate = "moved" | "dropped";

/** Keeps records as they are, before a statement changes or deletes them. */
export interface Keeper {
  /** The version that the current work makes of a tree, which what it adds or changes is of; 0 without history. */
  versionOf(userId: number): number;
  /** Notes that the last statement has added records of a user, at least one. */
  added(userId: number, records: number): void;
  /**
   * Keeps the records of a user that a condition selects.
   *
   * @param condition May have parameters of these names and no others.
   */
  keep(userId: number, fate: Fate, condition: string, parameters?: SqlParameters): void;
}

/**
 * The versions of trees, and their former records.
 * See docs/design/history.md.
 */
export class TreeHistory implements Keeper {
  readonly #connection: Connection;
  /** Whether history is kept, once the current work has asked. */
  #known: boolean | undefined;
  /** The versions that the current work has made. */
  readonly #made = new Map<number, number>();
  /** Those of the large change that is going on: no other work changes these trees. */
  #large: ReadonlyMap<number, number> = new Map();
  /** The trees in which the current work, or the large change, has moved records. */
  readonly #moved = new Set<number>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Begins a piece of work: each makes a version of its own. */
  beginWork(): void {
    this.#known = undefined;
    this.#made.clear();
    for (const userId of this.#moved) if (!this.#large.has(userId)) this.#moved.delete(userId);
  }

  /** Remembers nothing that was rolled back. */
  rolledBack(): void {
    const rows = this.#connection.all("SELECT user_id, version FROM large_change");
    this.#large = new Map(rows.map((row) => [Number(row.user_id), Number(row.version)]));
    this.beginWork();
  }

  /** The versions that the current work has made of trees so far. */
  get made(): MadeVersions {
    return new Map(this.#made);
  }

  /** Makes a version of each tree, for all steps of a large change. */
  beginLarge(userIds: readonly number[]): MadeVersions {
    this.#made.clear();
    this.#large = new Map(userIds.map((userId) => [userId, this.versionOf(userId)]));
    return this.#large;
  }

  /** Returns the versions that the large change has made. */
  endLarge(): MadeVersions {
    const made = this.#large;
    this.#large = new Map();
    return made;
  }

  get #isOn(): boolean {
    return this.#known ??=
      this.#connection.get("SELECT keeps_history FROM storage_state")?.keeps_history === 1;
  }

  versionOf(userId: number): number {
    if (!this.#isOn) return 0;
    const known = this.#large.get(userId) ?? this.#made.get(userId);
    if (known !== undefined) return known;
    const row = this.#connection.get(
      `INSERT INTO tree_versions (user_id, version, oldest) VALUES (:user, 1, 0)
       ON CONFLICT DO UPDATE SET version = version + 1 RETURNING version`,
      { user: userId },
    );
    const version = Number(row?.version);
    this.#connection.run(
      `INSERT INTO tree_changes (user_id, version, made_at) VALUES (:user, :version, max(:now, ifnull((
         SELECT made_at FROM tree_changes WHERE user_id = :user ORDER BY version DESC LIMIT 1
       ), 0)))`,
      { user: userId, version, now: Date.now() },
    );
    this.#made.set(userId, version);
    return version;
  }

  added(user: number, records: number): void {
    if (!this.#isOn) return;
    this.#connection.run(
      `UPDATE tree_changes SET first_added = ifnull(first_added, last_insert_rowid() - :records + 1),
         last_added = last_insert_rowid()
       WHERE user_id = :user AND version = :version`,
      { user, version: this.versionOf(user), records },
    );
  }

  /** Notes who makes the version that the current work makes of a tree, if it makes one, and why. */
  describe(user: number, { author, message = "" }: VersionNote): void {
    const version = this.#large.get(user) ?? this.#made.get(user);
    if (version === undefined) return;
    this.#connection.run(
      `UPDATE tree_changes SET author = :author, message = nullif(:message, '')
       WHERE user_id = :user AND version = :version`,
      { user, version, author, message },
    );
  }

  keep(userId: number, fate: Fate, condition: string, parameters: SqlParameters = {}): void {
    if (!this.#isOn) return;
    const version = this.versionOf(userId);
    // What the same work has made is nobody's past. The condition has an index of its own.
    const kept = `FROM records WHERE since < :version AND +user_id = :keeper AND (${condition})`;
    const named = { ...parameters, version, keeper: userId };
    if (fate === "moved") this.#moved.add(userId);
    else if (this.#moved.has(userId)) this.#keepContent(condition, named);
    // What a large change keeps gets into order by itself: that takes less than to add rows twice. Others reply first.
    const inOrder = this.#large.has(userId);
    const rows = this.#connection.run(
      `INSERT INTO ${
        inOrder ? "history" : "fresh_history"
      } (user_id, until, id, since, path, parent,
         name, hash, size, crc32, is_dir, created_at, updated_at, is_moved ${
        inOrder ? ", node" : ""
      })
       SELECT user_id, :version, id, since, path, parent, name, hash, size, crc32, is_dir, created_at,
         updated_at, ${Number(fate === "moved")} ${inOrder ? `, ${NODE}` : ""} ${kept}`,
      named,
    );
    if (rows === 0) return;
    this.#count(rows, fate === "moved" ? undefined : kept, named);
  }

  /** What the same work has moved before, and removes now, refers to its content itself. */
  #keepContent(condition: string, parameters: SqlParameters): void {
    const ids =
      `SELECT id FROM records WHERE since = :version AND +user_id = :keeper AND (${condition})`;
    if (this.#connection.get(`${ids} LIMIT 1`, parameters) === undefined) return;
    // Between the steps of a large change, rows may have got into order.
    for (const table of ["fresh_history", "history"]) {
      const moved = `FROM ${table}
        WHERE user_id = :keeper AND until = :version AND is_moved = 1 AND id IN (${ids})`;
      this.#count(0, moved, parameters);
      this.#connection.run(
        `UPDATE ${table} SET is_moved = 0
         WHERE (user_id, until, id) IN (SELECT user_id, until, id ${moved})`,
        parameters,
      );
    }
  }

  /**
   * Counts what is kept.
   *
   * @param rows Rows that were added.
   * @param files What a statement selects those from that no record has any more, if there are any.
   */
  #count(rows: number, files: string | undefined, parameters: SqlParameters): void {
    const { keeper = 0 } = parameters;
    const bytes = files === undefined ? "0" : `ifnull((SELECT sum(size) ${files}), 0)`;
    this.#connection.run(
      `UPDATE tree_versions SET history_bytes = history_bytes + :rows * ${HISTORY_ROW_BYTES} + ${bytes}
       WHERE user_id = :keeper`,
      files === undefined ? { keeper, rows } : { ...parameters, rows },
    );
  }
}
