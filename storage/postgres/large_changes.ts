import { RetryLater } from "../../core/errors.ts";
import { isBelow as isBelowPath, outermost } from "../../core/paths.ts";
import type { Database } from "./database.ts";
import { asUnavailable, busyChange, isEngineFailure } from "./failures.ts";
import { largeChangeLock, treeLock } from "./locks.ts";
import type { PastTree } from "../tables/history_store.ts";
import { asOf, HISTORY } from "./past.ts";
import { indexed, isBelow } from "./path_conditions.ts";
import type { Session } from "./session.ts";
import { lockTree } from "./tree_turns.ts";

/** A change of more records than this is large. */
export const MAX_DIRECT_RECORDS = 10_000;
/** How long work waits for a large change of the same records, in milliseconds. */
const MAX_WAIT_MS = 30_000;
/** How long a change may take to begin, once it is noted, in seconds. */
const START_S = 10;
/** How often it looks for the end: each time later, up to the second. */
const FIRST_LOOK_MS = 20;
const LOOK_MS = 500;

/** What is changed with all that is below it: a record, or the path of one that comes. */
export interface Root {
  readonly userId: number;
  readonly path: string;
  /** Whether it is a directory that is there already. @default false */
  readonly isDir?: boolean;
}

/** Thrown by work that has to be carried out as a large change. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** Thrown by work that changes something else than when it was found to be large. */
export class Strayed extends Error {
  override readonly name = "Strayed";
}

/** The outermost of the roots. */
export function outermostRoots(roots: readonly Root[]): Root[] {
  return [...Map.groupBy(roots, ({ userId }) => userId)].flatMap(([userId, own]) =>
    outermost(own.map(({ path }) => path)).map((path) => ({ userId, path }))
  );
}

/** Whether some roots are among others, or below them. */
export function areWithin(roots: readonly Root[], others: readonly Root[]): boolean {
  return roots.every((root) =>
    others.some(({ userId, path }) =>
      userId === root.userId && (path === root.path || isBelowPath(root.path, path))
    )
  );
}

/**
 * Fails while another large change has something at, above or below the roots. Call it under the locks of
 * their trees: none begins before the transaction ends.
 */
export async function requireFree(session: Session, roots: readonly Root[]): Promise<void> {
  await Promise.all(
    Map.groupBy(roots, ({ userId }) => userId).entries().map(([user, own]) =>
      session.run("SELECT require_free(:user::bigint, :paths::text[])", {
        user,
        paths: own.map(({ path }) => path),
      })
    ),
  );
}

/** {@link requireFree} for files by their ids. */
export async function requireFilesFree(
  session: Session,
  files: readonly { readonly id: number }[],
): Promise<void> {
  if (files.length === 0) return;
  await session.run(
    `SELECT require_free(user_id, array_agg(path)) FROM records
     WHERE id = ANY (:ids::bigint[]) AND EXISTS (SELECT FROM large_changes) GROUP BY user_id`,
    { ids: files.map(({ id }) => id) },
  );
}

/**
 * Whether more records than `max` are at and below the roots.
 *
 * @param past The tree of which they are. @default as it is now
 */
export async function isLarge(
  session: Session,
  roots: readonly Root[],
  max: number,
  past?: PastTree,
): Promise<boolean> {
  const directories = roots.filter(({ isDir }) => isDir);
  if (directories.length === 0) return roots.length > max;
  // Of the past, all rows would be read for their order: some are in no index of paths.
  const order = past === undefined ? `ORDER BY ${indexed("records.path")}` : "";
  const counting = {
    sql: `SELECT count(*) AS found FROM (
       SELECT FROM unnest(:users::bigint[], :paths::text[]) AS root (user_id, path)
       CROSS JOIN LATERAL (
         SELECT FROM records
         WHERE records.user_id = root.user_id AND ${isBelow("records.path", "root.path")}
         ${order} LIMIT :max::bigint + 1
       ) AS below LIMIT :max::bigint + 1
     ) AS limited`,
    parameters: {
      users: directories.map(({ userId }) => userId),
      paths: directories.map(({ path }) => path),
      max,
    },
  };
  const { sql, parameters } = asOf(counting, past, HISTORY.below("root.path"));
  const row = await session.get(sql, parameters);
  return Number(row?.found) + roots.length > max;
}

/** The changes whose lock nobody holds, though they have had time to take it. */
const ENDED = `noted_at < clock_timestamp() - interval '${START_S} seconds'
  AND pg_try_advisory_xact_lock_shared(${largeChangeLock("change")})`;

/**
 * Lets no other work change what is at, above or below the roots, until a large change has ended, which is to
 * begin at once. Returns its number. It needs a connection before the change does, not besides: there may be few.
 */
