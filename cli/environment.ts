/** What commands read from the process: the environment, and stderr to complain on. */

import { readTunables } from "../core/capacity/tunables.ts";
import { Log, type LogOptions } from "../core/log.ts";
import {
  readSettings,
  type ReadVariable,
  SETTING_VARIABLES,
  type Settings,
} from "../schemas/settings.ts";
import { nearest } from "./nearest.ts";
import { printError } from "./print_error.ts";
import { withSecretFiles } from "./secret_files.ts";
import { UsageError } from "./usage_error.ts";

/** The value of an environment variable. Nothing else in the program reads the environment. */
export function readVariable(variable: string): string | undefined {
  return Deno.env.get(variable);
}

/**
 * The settings of this process (C 13).
 *
 * @param warn Gets a line about each unknown variable that begins with STRONGROOM_ (C 22). @default prints
 * @throws {RangeError} when a setting is invalid.
 */
export function loadSettings(warn: (message: string) => void = printError): Settings {
  for (const warning of unknownVariables()) warn(warning);
  return readSettings(readSetting);
}

/**
 * The value of a setting in the environment, or in the file that it names.
 *
 * @throws {RangeError} when the file cannot be read.
 */
export const readSetting: ReadVariable = withSecretFiles(readVariable);

const PREFIX = "STRONGROOM_";
/** Variables of the command line that are not settings (C 25). */
const OTHER_VARIABLES: readonly string[] = ["STRONGROOM_TOKEN", "STRONGROOM_URL"];

/** Complaints about variables that look like settings. None if this process may not see all variables. */
function unknownVariables(): string[] {
  if (Deno.permissions.querySync({ name: "env" }).state !== "granted") return [];
  // Which variables there are does not depend on the host.
  const { origins } = readTunables(() => undefined, { CPUCores: 1, MemTotalMB: 0 });
  const tunables = origins.map(({ variable }) => variable);
  const known = [...SETTING_VARIABLES, ...tunables, ...OTHER_VARIABLES];
  return Object.keys(Deno.env.toObject()).sort()
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => {
      const similar = nearest(
        name.slice(PREFIX.length),
        known.map((it) => it.slice(PREFIX.length)),
      );
      return `Unknown setting ${name}${
        similar === undefined ? "" : `; did you mean ${PREFIX}${similar}?`
      }`;
    });
}

/** Whether the runtime traces requests (OpenTelemetry). */
export function isTraced(): boolean {
  return Deno.env.get("OTEL_DENO") === "true";
}

/** The variables with which the runtime finds its cache of compiled modules. */
const RUNTIME_VARIABLES: readonly string[] = ["DENO_DIR", "HOME", "XDG_CACHE_HOME"];

/** The server and the credential that the environment names for the commands of C 25. */
export function remoteVariables(): { url: string | undefined; token: string | undefined } {
  return {
    url: readVariable("STRONGROOM_URL") || undefined,
    token: readVariable("STRONGROOM_TOKEN") || undefined,
  };
}

/** The variables that {@link userDirectory} reads. */
export const DIRECTORY_VARIABLES: readonly string[] = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/** What says that there is a display, where the system itself does not. */
export const DISPLAY_VARIABLES: readonly string[] = ["DISPLAY", "WAYLAND_DISPLAY"];

/** Whether this machine shows windows to a person. */
export function hasDisplay(): boolean {
  return ["darwin", "windows"].includes(Deno.build.os) ||
    DISPLAY_VARIABLES.some((name) => (readVariable(name) ?? "") !== "");
}

/**
 * The directory for the configuration, or for the state, of the person who runs a command (XDG Base
 * Directory Specification). It may have yet to be created.
 *
 * @throws {UsageError} when the environment does not say where it is.
 */
export function userDirectory(kind: "config" | "state"): string {
  const given = readVariable(kind === "config" ? "XDG_CONFIG_HOME" : "XDG_STATE_HOME");
  // A relative path is to be ignored, says the specification.
  if (given?.startsWith("/")) return `${given}/strongroom`;
  const home = readVariable("HOME");
  if (!home) throw new UsageError("HOME is not set: it is where strongroom keeps the login");
  return `${home}/${kind === "config" ? ".config" : ".local/state"}/strongroom`;
}

/** What a process of this program needs of the environment if it reads no setting. */
export function runtimeVariables(): Record<string, string> {
  const given = RUNTIME_VARIABLES.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
}

/**
 * What has the runtime trust the authorities of the system besides its own, or those in the file that
 * `SSL_CERT_FILE` names in their place.
 */
export function trustVariables(): Record<string, string> {
  const name = "DENO_TLS_CA_STORE";
  return { [name]: Deno.env.get(name) ?? "mozilla,system" };
}

/** The log of this process, on stderr. */
export function logOf(
  { logLevel, logFormat }: Settings,
  write: LogOptions["write"] = (line) => console.error(line),
): Log {
  const format = logFormat ?? (Deno.stderr.isTerminal() ? "text" : "json");
  return new Log({ level: logLevel, format, write });
}

/** The protocol of the server's URL. */
export function protocolOf({ tlsCert }: Pick<Settings, "tlsCert">): "http:" | "https:" {
  return tlsCert === undefined ? "http:" : "https:";
}

/** Host and port as they appear in a URL: an IPv6 address is in brackets. */
export function authority({ host, port }: Pick<Settings, "host" | "port">): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
