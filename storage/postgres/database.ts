import type { DatabaseAddress } from "../../schemas/database_url.ts";
import {
  asUnavailable,
  isDisconnected,
  isPooler,
  isReadOnly,
  unreachable,
  withCause,
} from "./failures.ts";
import { migrate, requireCurrent } from "./migrate.ts";
import { Connections } from "./pools.ts";
import { refuseUnfinished } from "./unfinished.ts";
import { localSettings, sessionSettings } from "./session_settings.ts";
import {
  Session,
  type SessionOptions,
  type SqlParameters,
  type SqlRow,
  type SqlValue,
} from "./session.ts";

export interface DatabaseOptions {
  /** How many connections each of the kinds of work may have, but for the lease. @default 8 */
  readonly connections?: number;
  /** How long to wait for a connection, in milliseconds. @default 5000 */
  readonly connectMs?: number;
  /** How long a statement may take, in milliseconds. @default 30000 */
  readonly statementMs?: number;
  /**
   * How long the engine may say nothing to a statement before its connection counts as broken, in
   * milliseconds. @default 10000 longer than a statement may take
   */
  readonly silenceMs?: number;
  /** Whether a database that a migration has not filled yet is accepted. @default false */
  readonly acceptUnfinished?: boolean | undefined;
  /** The id of this server. @default none */
  readonly server?: string;
  /** Whether the schema must be there, and is left as it is. @default false */
  readonly keepsSchema?: boolean;
  /** Whether nothing can be written. @default false */
  readonly readOnly?: boolean;
}

/** How much longer a reply may take than a statement. */
const SILENCE_MS = 10_000;

/**
 * What a connection is for. Work of one kind never waits for connections of another. A session lasts longer
 * than a transaction: it waits for notices, or holds a lock.
 */
export type Purpose = "reads" | "writes" | "long" | "lease" | "session";

/** Those that reach the database itself where a pooler stands before it. */
const DIRECT: ReadonlySet<Purpose> = new Set(["lease", "session"]);

/** Connections for one purpose. */
interface Lane {
  readonly pool: Connections;
  readonly session: SessionOptions;
}

/** A database of PostgreSQL, over connections of bounded number. */
export class Database implements AsyncDisposable {
  readonly #lanes: Readonly<Record<Purpose, Lane>>;

