/** What the settings of a connection depend on. */
export interface SessionNeeds {
  /** How long a statement may take, in milliseconds; 0 for any time. */
  readonly statementMs: number;
  /** The id of this server, which statements about scans compare; "" for none. */
  readonly server: string;
  /** Whether transactions cannot write, and the engine may be a standby. */
  readonly readOnly: boolean;
}

/** Settings of the engine by name, as its configuration has them. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/** After this time without a statement in a transaction, the engine ends the connection. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * What the statements rely on, whatever the configuration of the engine, of the database or of the role says
 * (C 31).
 */
export function sessionSettings({ statementMs, server, readOnly }: SessionNeeds): SessionSettings {
  return {
    statement_timeout: statementMs,
    // A statement that waits for a lock ends with its time.
    lock_timeout: 0,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // One connection waits for notices.
    idle_session_timeout: 0,
    // A reply after a commit promises that it is durable (C 5.6).
    synchronous_commit: "on",
    standard_conforming_strings: "on",
    // How values are written and read.
    bytea_output: "hex",
    array_nulls: "on",
    // Where the first start makes the tables, and nothing else is looked for.
    search_path: '"$user",public',
    default_transaction_isolation: "read committed",
    default_transaction_read_only: readOnly ? "on" : "off",
    "strongroom.server": server,
    // It takes longer than the statements here, all of which an index helps.
    jit: "off",
  };
}

/** Shows that a connection began with its settings. Nothing else sets it. */
export const MARK = "strongroom.began";

/** The settings as the `options` with which a connection begins. They outrank those of a role. */
export function startupOptions(settings: SessionSettings): string {
  return Object.entries({ ...settings, [MARK]: "on" })
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(" ", "\\ ")}`).join(" ");
}

/** A statement that makes the settings those of the current transaction. */
export function localSettings(settings: SessionSettings): string {
  const calls = Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return `SELECT ${calls.join(", ")}`;
}
