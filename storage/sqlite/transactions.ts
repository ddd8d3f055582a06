import type { Ballast } from "../disk/ballast.ts";
import { isStorageFull, storageFull, unsynced } from "../disk/storage_full.ts";
import { sleepSync } from "../threads/sleep_sync.ts";
import type { Connection } from "./connection.ts";
import { Generation } from "./generation.ts";
import type { TreeHistory } from "./tree_history.ts";

/** Primary result code of SQLite for a failure of the file system. */
const SQLITE_IOERR = 10;
/** Result code of SQLite for a sync that failed. */
const SQLITE_IOERR_FSYNC = 1034;
/** Those of a commit that failed before it was complete in the log: BUSY, FULL, CONSTRAINT. */
const NOT_LOGGED: ReadonlySet<number | undefined> = new Set([5, 13, 19]);
const MAX_REWRITES = 5;
const REWRITE_INTERVAL_MS = 100;

/** The `code` of an error after which a transaction may or may not be carried out. */
export const OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN";

/** What is told where each piece of work begins, and that some was undone. */
type WorkHistory = Pick<TreeHistory, "beginWork" | "rolledBack">;

/** The write transactions of a connection, one at a time. */
export class Transactions {
  readonly #connection: Connection;
  readonly #ballast: Ballast;
  readonly #history: WorkHistory;
  readonly #generation: Generation;
  #nearlyFull = false;
  /** Whether there is work before the current one, and whether a savepoint separates the two. */
  #hasWork = false;
  #hasSavepoint = false;
  /** Why the transaction has ended before its commit. */
  #failure: unknown;
  /** The last generation that was committed here. */
  #committed: number | undefined;

  constructor(connection: Connection, ballast: Ballast, history: WorkHistory) {
    this.#connection = connection;
    this.#history = history;
    this.#ballast = ballast;
    this.#generation = new Generation(connection);
  }

  /** Whether the disk was nearly full when the transaction began. */
  get nearlyFull(): boolean {
    return this.#nearlyFull;
  }