export async function noteLargeChange(
  database: Database,
  roots: readonly Root[],
): Promise<string> {
  // The caller looks at the failure itself.
  await using held = await database.connect("writes");
  const { session } = held;
  const owners = [...new Set(roots.map(({ userId }) => userId))].sort((a, b) => a - b);
  const sent = [
    session.begin(),
    ...owners.map((userId) => lockTree(session, treeLock(userId))),
    session.run(`DELETE FROM large_changes WHERE ${ENDED}`),
    requireFree(session, roots),
  ];
  const noted = session.values(
    `INSERT INTO large_changes (change, user_id, path)
       SELECT number.change, user_id, path
       FROM (SELECT nextval('large_change') AS change) AS number,
         unnest(:users::bigint[], :paths::text[]) AS root (user_id, path)
       RETURNING change`,
    { users: roots.map(({ userId }) => userId), paths: roots.map(({ path }) => path) },
  );
  // The first failure has caused the others.
  await Promise.allSettled([...sent, noted]);
  if (session.failure !== undefined) throw session.failure;
  await session.commit();
  held.keep();
  return String((await noted)[0]?.[0]);
}

/**
 * Begins a large change in the current transaction: who has its number sees when it ends.
 *
 * @throws {Strayed} when it has taken so long to begin that others may change the same.
 */
export async function beginLargeChange(session: Session, change: string): Promise<void> {
  const [, , row] = await Promise.all([
    session.run(`SELECT pg_advisory_xact_lock(${largeChangeLock(":change::bigint")})`, { change }),
    session.run(
      `SELECT set_config('strongroom.large', 'on', true),
         set_config('strongroom.change', :change::text, true)`,
      { change },
    ),
    session.get("SELECT change FROM large_changes WHERE change = :change::bigint LIMIT 1", {
      change,
    }),
  ]);
  if (row === undefined) throw new Strayed("A large change began too late");
}

/** Does what a large change has put off, in its transaction, under the locks of its trees. */
export async function bringUp(session: Session, change: string): Promise<void> {
  await Promise.all([
    session.run("SELECT bring_up(), end_version()"),
    session.run("DELETE FROM large_changes WHERE change = :change::bigint", { change }),
  ]);
}

/** Forgets a large change that has failed. If that fails, others do so when they look for its end. */
export async function forgetLargeChange(database: Database, change: string): Promise<void> {
  try {
    await database.use(
      "writes",
      (session) =>
        session.run("DELETE FROM large_changes WHERE change = :change::bigint", { change }),
    );
  } catch (error) {
    if (!isEngineFailure(error) && !(error instanceof RetryLater)) throw error;
  }
}

/** Whether a large change has ended. What one has left that was broken off is removed. */
async function hasEnded(database: Database, change: string): Promise<boolean> {
  const row = await database.get(
    `WITH ended AS (
       DELETE FROM large_changes WHERE change = :change::bigint AND ${ENDED} RETURNING change
     )
     SELECT EXISTS (SELECT FROM ended)
       OR NOT EXISTS (SELECT FROM large_changes WHERE change = :change::bigint) AS ended`,
    { change },
  );
  return row?.ended === true;
}

/** A large change for whose end work of this server waits. */
interface Wait {
  readonly ended: Promise<void>;
  waiting: number;
}

/** The large changes for whose ends work of this server waits, without a connection. */
export class LargeChangeWaits {
  readonly #database: Database;
  readonly #waits = new Map<string, Wait>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Waits for the end of the large change that an error says is going on. Returns whether it is such an error.
   *
   * @param started When the work began that waits.
   * @throws {AppError} `ErrUnavailable` when the end does not come in time.
   */
  async endedAfter(error: unknown, started: number): Promise<boolean> {
    const change = busyChange(error);
    if (change === undefined) return false;
    const wait = this.#waits.get(change) ?? this.#begin(change);
    wait.waiting++;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(asUnavailable(error)),
      started + MAX_WAIT_MS - performance.now(),
    );
    try {
      await Promise.race([wait.ended, late.promise]);
      return true;
    } finally {
      clearTimeout(timer);
      wait.waiting--;
    }
  }

  #begin(change: string): Wait {
    const wait: Wait = { ended: this.#look(change), waiting: 0 };
    this.#waits.set(change, wait);
    return wait;
  }

  /** Looks for the end while anyone waits for it. */
  async #look(change: string): Promise<void> {
    try {
      for (let pause = FIRST_LOOK_MS;; pause = Math.min(2 * pause, LOOK_MS)) {
        await new Promise((resolve) => setTimeout(resolve, pause));
        if (this.#waits.get(change)?.waiting === 0) return;
        if (await hasEnded(this.#database, change)) return;
      }
    } finally {
      this.#waits.delete(change);
    }
  }
}
