// @ts-types="./pg.d.ts"
import pg from "pg";
import type { ClientOptions, Pool } from "./pg.d.ts";
import type { DatabaseAddress } from "../../schemas/database_url.ts";
import { standbyError } from "./failures.ts";
import { VALUE_TYPES } from "./session.ts";

export interface PoolLimits {
  /** How many connections there are, at most. */
  readonly connections: number;
  /** How long to wait for a connection, in milliseconds. */
  readonly connectMs: number;
  /** How long a statement may take, in milliseconds; 0 for any time. */
  readonly statementMs: number;
  /** The id of this server, which statements about scans compare; "" for none. */
  readonly server: string;
  /** Whether transactions cannot write, and the engine may be a standby. */
  readonly readOnly: boolean;
}

/** How long an unused connection is kept. */
const IDLE_MS = 60_000;
/** After this time without a statement in a transaction, the engine ends the connection. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/** pg reads the environment for each option that is not set, even to a value that means nothing. */
class QuietClient extends pg.Client {
  /** Whether the engine is a standby, as it reports when a connection begins, and when that changes. */
  isStandby = false;

  constructor(options: ClientOptions) {
    // The pool hides the password from loops over its options.
    super({ ...options, password: options.password, binary: true });
    // Results are text: pg has no other parser for the types here.
    Object.assign(this, { binary: false });
    this.connection.on("parameterStatus", ({ parameterName, parameterValue }) => {
      if (parameterName === "in_hot_standby") this.isStandby = parameterValue === "on";
    });
  }
}

/**
 * Connections to a database, which are made when they are needed, and again when they break.
 *
 * @throws {Error} when the file of authorities cannot be read.
 */
export function openPool(
  { host, port, user, password, database, tls, rootCertificates }: DatabaseAddress,
  { connections, connectMs, statementMs, server, readOnly }: PoolLimits,
): Pool {
  const pool = new pg.Pool({
    Client: QuietClient,
    host,
    port,
    user,
    password: () => password,
    database,
    ssl: tls !== "off" && {
      rejectUnauthorized: tls === "checked",
      ...rootCertificates !== undefined && { ca: readRootCertificates(rootCertificates) },
    },
    sslnegotiation: "postgres",
    application_name: "strongroom",
    client_encoding: "UTF8",
    replication: "false",
    binary: false,
    options: settingFlags({
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      // A reply after a commit promises that it is durable (C 5.6).
      synchronous_commit: "on",
      standard_conforming_strings: "on",
      "strongroom.server": server,
      default_transaction_read_only: readOnly ? "on" : "off",
      // It takes longer than the statements here, all of which an index helps.
      jit: "off",
    }),
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    pipeline: true,
    types: VALUE_TYPES,
    max: connections,
    verify(client, done) {
      // What a standby has may be old.
      const isRefused = !readOnly && client instanceof QuietClient && client.isStandby;
      done(isRefused ? standbyError() : undefined);
    },
  });
  // An unused connection has broken. The pool makes another one when it is needed.
  pool.on("error", () => {});
  // A used one fails the statements on it. Nothing else would handle the event.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

function readRootCertificates(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Cannot read the sslrootcert ${JSON.stringify(path)} of the database: ${reason}`,
    );
  }
}

function settingFlags(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`).join(" ");
}
