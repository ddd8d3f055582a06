// @ts-types="./pg.d.ts"
import pg from "pg";
import type { ClientOptions, Pool, PoolClient } from "./pg.d.ts";
import type { DatabaseAddress } from "../../schemas/database_url.ts";
import { DatabaseAccess } from "./access.ts";
import { isBusy, isDisconnected, isReadOnly, standbyError } from "./failures.ts";
import { VALUE_TYPES } from "./session.ts";
import { type SessionSettings, startupOptions } from "./session_settings.ts";

export interface PoolOptions {
  /** How many connections there are, at most. */
  readonly connections: number;
  /** How long to wait for a connection, in milliseconds. */
  readonly connectMs: number;
  /** The settings of the connections; none where a pooler stands between, which would keep none. */
  readonly settings: SessionSettings | undefined;
  /** Whether the engine may be a standby. */
  readonly readOnly: boolean;
}

/** How long an unused connection is kept. */
const IDLE_MS = 60_000;

/** Stands for no options: without any, pg would look for them in the environment. */
const NO_OPTIONS = "none";

/** pg reads the environment for each option that is not set, even to a value that means nothing. */
class QuietClient extends pg.Client {
  /** Whether the engine is a standby, as it reports when a connection begins, and when that changes. */
  isStandby = false;

  constructor(options: ClientOptions) {
    // The pool hides the password from loops over its options.
    super({ ...options, password: options.password, binary: true });
    // Results are text: pg has no other parser for the types here.
    Object.assign(this, { binary: false });
    // A pooler refuses what it cannot carry.
    if (options.options === NO_OPTIONS) {
      Object.assign(this.connectionParameters, { options: undefined, replication: undefined });
    }
    this.connection.on("parameterStatus", ({ parameterName, parameterValue }) => {
      if (parameterName === "in_hot_standby") this.isStandby = parameterValue === "on";
    });
  }
}

/** Connections to a database, which are made when they are needed, and again when they break. */
export class Connections {
  readonly #access: DatabaseAccess;
  readonly #pool: Pool;

  /** @throws {Error} when a file that the address names cannot be read. */
  constructor(address: DatabaseAddress, options: PoolOptions) {
    this.#access = new DatabaseAccess(address);
    this.#pool = openPool(address.database, this.#access, options);
  }

  /** How many connections are open. */
  get count(): number {
    return this.#pool.totalCount;
  }

  /** How many of them nobody uses. */
  get unused(): number {
    return this.#pool.idleCount;
  }

  /** How many wait for a connection. */
  get waiting(): number {
    return this.#pool.waitingCount;
  }

  /** Takes a connection, to the first host that can be used. */
  async take(): Promise<PoolClient> {
    for (let tried = 1;; tried++) {
      const { host } = this.#access;
      try {
        return await this.#pool.connect();
      } catch (error) {
        // Any host may have become the one that accepts writes.
        const isElsewhere = isReadOnly(error) || isDisconnected(error) && !isBusy(error);
        if (!isElsewhere || tried === this.#access.hosts) throw error;
        this.#access.leave(host);
      }
    }
  }

  /** Closes all connections. */
  async end(): Promise<void> {
    await this.#pool.end();
  }
}

function openPool(
  database: string,
  access: DatabaseAccess,
  { connections, connectMs, settings, readOnly }: PoolOptions,
): Pool {
  /** A client of the host, and with the password, of now. */
  class CurrentClient extends QuietClient {
    constructor(options: ClientOptions) {
      super({ ...options, ...access.next() });
    }
  }
  const pool = new pg.Pool({
    Client: CurrentClient,
    ...access.next(),
    database,
    sslnegotiation: "postgres",
    application_name: "strongroom",
    client_encoding: "UTF8",
    replication: "false",
    binary: false,
    options: settings === undefined ? NO_OPTIONS : startupOptions(settings),
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    pipeline: true,
    types: VALUE_TYPES,
    max: connections,
    verify(client, done) {
      // What a standby has may be old. A pooler tells what an engine has said at some time.
      const isRefused = !readOnly && settings !== undefined && client instanceof QuietClient &&
        client.isStandby;
      done(isRefused ? standbyError() : undefined);
    },
  });
  // An unused connection has broken. The pool makes another one when it is needed.
  pool.on("error", () => {});
  // A used one fails the statements on it. Nothing else would handle the event.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}
