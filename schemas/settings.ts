import * as v from "valibot";
import { GIB, MIB } from "./units.ts";

/** Any text but an empty one: the name of a file or a host, and the like. */
const text = v.pipe(v.string(), v.trim(), v.nonEmpty("some text"));

function wholeNumber(least: number, most: number) {
  const allowed = `a whole number from ${least} to ${most}`;
  return v.pipe(
    v.string(),
    v.trim(),
    v.regex(/^\d{1,16}$/, allowed),
    v.transform(Number),
    v.minValue(least, allowed),
    v.maxValue(most, allowed),
  );
}

function oneOf<const Options extends readonly string[]>(...options: Options) {
  return v.picklist(options, `one of ${options.join(", ")}`);
}

function url(allowed: string, ...protocols: string[]) {
  return v.pipe(
    text,
    v.check((value) => protocols.includes(URL.parse(value)?.protocol ?? ""), allowed),
  );
}

const bytes = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** The HTTP origins of a comma-separated list, or `*`. */
const origins = v.pipe(
  text,
  v.transform((value) => value.split(",").map((origin) => origin.trim())),
  v.check(
    (list) => list.every((origin) => origin === "*" || URL.parse(origin)?.origin === origin),
    "origins such as https://app.example, with commas between them, or *",
  ),
);

/**
 * Every setting (C 13). The environment variable of `maxUploadFiles` is
 * `STRONGROOM_MAX_UPLOAD_FILES`, and so on. The message of an issue is what would be allowed.
 */
const entries = {
  host: v.optional(text, "127.0.0.1"),
  port: v.optional(wholeNumber(0, 65535), "8080"),
  dataDir: v.optional(text, "./data"),
  logLevel: v.optional(oneOf("debug", "info", "warn", "error"), "info"),
  /** Left out: text on a terminal, json otherwise. */
  logFormat: v.optional(oneOf("text", "json")),
  jwtSecret: v.optional(v.pipe(
    v.string(),
    v.check((value) => new TextEncoder().encode(value).length >= 32, "at least 32 bytes"),
  )),
  jwtPublicKey: v.optional(text),
  jwksUrl: v.optional(url("an http or https URL", "http:", "https:")),
  jwtIssuer: v.optional(text),
  jwtAudience: v.optional(text),
  maxUploadFileSize: v.optional(bytes, String(300 * MIB)),
  maxUploadFiles: v.optional(wholeNumber(1, 1_000_000), "1000"),
  maxUploadTotalSize: v.optional(bytes, String(2 * GIB)),
  /** Left out: maxUploadTotalSize and 64 MiB. */
  maxUploadRequestSize: v.optional(bytes),
  /** Scans that may wait. */
  maxQueuedScans: v.optional(wholeNumber(1, 1_000_000), "1000"),
  /** The longest time that the scan of one file may take, in seconds. */
  scanFileTimeoutS: v.optional(wholeNumber(1, 1_000_000), "300"),
  metrics: v.optional(oneOf("token", "open"), "token"),
  corsOrigins: v.optional(origins),
};

const Settings = v.pipe(
  v.object(entries),
  v.check(
    ({ jwtSecret, jwtPublicKey, jwksUrl }) =>
      [jwtSecret, jwtPublicKey, jwksUrl].filter((key) => key !== undefined).length <= 1,
    "one of STRONGROOM_JWT_SECRET, STRONGROOM_JWT_PUBLIC_KEY and STRONGROOM_JWKS_URL",
  ),
  v.transform((settings) => ({
    ...settings,
    maxUploadRequestSize: settings.maxUploadRequestSize ?? settings.maxUploadTotalSize + 64 * MIB,
  })),
);

/** The settings of a process; sizes are bytes. */
export type Settings = v.InferOutput<typeof Settings>;

const SECRET: ReadonlySet<string> = new Set(["jwtSecret"]);
const MASK = "********";

/** Looks up an environment variable. */
export type ReadVariable = (variable: string) => string | undefined;

/**
 * Reads all settings; an empty variable counts as none. Capacity tunables are read elsewhere, for
 * their defaults depend on the host.
 *
 * @throws {RangeError} where a setting is not valid; the message is one line that names the variable,
 *   its value and what is allowed.
 */
export function readSettings(env: ReadVariable): Settings {
  const given = Object.keys(entries).map((key) => [key, env(variableOf(key)) || undefined]);
  const result = v.safeParse(Settings, Object.fromEntries(given));
  if (!result.success) throw new RangeError(complaint(result.issues[0]));
  return result.output;
}

/** The settings as a person may see them: the variable, the value in force and whether it is the default. */
export function describeSettings(
  settings: Settings,
  env: ReadVariable,
): { variable: string; value: string; isDefault: boolean }[] {
  return Object.entries(settings).map(([key, value]) => {
    const variable = variableOf(key);
    const shown = value === undefined ? "" : String(value);
    return {
      variable,
      value: SECRET.has(key) && shown !== "" ? MASK : withoutPassword(shown),
      isDefault: !env(variable),
    };
  });
}

/** A URL without what is secret in it, and any other text as it is. */
function withoutPassword(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.password === "") return text;
  url.password = MASK;
  return url.href;
}

/** `maxUploadFiles` is `STRONGROOM_MAX_UPLOAD_FILES`. */
function variableOf(key: string): string {
  return `STRONGROOM_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function complaint(issue: v.BaseIssue<unknown>): string {
  const key = issue.path?.[0]?.key;
  if (typeof key !== "string") return `Too many settings for one thing: only ${issue.message}`;
  const value = SECRET.has(key) ? "its value" : JSON.stringify(issue.path?.[0]?.value);
  return `Bad setting ${variableOf(key)}: ${value} is not allowed, only ${issue.message}`;
}