  private constructor(address: DatabaseAddress, options: DatabaseOptions) {
    const { connections = 8, statementMs = 30_000 } = options;
    const silenceMs = options.silenceMs ?? statementMs + SILENCE_MS;
    const lane = (purpose: Purpose, limits: LaneLimits) =>
      openLane(address, purpose, options, limits);
    this.#lanes = {
      reads: lane("reads", { connections, statementMs, silenceMs }),
      writes: lane("writes", { connections, statementMs, silenceMs }),
      // They make progress a page at a time, but the statement before their first page may take long.
      long: lane("long", { connections, statementMs: 0, silenceMs: Infinity }),
      // Others take over from a server whose requests keep it from renewing its lease.
      lease: lane("lease", { connections: 1, statementMs, silenceMs }),
      session: lane("session", { connections: 1, statementMs: 0, silenceMs: Infinity }),
    };
  }

  /**
   * Connects, and creates or migrates the schema as needed.
   *
   * @throws {Error} when the server is too old, its encoding is not UTF-8, or the schema is newer than
   *   this program, or another one if it is to be kept.
   */
  static async open(address: DatabaseAddress, options: DatabaseOptions = {}): Promise<Database> {
    const database = new Database(address, options);
    try {
      await database.use("session", refusePooler);
      await database.use("long", async (session) => {
        if (options.keepsSchema === true) await requireCurrent(session);
        else await migrate(session);
        if (!options.acceptUnfinished) await refuseUnfinished(session);
      });
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw isPooler(error) ? leadsToPooler() : withCause(error);
    }
    return database;
  }

  /** {@link Session.all} on any connection, again if that turns out to be broken. Only for statements that read. */
  all(sql: string, parameters?: SqlParameters): Promise<SqlRow[]> {
    return this.#read((session) => session.all(sql, parameters));
  }

  /** {@link Session.get}, as {@link all}. */
  get(sql: string, parameters?: SqlParameters): Promise<SqlRow | undefined> {
    return this.#read((session) => session.get(sql, parameters));
  }

  /** {@link Session.values}, as {@link all}. */
  values(sql: string, parameters?: SqlParameters): Promise<SqlValue[][]> {
    return this.#read((session) => session.values(sql, parameters));
  }

  /**
   * Runs `work` with a connection of its own, which is closed if `work` fails, with what it has begun.
   *
   * @throws {AppError} `ErrUnavailable` when no connection can be had in time, or it breaks.
   */
  async use<T>(purpose: Purpose, work: (session: Session) => Promise<T>): Promise<T> {
    try {
      await using held = await this.connect(purpose);
      const result = await work(held.session);
      held.keep();
      return result;
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /**
   * Takes a connection, which is closed when it is disposed of, unless it is to be kept for others.
   *
   * @throws {AppError} `ErrUnavailable` when none can be had in time.
   */
  async connect(purpose: Purpose): Promise<HeldSession> {
    const client = await this.#lanes[purpose].pool.take().catch((error) => {
      // Also when the engine refuses this user or any. One that is away is tried again by some callers.
      throw isDisconnected(error) || isReadOnly(error) ? error : unreachable(error);
    });
    let kept = false;
    return {
      session: new Session(client, this.#lanes[purpose].session),
      keep: () => kept = true,
      [Symbol.asyncDispose]() {
        client.release(!kept);
        return Promise.resolve();
      },
    };
  }

  /** How many connections are open, by what they are for, how many of them are used, and how much work waits. */
  get connections(): Record<"open" | "used" | "waiting", Record<string, number>> {
    const counted = (count: (pool: Connections) => number) =>
      Object.fromEntries(
        Object.entries(this.#lanes).map(([purpose, { pool }]) => [purpose, count(pool)]),
      );
    return {
      open: counted(({ count }) => count),
      used: counted(({ count, unused }) => count - unused),
      waiting: counted(({ waiting }) => waiting),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Object.values(this.#lanes).map(({ pool }) => pool.end()));
  }

  /** A connection may have broken since it was last used: after that, another one is tried. */
  async #read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    for (let last = false;; last = true) {
      const held = await this.connect("reads").catch((error) => {
        throw asUnavailable(error);
      });
      try {
        const result = await work(held.session);
        held.keep();
        return result;
      } catch (error) {
        if (last || !isDisconnected(error)) throw asUnavailable(error);
      } finally {
        await held[Symbol.asyncDispose]();
      }
    }
  }
}

interface LaneLimits {
  readonly connections: number;
  readonly statementMs: number;
  readonly silenceMs: number;
}

function openLane(
  address: DatabaseAddress,
  purpose: Purpose,
  { connectMs = 5000, server = "", readOnly = false }: DatabaseOptions,
  { connections, statementMs, silenceMs }: LaneLimits,
): Lane {
  const settings = sessionSettings({ statementMs, server, readOnly });
  const isPooled = address.direct !== undefined && !DIRECT.has(purpose);
  const pool = new Connections(isPooled ? address : address.direct ?? address, {
    connections,
    connectMs,
    settings: isPooled ? undefined : settings,
    readOnly,
  });
  if (!isPooled) return { pool, session: { silenceMs } };
  const access = readOnly ? "READ ONLY" : "READ WRITE";
  return { pool, session: { silenceMs, preamble: { access, settings: localSettings(settings) } } };
}

/** @throws {Error} when a pooler stands where a session is needed. */
async function refusePooler(session: Session): Promise<void> {
  if (!await session.hasSettings()) throw leadsToPooler();
}

function leadsToPooler(): Error {
  return new Error(
    "The database is behind a pooler, which keeps no sessions: name the database itself " +
      "in STRONGROOM_DATABASE_DIRECT_URL, besides the pooler in STRONGROOM_DATABASE_URL",
  );
}

/** A connection that is lent. */
export interface HeldSession extends AsyncDisposable {
  readonly session: Session;
  /** Keeps the connection for others: no transaction is open. */
  keep(): void;
}
