import type { SQLOutputValue } from "node:sqlite";
import { compareBytewise, outermost } from "../../core/paths.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import type { Connection } from "./connection.ts";
import { RECORD_COLUMNS } from "./lookup.ts";
import type { Keeper } from "./tree_history.ts";
import type { EffectRows } from "../tables/record_pages.ts";

/** Records that one step deletes. */
const PAGE_RECORDS = 1000;

/** The paths from `low` up to, but not including, `high`. */
interface PathRange {
  readonly low: string;
  readonly high: string;
}

/** The first record of one user that is to be deleted. */
interface Next {
  readonly path: string;
  readonly createdAt: number;
}

/**
 * Deletes the roots with all their descendants, in steps, by path and then by age (RS 4.6.5).
 *
 * @param keeper Keeps the state of what is deleted.
 */
export function* deletion(
  connection: Connection,
  keeper: Keeper,
  roots: readonly ResourceRecord[],
): Generator<EffectRows, void> {
  const owners = [...Map.groupBy(roots, ({ userId }) => userId)].map(([userId, owned]) =>
    new OwnedSubtrees(connection, keeper, { userId, roots: owned })
  );
  const [only, another] = owners;
  if (only !== undefined && another === undefined) yield* only.deleteAll();
  else yield* merged(owners);
}

/** Deletes of the owner whose next record comes first, up to the next record of another one. */
function* merged(owners: readonly OwnedSubtrees[]): Generator<EffectRows, void> {
  for (;;) {
    const [first, second] = owners
      .flatMap((subtrees) => {
        const next = subtrees.next();
        return next === undefined ? [] : [{ subtrees, next }];
      })
      .sort((a, b) => byPathThenAge(a.next, b.next));
    if (first === undefined) return;
    yield first.subtrees.deleteUpTo(second?.next.path);
  }
}

/** The name is part of the path, so comparing names adds nothing. */
function byPathThenAge(a: Next, b: Next): number {
  return compareBytewise(a.path, b.path) || a.createdAt - b.createdAt;
}

/** Subtrees of one user, of which none contains another. */
class OwnedSubtrees {
  readonly #connection: Connection;
  readonly #keeper: Keeper;
  readonly #user: number;
  /** What remains, in order: each root, and what is below it. */
  readonly #ranges: PathRange[];

  constructor(
    connection: Connection,
    keeper: Keeper,
    { userId, roots }: { userId: number; roots: readonly ResourceRecord[] },
  ) {
    this.#connection = connection;
    this.#keeper = keeper;
    this.#user = userId;
    const directories = new Set(roots.filter(({ isDir }) => isDir).map(({ path }) => path));
    this.#ranges = outermost(roots.map(({ path }) => path)).flatMap((path) => [
      at(path),
      ...directories.has(path) ? [{ low: `${path}/`, high: `${path}0` }] : [],
    ]).sort((a, b) => compareBytewise(a.low, b.low));
  }

  *deleteAll(): Generator<EffectRows, void> {
    let alone: string[] = [];
    for (const range of this.#ranges) {
      if (isAlone(range)) {
        alone.push(range.low);
        if (alone.length < PAGE_RECORDS) continue;
      }
      if (alone.length > 0) yield this.#deleteAlone(alone);
      alone = [];
      if (!isAlone(range)) yield* this.#deleteRange(range);
    }
    if (alone.length > 0) yield this.#deleteAlone(alone);
  }

  *#deleteRange(range: PathRange): Generator<EffectRows, void> {
    for (let last = PAGE_RECORDS; last === PAGE_RECORDS;) {
      const deleted = this.#delete(range);
      last = deleted.rows.length;
      yield deleted;
    }
  }

  /** Deletes records without their descendants: many roots take one step, and make one page. */
  #deleteAlone(paths: readonly string[]): EffectRows {
    const parameters = { user: this.#user, paths: JSON.stringify(paths) };
    const condition = "user_id = :user AND path IN (SELECT value FROM json_each(:paths))";
    const rows = this.#connection.values(
      `SELECT ${RECORD_COLUMNS} FROM records WHERE ${condition} ORDER BY path`,
      parameters,
    );
    this.#keeper.keep(this.#user, "dropped", condition, parameters);
    this.#connection.run(`DELETE FROM records WHERE ${condition}`, parameters);
    return { effect: "deleted", rows };
  }

  /** The record that {@link deleteUpTo} deletes first, or undefined if none are left. */
  next(): Next | undefined {
    for (let [range] = this.#ranges; range !== undefined; [range] = this.#ranges) {
      const row = this.#connection.get(
        `SELECT path, created_at FROM records
         WHERE user_id = :user AND path >= :low AND path < :high ORDER BY path LIMIT 1`,
        { user: this.#user, ...range },
      );
      if (row !== undefined) return { path: String(row.path), createdAt: Number(row.created_at) };
      this.#ranges.shift();
    }
    return undefined;
  }

  /** Deletes the next record, and those that follow it before the path `end`. */
  deleteUpTo(end: string | undefined): EffectRows {
    const { path = "" } = this.next() ?? {};
    const { high = "" } = this.#ranges[0] ?? {};
    if (path === end) return this.#delete(at(path));
    const isEarlier = end !== undefined && compareBytewise(end, high) < 0;
    return this.#delete({ low: path, high: isEarlier ? end : high });
  }

  /** Deletes the first records of a range. */
  #delete(range: PathRange): EffectRows {
    const parameters = { user: this.#user, low: range.low };
    const rows = this.#connection.values(
      `SELECT ${RECORD_COLUMNS} FROM records
       WHERE user_id = :user AND path >= :low AND path < :high ORDER BY path LIMIT ${PAGE_RECORDS}`,
      { ...parameters, high: range.high },
    );
    const last = pathOf(rows.at(-1));
    if (last !== undefined) {
      const condition = "user_id = :user AND path >= :low AND path <= :last";
      this.#keeper.keep(this.#user, "dropped", condition, { ...parameters, last });
      this.#connection.run(`DELETE FROM records WHERE ${condition}`, { ...parameters, last });
    }
    return { effect: "deleted", rows };
  }
}

/** The range of a path alone: paths hold no control characters (C 4). */
function at(path: string): PathRange {
  return { low: path, high: `${path}\u0001` };
}

/** Whether the range is that of a path alone. */
function isAlone({ low, high }: PathRange): boolean {
  return high === at(low).high;
}

function pathOf(values: readonly SQLOutputValue[] | undefined): string | undefined {
  return values === undefined ? undefined : String(values[2]);
}
