import { Connection } from "./connection.ts";

/** The `code` of the error for a database that is older than the lock of its directory. */
export const OLDER_DATABASE = "OLDER_DATABASE";

/** The generation advances with the first commit after this time. */
const MAX_AGE_MS = 60_000;

/**
 * The generation of a database; 0 for one that an earlier version of the program wrote.
 * See docs/design/starts.md.
 */
export function generationOf(connection: Connection): number {
  const table = connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'storage_state'");
  if (table === undefined) return 0;
  return Number(connection.get("SELECT generation FROM storage_state")?.generation ?? 0);
}

/** Makes the generation of a database at least this number. */
export function raiseGeneration(connection: Connection, generation: number): void {
  connection.run("UPDATE storage_state SET generation = max(generation, :generation)", {
    generation,
  });
}

/**
 * Counts generations of a database: a number that grows as it is written. The lock file holds a copy,
 * which is written after the commit and thus never ahead. A database with a lower number than the lock
 * has lost commits: an older one was put in its place, or its log was removed.
 *
 * For the log to be missed, the number must advance in each log after its last checkpoint.
 */
export class Generation {
  readonly #connection: Connection;
  #due = true;
  #advancedAt = -Infinity;
  #frames = 0;
  #checkpointed = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Advances the number if it is time to, and returns the new one. Call it at the end of a transaction,
   * and {@link committed} after its commit.
   */
  advance(): number | undefined {
    if (!this.#due && performance.now() - this.#advancedAt < MAX_AGE_MS) return undefined;
    const row = this.#connection.get(
      "UPDATE storage_state SET generation = generation + 1 RETURNING generation",
    );
    return Number(row?.generation);
  }

  /**
   * Call it after each commit. Returns whether any of the log has come into the database file since the
   * last call.
   *
   * @param advanced Whether the transaction has advanced the number.
   */
  committed(advanced: boolean): boolean {
    if (advanced) {
      this.#due = false;
      this.#advancedAt = performance.now();
    }
    const { frames, checkpointed } = this.#log();
    const restarted = frames < this.#frames;
    const moved = checkpointed > (restarted ? 0 : this.#checkpointed);
    if (moved || (restarted && !advanced)) this.#due = true;
    this.#frames = frames;
    this.#checkpointed = checkpointed;
    return moved;
  }

  /** How much the log holds, and how much of that is in the database file as well. */
  #log(): { frames: number; checkpointed: number } {
    try {
      const row = this.#connection.get("PRAGMA wal_checkpoint(NOOP)");
      return { frames: Number(row?.log), checkpointed: Number(row?.checkpointed) };
    } catch {
      // The commit has succeeded nevertheless. This result makes the number advance with the next one.
      return { frames: this.#frames, checkpointed: this.#checkpointed + 1 };
    }
  }
}

/** Reads the generation on a connection that writes nothing, not even when it is closed. */
export function readGeneration(path: string): number {
  using connection = new Connection(path, { readOnly: true });
  return generationOf(connection);
}
