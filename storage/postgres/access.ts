import {
  type DatabaseAddress,
  databaseAddress,
  type DatabaseHost,
} from "../../schemas/database_url.ts";
import type { TlsOptions } from "./pg.d.ts";

/** What a connection is made with. */
export interface ConnectionAccess extends DatabaseHost {
  readonly user: string;
  /** pg would look for a password elsewhere if it were empty. */
  readonly password: () => string;
  readonly ssl: TlsOptions | false;
}

/**
 * How connections to a database are made: to the host that accepted the last one, and with what the files that
 * the address names have now. So passwords and certificates are replaced without a restart.
 */
export class DatabaseAccess {
  readonly #address: DatabaseAddress;
  #host = 0;
  #known: Omit<ConnectionAccess, "host" | "port">;

  /** @throws {Error} when a file cannot be read. */
  constructor(address: DatabaseAddress) {
    this.#address = address;
    this.#known = readAccess(address);
  }

  /** How many hosts there are. */
  get hosts(): number {
    return this.#address.hosts.length;
  }

  /** Which of the hosts the next connection is made to. */
  get host(): number {
    return this.#host;
  }

  /** What the next connection is made with. */
  next(): ConnectionAccess {
    try {
      this.#known = readAccess(this.#address);
    } catch {
      // A file is being replaced, or is wrong: the engine says whether it takes what was read before.
    }
    const { hosts } = this.#address;
    return { ...hosts[this.#host] ?? hosts[0], ...this.#known };
  }

  /** Goes on with the host after one that could not be used, unless others have done so. */
  leave(host: number): void {
    if (this.#host === host) this.#host = (host + 1) % this.hosts;
  }
}

/** The address with the user and the password of its file. */
export function currentAddress(address: DatabaseAddress): DatabaseAddress {
  const { urlFile } = address;
  if (urlFile === undefined) return address;
  const { user, password } = databaseAddress(Deno.readTextFileSync(urlFile).trimEnd());
  return { ...address, user, password };
}

function readAccess(address: DatabaseAddress): Omit<ConnectionAccess, "host" | "port"> {
  const { tls, rootCertificates, clientCertificate, clientKey } = address;
  const { user, password } = currentAddress(address);
  return {
    user,
    password: () => password,
    ssl: tls !== "off" && {
      rejectUnauthorized: tls === "checked",
      ...rootCertificates !== undefined && { ca: readFile(rootCertificates, "sslrootcert") },
      ...clientCertificate !== undefined && { cert: readFile(clientCertificate, "sslcert") },
      ...clientKey !== undefined && { key: readFile(clientKey, "sslkey") },
    },
  };
}

function readFile(path: string, parameter: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Cannot read the ${parameter} ${JSON.stringify(path)} of the database: ${reason}`,
    );
  }
}
