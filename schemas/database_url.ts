/** A machine that has a database. */
export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

/** How to reach a database. */
export interface DatabaseAddress {
  /** One of them accepts writes; they are tried in this order. */
  readonly hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** How the server's certificate is checked, or that connections are not encrypted. */
  readonly tls: "off" | "unchecked" | "checked";
  /** A file of authorities whose certificates are accepted, besides those that the runtime trusts. */
  readonly rootCertificates: string | undefined;
  /** Files of the certificate by which the server knows its client, and of its key. */
  readonly clientCertificate: string | undefined;
  readonly clientKey: string | undefined;
  /** The file that has the URL: user and password are read again for each connection. @default there is none */
  readonly urlFile?: string | undefined;
  /** The way past the pooler that this address leads to. @default there is no pooler */
  readonly direct?: DatabaseAddress;
}

/** The settings of a database. */
export interface DatabaseSettings {
  readonly databaseUrl?: string | undefined;
  readonly databaseUrlFile?: string | undefined;
  readonly databaseDirectUrl?: string | undefined;
  readonly databaseDirectUrlFile?: string | undefined;
}

/** The database of the settings; undefined if they name none. */
export function databaseOf(
  { databaseUrl, databaseUrlFile, databaseDirectUrl, databaseDirectUrlFile }: DatabaseSettings,
): DatabaseAddress | undefined {
  if (databaseUrl === undefined) return undefined;
  const address = { ...databaseAddress(databaseUrl), urlFile: databaseUrlFile };
  if (databaseDirectUrl === undefined) return address;
  const direct = { ...databaseAddress(databaseDirectUrl), urlFile: databaseDirectUrlFile };
  return { ...address, direct };
}

const TLS_MODES: Readonly<Record<string, DatabaseAddress["tls"]>> = {
  disable: "off",
  require: "unchecked",
  "verify-full": "checked",
};
const PARAMETERS: readonly string[] = [
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "target_session_attrs",
];
/** A standby is never written to, and what it has may be old. */
const TARGETS: ReadonlySet<string> = new Set(["read-write", "primary"]);
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);

/**
 * Reads a URL such as `postgres://user:password@host:5432/database?sslmode=verify-full`. Without
 * `sslmode`, connections to other machines are encrypted, and the certificate is checked; with
 * `sslrootcert`, those to this one, too. Several hosts, with commas in between, are those of one database: the
 * one that accepts writes is used.
 *
 * @throws {Error} that names what is wrong, without the password.
 */
export function databaseAddress(text: string): DatabaseAddress {
  const { first, others } = splitHosts(text);
  const url = URL.parse(first);
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol)) {
    throw new Error("it is not a URL of the form postgres://user:password@host:port/database");
  }
  const urls = [url, ...others.map((host) => URL.parse(`${url.protocol}//${host}/`))];
  const [host, ...further] = urls.map((it) => hostOf(it));
  const database = decodeURIComponent(url.pathname.slice(1));
  const user = decodeURIComponent(url.username);
  const hosts = [host, ...further].filter((it) => it !== undefined);
  const [one, ...rest] = hosts;
  if (one === undefined || hosts.length < urls.length || user === "" || database === "") {
    throw new Error("it must name a user, a host and a database");
  }
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw new Error(
      `it has the parameter ${JSON.stringify(unknown)} (supported: ${PARAMETERS.join(", ")})`,
    );
  }
  const rootCertificates = url.searchParams.get("sslrootcert") ?? undefined;
  const clientCertificate = url.searchParams.get("sslcert") ?? undefined;
  const clientKey = url.searchParams.get("sslkey") ?? undefined;
  const target = url.searchParams.get("target_session_attrs") ?? "read-write";
  if (!TARGETS.has(target)) {
    throw new Error(
      `its target_session_attrs is ${JSON.stringify(target)} (supported: ${
        [...TARGETS].join(", ")
      })`,
    );
  }
  const isLocal = hosts.every(({ host }) => LOOPBACK.has(host)) && rootCertificates === undefined;
  const tls = tlsMode(url.searchParams.get("sslmode") ?? (isLocal ? "disable" : "verify-full"));
  if (rootCertificates !== undefined && tls !== "checked") {
    throw new Error("its sslrootcert needs sslmode=verify-full");
  }
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    throw new Error("its sslcert and sslkey need each other");
  }
  if (clientKey !== undefined && tls === "off") throw new Error("its sslkey needs TLS");
  return {
    hosts: [one, ...rest],
    user,
    password: decodeURIComponent(url.password),
    database,
    tls,
    rootCertificates,
    clientCertificate,
    clientKey,
  };
}

/** The URL with the first of its hosts alone, and the others. */
function splitHosts(text: string): { first: string; others: string[] } {
  const start = text.indexOf("://") + 3;
  const length = text.slice(start).search(/[/?#]/);
  const end = length < 0 ? text.length : start + length;
  const hostsStart = start + text.slice(start, end).lastIndexOf("@") + 1;
  const [first = "", ...others] = text.slice(hostsStart, end).split(",");
  return { first: text.slice(0, hostsStart) + first + text.slice(end), others };
}

function hostOf(url: URL | null): DatabaseHost | undefined {
  if (url === null || url.hostname === "") return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return { host, port: url.port === "" ? 5432 : Number(url.port) };
}

/** The URL of which {@link databaseAddress} reads the same address. */
export function databaseUrl(address: DatabaseAddress): string {
  const { user, password, database, tls, rootCertificates, clientCertificate, clientKey } = address;
  const [mode] = Object.entries(TLS_MODES).find(([, it]) => it === tls) ?? [];
  const [who, secret, which] = [user, password, database].map(encodeURIComponent);
  const files = { sslrootcert: rootCertificates, sslcert: clientCertificate, sslkey: clientKey };
  const parameters = Object.entries(files).map(([name, path]) =>
    path === undefined ? "" : `&${name}=${encodeURIComponent(path)}`
  );
  const hosts = databaseAuthorities(address).join();
  return `postgres://${who}:${secret}@${hosts}/${which}?sslmode=${mode}${parameters.join("")}`;
}

/** Hosts with their ports, as a permission of the runtime names them. */
export function databaseAuthorities({ hosts }: Pick<DatabaseAddress, "hosts">): string[] {
  return hosts.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`);
}

/** The files that connections need. */
export function databaseFiles(
  { rootCertificates, clientCertificate, clientKey }: DatabaseAddress,
): string[] {
  return [rootCertificates, clientCertificate, clientKey].filter((path) => path !== undefined);
}

function tlsMode(mode: string): DatabaseAddress["tls"] {
  const tls = Object.hasOwn(TLS_MODES, mode) ? TLS_MODES[mode] : undefined;
  if (tls !== undefined) return tls;
  throw new Error(
    `its sslmode is ${JSON.stringify(mode)} (supported: ${Object.keys(TLS_MODES).join(", ")})`,
  );
}
