import type { Database } from "./database.ts";
import { SCHEMA_VERSION } from "./migrate.ts";
import { LOCKS } from "./locks.ts";

/** How long a server may be silent before others take over what it holds, in milliseconds. */
const LEASE_MS = 30_000;

export interface LeaseOptions {
  /** The version of the scan results that count for the server. @default "" */
  readonly resultsVersion?: string | undefined;
  /** @default 30000 */
  readonly leaseMs?: number;
  /** The id of the data directory, which one server has at a time: former leases in it end. @default none */
  readonly directory?: string;
  /** Called once if others have taken over: this server must drop what it holds. @default does nothing */
  readonly onLost?: () => void;
}

/**
 * Tells other servers that this one is alive, by a row that it renews. The engine's clock counts, so those
 * of the servers need not agree.
 * See docs/design/several_servers.md.
 */
export class ServerLease implements AsyncDisposable {
  readonly #database: Database;
  readonly #id: string;
  readonly #leaseMs: number;
  readonly #onLost: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #ended = false;
  /** Until when no other server takes over, by this server's own clock. */
  #heldUntil = 0;

  private constructor(database: Database, id: string, options: LeaseOptions) {
    this.#database = database;
    this.#id = id;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#onLost = options.onLost ?? (() => {});
  }

  /**
   * Registers a server. It waits while servers that start are held: this one may have opened the database
   * just before.
   *
   * @param id Random, and new for each start.
   */
  static async take(
    database: Database,
    id: string,
    options: LeaseOptions = {},
  ): Promise<ServerLease> {
    const lease = new ServerLease(database, id, options);
    const asked = performance.now();
    const { directory = null, resultsVersion = "" } = options;
    await database.use("lease", (session) =>
      session.run(
        `WITH former AS (DELETE FROM servers WHERE directory = :directory::text)
         INSERT INTO servers (id, expires_at, directory, results_version, schema_version)
         SELECT :id, clock_timestamp() + :lease * interval '1 millisecond', :directory::text, :version,
           :schema::integer
         FROM pg_advisory_xact_lock_shared(:lock::bigint)`,
        {
          ...lease.#parameters,
          directory,
          version: resultsVersion,
          schema: SCHEMA_VERSION,
          lock: LOCKS.migration,
        },
      ));
    lease.#heldUntil = asked + lease.#leaseMs;
    lease.#schedule();
    return lease;
  }

  /** Whether no other server can have taken over what this one holds. */
  get isHeld(): boolean {
    return !this.#ended && performance.now() < this.#heldUntil;
  }

  /** How long no other server takes over, in seconds. */
  get heldSeconds(): number {
    return this.#ended ? 0 : Math.max(0, this.#heldUntil - performance.now()) / 1000;
  }

  /** Ends the lease: others take over at once what this server still holds. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    try {
      await this.#database.use("lease", (session) => {
        session.silence.ms = Math.min(session.silence.ms, this.#leaseMs / 6);
        return session.run("DELETE FROM servers WHERE id = :id", { id: this.#id });
      });
    } catch {
      // Others take over when it has run out: a server must be able to stop while the engine is away.
    }
  }

  get #parameters() {
    return { id: this.#id, lease: this.#leaseMs };
  }

  /** Twice as often as a server has to that may end the leases of others. */
  #schedule(ms = this.#leaseMs / 6): void {
    if (this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renew().then((isRenewed) =>
        this.#schedule(isRenewed ? undefined : this.#leaseMs / 30)
      );
    }, ms);
  }

  /**
   * Renews the lease, and returns whether the engine has answered. If it is away, it is tried again: others
   * cannot take over meanwhile either.
   */
  async #renew(): Promise<boolean> {
    // The engine counts from later on.
    const asked = performance.now();
    try {
      const renewed = await this.#database.use("lease", (session) => {
        // The lease must not run out while the reply of a machine that is gone is awaited.
        session.silence.ms = Math.min(session.silence.ms, this.#leaseMs / 6);
        return session.run(
          `UPDATE servers SET renewed_at = clock_timestamp(),
             steady_since = CASE
               WHEN clock_timestamp() - renewed_at < :lease / 3 * interval '1 millisecond'
               THEN steady_since ELSE clock_timestamp() END,
             expires_at = clock_timestamp() + :lease * interval '1 millisecond'
           WHERE id = :id`,
          this.#parameters,
        );
      });
      if (renewed > 0) this.#heldUntil = asked + this.#leaseMs;
      if (renewed > 0 || this.#ended) return true;
      this.#ended = true;
      this.#onLost();
      return true;
    } catch {
      // The next attempt is soon enough, or another server takes over.
      return false;
    }
  }
}
