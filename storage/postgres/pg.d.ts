// What this room uses of pg, which comes without types. Those of @types/pg would bring all of Node's.

/** A statement. With a name it is prepared once for each connection. */
export interface QueryConfig {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string;
  readonly rowMode?: "array";
}

export interface QueryResult {
  /** What was done, such as `COMMIT` or `SELECT`. */
  readonly command: string;
  readonly rows: unknown[][];
  readonly fields: readonly { readonly name: string }[];
  /** How many rows the command has returned or changed; null for commands that do neither. */
  readonly rowCount: number | null;
}

export interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface ClientOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: () => string;
  readonly database: string;
  readonly ssl: false | TlsOptions;
  readonly sslnegotiation: "postgres";
  readonly application_name: string;
  readonly client_encoding: string;
  readonly replication: string;
  readonly binary: boolean;
  readonly options: string;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  readonly pipeline: boolean;
  readonly types: { getTypeParser(oid: number): (text: string) => unknown };
}

export class Client {
  constructor(options: ClientOptions);
  readonly connectionParameters: object;
  readonly connection: {
    readonly stream: { destroy(): void };
    on(event: "parameterStatus", listener: (status: ParameterStatus) => void): void;
  };
  query(query: QueryConfig | string): Promise<QueryResult>;
  on(event: "notification", listener: (message: Notification) => void): this;
  on(event: "error", listener: (error: Error) => void): this;
  on(event: "end", listener: () => void): this;
}

/** A setting that the engine reports. */
export interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

export interface Notification {
  readonly channel: string;
  readonly payload?: string;
}

export class PoolClient extends Client {
  /** @param destroy Closes the connection instead of keeping it. */
  release(destroy?: boolean): void;
}

export interface PoolOptions extends ClientOptions {
  readonly Client: typeof Client;
  readonly max: number;
  readonly idleTimeoutMillis: number;
  /** Called for each new connection, which is closed if `done` gets an error. */
  readonly verify: (client: Client, done: (error?: Error) => void) => void;
}

export class Pool {
  constructor(options: PoolOptions);
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  connect(): Promise<PoolClient>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): this;
  on(event: "connect", listener: (client: PoolClient) => void): this;
}

declare const pg: { readonly Pool: typeof Pool; readonly Client: typeof Client };
export default pg;