  begin(): void {
    this.#history.beginWork();
    this.#nearlyFull = this.#ballast.adjust();
    // Once all of the log is in the database, it is written from its start again and needs no space.
    if (this.#nearlyFull) this.#checkpoint();
    // IMMEDIATE takes the write lock now, so that no later statement fails on it.
    this.#connection.run("BEGIN IMMEDIATE");
    this.#hasWork = false;
    this.#hasSavepoint = false;
    this.#failure = undefined;
  }

  /**
   * Runs work of which either everything or nothing is to be done. If it throws, it is rolled back alone. If
   * that has ended the whole transaction, the work that follows fails for the same reason, and the commit.
   */
  attempt<T>(work: () => T): T {
    this.#requireTransaction();
    this.savepoint();
    try {
      return this.refuseFull(work);
    } catch (error) {
      if (!this.rollbackWork()) this.#failure = error;
      throw error;
    }
  }

  /** Separates the work that follows from that before it, if there is any. */
  savepoint(): void {
    this.#history.beginWork();
    // SQLite copies each page that is changed after a savepoint. Releasing one discards its copies.
    if (this.#hasSavepoint) this.#connection.run("RELEASE work");
    if (this.#hasWork) this.#connection.run("SAVEPOINT work");
    this.#hasSavepoint = this.#hasWork;
    this.#hasWork = true;
  }

  /** Rolls the current work back. Returns false if the failure has ended the whole transaction. */
  rollbackWork(): boolean {
    if (!this.#connection.inTransaction) return false;
    if (this.#hasSavepoint) {
      this.#connection.run("ROLLBACK TO work");
      this.#connection.run("RELEASE work");
      this.#hasSavepoint = false;
    } else {
      this.#connection.run("ROLLBACK");
      this.#connection.run("BEGIN IMMEDIATE");
    }
    this.#history.rolledBack();
    return true;
  }

  /**
   * Commits the transaction. If it throws, the transaction is not carried out, not even after a crash.
   * Returns the generation of the database if the transaction has advanced it, or the database file was
   * written.
   *
   * @throws {Error} with the code {@link OUTCOME_UNKNOWN} when that cannot be ensured.
   */
  commit(): number | undefined {
    this.#requireTransaction();
    try {
      const generation = this.#nearlyFull ? undefined : this.#generation.advance();
      this.#connection.run("COMMIT");
      this.#markRead();
      this.#committed = generation ?? this.#committed;
      const moved = this.#generation.committed(generation !== undefined);
      return moved ? this.#committed : generation;
    } catch (error) {
      if (NOT_LOGGED.has(resultCode(error))) this.rollback();
      else this.#overwriteLogged(error);
      throw this.#asStorageFull(error);
    }
  }

  /**
   * Reads what was committed. The first reader of it notes that in the memory that connections share: a write to a
   * file, for which readers on the serving thread would have to wait while the disk stalls.
   */
  #markRead(): void {
    try {
      this.#connection.get("SELECT 1 FROM storage_state");
    } catch {
      // Only time is lost, and not by this thread.
    }
  }

  /** Rolls the transaction back, unless the failure has already ended it. */
  rollback(): void {
    if (this.#connection.inTransaction) this.#connection.run("ROLLBACK");
    this.#history.rolledBack();
  }

  /** Writes to the log without a change of the data. */
  touch(): void {
    // SQLite writes nothing for an empty transaction, but does for a version that stays the same.
    const version = Number(this.#connection.get("PRAGMA user_version")?.user_version);
    this.refuseFull(() => this.#connection.script(`PRAGMA user_version = ${version}`));
  }

  /**
   * Moves the log into the database, so that the next transaction starts it anew. After a crash, it may
   * hold a transaction whose sync failed. If that is lost, all that follow it in the log are lost.
   */
  restartLog(): void {
    try {
      this.#connection.all("PRAGMA wal_checkpoint(RESTART)");
    } catch (error) {
      if (!isStorageFull(error)) throw error;
    }
  }

  /** Keeps the last free space for operations that free some, and for small ones. */
  refuseGrowth(): void {
    if (this.#nearlyFull) throw storageFull();
  }

  /** Reports a statement that fails because the storage is full as such (C 2). */
  refuseFull<T>(statement: () => T): T {
    try {
      return statement();
    } catch (error) {
      throw this.#asStorageFull(error);
    }
  }

  /**
   * Writes over a transaction that failed to commit. If only its sync failed, it is complete in the
   * log, and a start after a crash would carry it out. Another one at its position invalidates it.
   * See docs/design/failed_commits.md.
   */
  #overwriteLogged(cause: unknown): void {
    for (let attempt = 1;; attempt++) {
      try {
        this.rollback();
        return this.touch();
      } catch (error) {
        this.#ballast.release();
        if (attempt === MAX_REWRITES) throw outcomeUnknown(error, cause);
        sleepSync(REWRITE_INTERVAL_MS);
      }
    }
  }

  /** A statement outside of a transaction would be committed by itself. */
  #requireTransaction(): void {
    if (!this.#connection.inTransaction) {
      throw this.#failure ?? new Error("There is no transaction");
    }
  }

  /** Moves as much of the log into the database as readers permit. */
  #checkpoint(): void {
    try {
      this.#connection.all("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // The transaction may find enough space nevertheless.
    }
  }

  /** Converts an error that a full disk caused, and makes room for the next transaction. */
  #asStorageFull(error: unknown): unknown {
    // SQLite hides the error of a failed sync, which is that of a full disk on some file systems.
    const full = isStorageFull(error) ||
      (resultCode(error) === SQLITE_IOERR && this.#ballast.adjust());
    if (!full) return isFailedSync(error) ? unsynced(error) : error;
    this.#ballast.release();
    return storageFull(error);
  }
}

function outcomeUnknown(error: unknown, cause: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `Cannot write to the log of the database after a failed commit: ${reason}`;
  return Object.assign(new Error(message, { cause }), { code: OUTCOME_UNKNOWN });
}

/** Whether a transaction may or may not be carried out after this error of its commit. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === OUTCOME_UNKNOWN;
}

/** Whether a sync failed: for lack of space, on some file systems and with quotas, or otherwise. */
function isFailedSync(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_IOERR_FSYNC;
}

/** The primary result code of an error of SQLite. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error && "errcode" in error)) return undefined;
  return Number(error.errcode) & 0xff;
}
