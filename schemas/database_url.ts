/** How to reach a database. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** How the server's certificate is checked, or that connections are not encrypted. */
  readonly tls: "off" | "unchecked" | "checked";
  /** A file of authorities whose certificates are accepted, besides those that the runtime trusts. */
  readonly rootCertificates: string | undefined;
  /** The way past the pooler that this address leads to. @default there is no pooler */
  readonly direct?: DatabaseAddress;
}

/** The settings of a database. */
export interface DatabaseSettings {
  readonly databaseUrl?: string | undefined;
  readonly databaseDirectUrl?: string | undefined;
}

/** The database of the settings; undefined if they name none. */
export function databaseOf(
  { databaseUrl, databaseDirectUrl }: DatabaseSettings,
): DatabaseAddress | undefined {
  if (databaseUrl === undefined) return undefined;
  const address = databaseAddress(databaseUrl);
  if (databaseDirectUrl === undefined) return address;
  return { ...address, direct: databaseAddress(databaseDirectUrl) };
}

const TLS_MODES: Readonly<Record<string, DatabaseAddress["tls"]>> = {
  disable: "off",
  require: "unchecked",
  "verify-full": "checked",
};
const PARAMETERS: readonly string[] = ["sslmode", "sslrootcert"];
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);

/**
 * Reads a URL such as `postgres://user:password@host:5432/database?sslmode=verify-full`. Without
 * `sslmode`, connections to other machines are encrypted, and the certificate is checked; with
 * `sslrootcert`, those to this one, too.
 *
 * @throws {Error} that names what is wrong, without the password.
 */
export function databaseAddress(text: string): DatabaseAddress {
  const url = URL.parse(text);
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol)) {
    throw new Error("it is not a URL of the form postgres://user:password@host:port/database");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const database = decodeURIComponent(url.pathname.slice(1));
  const user = decodeURIComponent(url.username);
  if (host === "" || user === "" || database === "") {
    throw new Error("it must name a user, a host and a database");
  }
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw new Error(
      `it has the parameter ${JSON.stringify(unknown)} (supported: ${PARAMETERS.join(", ")})`,
    );
  }
  const rootCertificates = url.searchParams.get("sslrootcert") ?? undefined;
  const isLocal = LOOPBACK.has(host) && rootCertificates === undefined;
  const tls = tlsMode(url.searchParams.get("sslmode") ?? (isLocal ? "disable" : "verify-full"));
  if (rootCertificates !== undefined && tls !== "checked") {
    throw new Error("its sslrootcert needs sslmode=verify-full");
  }
  return {
    host,
    port: url.port === "" ? 5432 : Number(url.port),
    user,
    password: decodeURIComponent(url.password),
    database,
    tls,
    rootCertificates,
  };
}

/** The URL of which {@link databaseAddress} reads the same address. */
export function databaseUrl(address: DatabaseAddress): string {
  const { user, password, database, tls, rootCertificates } = address;
  const [mode] = Object.entries(TLS_MODES).find(([, it]) => it === tls) ?? [];
  const [who, secret, which] = [user, password, database].map(encodeURIComponent);
  const root = rootCertificates && `&sslrootcert=${encodeURIComponent(rootCertificates)}`;
  return `postgres://${who}:${secret}@${databaseAuthority(address)}/${which}?sslmode=${mode}${
    root ?? ""
  }`;
}

/** Host and port, as a permission of the runtime names them. */
export function databaseAuthority({ host, port }: DatabaseAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function tlsMode(mode: string): DatabaseAddress["tls"] {
  const tls = Object.hasOwn(TLS_MODES, mode) ? TLS_MODES[mode] : undefined;
  if (tls !== undefined) return tls;
  throw new Error(
    `its sslmode is ${JSON.stringify(mode)} (supported: ${Object.keys(TLS_MODES).join(", ")})`,
  );
}
