/** What commands read from the process: the environment, and stderr to complain on. */

import { getHostSize, getStats, type HostCapacity, readTunables } from "../core/capacity/mod.ts";
import { readSettings, type Settings } from "../schemas/settings.ts";

/** The value of an environment variable. Nothing else in the program reads the environment. */
export function readVariable(variable: string): string | undefined {
  return Deno.env.get(variable);
}

/**
 * The settings of this process (C 13).
 *
 * @throws {RangeError} when a setting is invalid.
 */
export function loadSettings(): Settings {
  return readSettings(readVariable);
}

/**
 * The host and the tunables in force for it. An invalid tunable is passed to `warn`, and its default
 * applies (C 13).
 */
export function hostCapacity(dataDir: string, warn: (message: string) => void): HostCapacity {
  const { tunables, origins } = readTunables(readVariable, getHostSize());
  for (const { warning } of origins) {
    if (warning !== undefined) warn(warning);
  }
  return { stats: () => getStats(dataDir), tunables, origins };
}

/** Host and port as they appear in a URL: an IPv6 address is in brackets. */
export function authority({ host, port }: Pick<Settings, "host" | "port">): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Prints a problem on stderr. */
export function printError(message: string): void {
  console.error(`strongroom: ${message}`);
}
