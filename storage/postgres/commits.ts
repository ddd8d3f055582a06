import { isDisconnected } from "./failures.ts";
import type { Database } from "./database.ts";
import type { Session } from "./session.ts";

/** How long to look for the outcome of a commit, in milliseconds. */
const LOOK_UP_MS = 30_000;
const LOOK_UP_INTERVAL_MS = 100;

/** The engine's error that it never gave out a transaction id, as it has lost what had it in a crash. */
const INVALID_PARAMETER = "22023";

/** The `code` of an error after which a transaction may or may not be carried out. */
const OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN";

/** A transaction as the engine knows it. */
export interface TransactionId {
  readonly xid: string;
  /**
   * Changes when the engine starts after a crash. It may give out ids again then that it gave to
   * transactions of which nothing was durable.
   */
  readonly run: string;
}

/** This run of the engine has no id yet: {@link markRun} gives it one, outside of the transaction. */
export class UnmarkedRun extends Error {
  override readonly name = "UnmarkedRun";
}

/**
 * Takes the id of the current transaction. See docs/design/postgres.md.
 *
 * @throws {UnmarkedRun} in the first transactions of a run of the engine.
 */
export async function transactionId(session: Session): Promise<TransactionId> {
  const row = await session.get(
    "SELECT pg_current_xact_id()::text AS xid, (SELECT id FROM engine_run) AS run",
  );
  const run = runOf(row?.run);
  if (run === undefined) throw new UnmarkedRun("This run of the database server has no id yet");
  return { xid: String(row?.xid), run };
}

/** Gives this run of the engine an id, if it has none: a crash empties the table. */
export async function markRun(session: Session): Promise<void> {
  await session.run("INSERT INTO engine_run (id) VALUES (:id::text) ON CONFLICT DO NOTHING", {
    id: crypto.randomUUID(),
  });
}

/**
 * Commits the transaction of a session. If the connection breaks, looks the outcome up over another one.
 *
 * @throws when the transaction is not carried out.
 * @throws {Error} with the code {@link OUTCOME_UNKNOWN} when that cannot be found out.
 */
export async function commit(
  database: Database,
  session: Session,
  id: TransactionId | undefined,
): Promise<void> {
  try {
    await session.commit();
  } catch (error) {
    if (!isDisconnected(error) || id === undefined) throw error;
    if (!await isCommitted(database, id, error)) throw error;
  }
}

/**
 * Whether the engine is still at work on the transaction of a connection that says nothing. If it cannot be
 * asked, it may be. If it waits for statements that have been sent, the connection is broken: then the
 * transaction is ended, as others wait for its locks.
 */
export async function isAtWork(
  database: Database,
  id: TransactionId | undefined,
): Promise<boolean> {
  if (id === undefined) return false;
  const outcome = await outcomeOf(database, id);
  if (outcome === undefined) return true;
  if (outcome.waitingPid !== null) await endWaiting(database, id.xid, outcome.waitingPid);
  return outcome.waitingPid === null && outcome.status === "in progress";
}

/** Whether an error says that a transaction may or may not be carried out. */
export function isOutcomeUnknown(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === OUTCOME_UNKNOWN;
}

/** Whether a transaction was carried out, whose connection has broken. */
async function isCommitted(
  database: Database,
  id: TransactionId,
  cause: unknown,
): Promise<boolean> {
  const started = performance.now();
  do {
    const outcome = await outcomeOf(database, id);
    if (outcome?.status === "aborted") return false;
    // Another transaction may have had the id since a crash.
    if (outcome?.status === "committed" && outcome.run === id.run) return true;
    if (outcome?.status === "committed") break;
    if (outcome?.waitingPid != null) await endWaiting(database, id.xid, outcome.waitingPid);
    await new Promise((resolve) => setTimeout(resolve, LOOK_UP_INTERVAL_MS));
  } while (performance.now() - started < LOOK_UP_MS);
  const error = new Error("The outcome of a commit is unknown", { cause });
  throw Object.assign(error, { code: OUTCOME_UNKNOWN });
}

/** What the engine says about a transaction. */
interface Outcome {
  readonly status: unknown;
  readonly run: string | undefined;
  /** The process of the engine that waits for the next statement of the transaction, if one does. */
  readonly waitingPid: number | null;
}

const WAITING = "pg_stat_activity WHERE backend_xid = :xid::xid8::xid AND state LIKE 'idle in %'";

/** The outcome of a transaction, or undefined if the engine cannot be asked now. */
async function outcomeOf(
  database: Database,
  { xid, run }: TransactionId,
): Promise<Outcome | undefined> {
  const aborted = { status: "aborted", run: undefined, waitingPid: null };
  try {
    const row = await database.get(
      `SELECT pg_xact_status(:xid::xid8) AS status, (SELECT id FROM engine_run) AS run,
         (SELECT pid FROM ${WAITING} LIMIT 1) AS pid`,
      { xid },
    );
    const pid = row?.pid;
    // A crash ends all transactions: what has the id now is another one, of which this one must end nothing.
    if (row?.status === "in progress" && runOf(row.run) !== run) return aborted;
    return {
      status: row?.status,
      run: runOf(row?.run),
      waitingPid: typeof pid === "number" ? pid : null,
    };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // An id of the future is one of which nothing was durable.
    return code === INVALID_PARAMETER ? aborted : undefined;
  }
}

/** Ends a transaction whose connection has broken, and that waits for a statement: the engine has yet to notice. */
async function endWaiting(database: Database, xid: string, pid: number): Promise<void> {
  try {
    await database.get(
      `SELECT pg_terminate_backend(pid) FROM ${WAITING} AND pid = :pid::integer`,
      { xid, pid },
    );
  } catch {
    // It is asked again.
  }
}

function runOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
