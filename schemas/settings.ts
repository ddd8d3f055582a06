import * as v from "valibot";
import { GIB, MIB } from "./units.ts";

/** Non-empty text, such as the name of a file or host. */
const text = v.pipe(v.string(), v.trim(), v.nonEmpty("non-empty text"));

function wholeNumber(minimum: number, maximum: number) {
  const allowed = `a whole number from ${minimum} to ${maximum}`;
  return v.pipe(
    v.string(),
    v.trim(),
    v.regex(/^\d{1,16}$/, allowed),
    v.transform(Number),
    v.minValue(minimum, allowed),
    v.maxValue(maximum, allowed),
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

/** A comma-separated list of HTTP origins, or `*`. */
const origins = v.pipe(
  text,
  v.transform((value) => value.split(",").map((origin) => origin.trim())),
  v.check(
    (list) => list.every((origin) => origin === "*" || URL.parse(origin)?.origin === origin),
    "comma-separated origins such as https://app.example, or *",
  ),
);

/**
 * All settings (C 13). The environment variable of `maxUploadFiles` is
 * `STRONGROOM_MAX_UPLOAD_FILES`, and so on. The message of an issue says what is expected.
 */
const entries = {
  host: v.optional(text, "127.0.0.1"),
  port: v.optional(wholeNumber(0, 65535), "8080"),
  dataDir: v.optional(text, "./data"),
  logLevel: v.optional(oneOf("debug", "info", "warn", "error"), "info"),
  /** Default: text on a terminal, otherwise json. */
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
  /** Default: maxUploadTotalSize + 64 MiB. */
  maxUploadRequestSize: v.optional(bytes),
  /** The most scans that may be queued. */
  maxQueuedScans: v.optional(wholeNumber(1, 1_000_000), "1000"),
  /** The time limit for scanning one file, in seconds. */
  scanFileTimeoutS: v.optional(wholeNumber(1, 1_000_000), "300"),
  /** How many days scans and their reports are kept after their end; 0 for ever. */
  scanRetentionDays: v.optional(wholeNumber(0, 36_500), "30"),
  metrics: v.optional(oneOf("token", "open"), "token"),
  corsOrigins: v.optional(origins),
};

const Settings = v.pipe(
  v.object(entries),
  v.check(
    ({ jwtSecret, jwtPublicKey, jwksUrl }) =>
      [jwtSecret, jwtPublicKey, jwksUrl].filter((key) => key !== undefined).length <= 1,
    "STRONGROOM_JWT_SECRET, STRONGROOM_JWT_PUBLIC_KEY, STRONGROOM_JWKS_URL",
  ),
  v.transform((settings) => ({
    ...settings,
    maxUploadRequestSize: settings.maxUploadRequestSize ?? settings.maxUploadTotalSize + 64 * MIB,
  })),
);

/** The settings of a process. Sizes are in bytes. */
export type Settings = v.InferOutput<typeof Settings>;

const SECRETS: ReadonlySet<string> = new Set(["jwtSecret"]);
const MASK = "********";

/** Looks up an environment variable. */
export type ReadVariable = (variable: string) => string | undefined;

/**
 * Reads all settings. An empty variable counts as not set. Capacity tunables are read elsewhere, as
 * their defaults depend on the host.
 *
 * @throws {RangeError} when a setting is invalid. The message is one line with the variable, its value
 *   and the expected values.
 */
export function readSettings(env: ReadVariable): Settings {
  const given = Object.keys(entries).map((key) => [key, env(variableOf(key)) || undefined]);
  const result = v.safeParse(Settings, Object.fromEntries(given));
  if (!result.success) throw new RangeError(describeIssue(result.issues[0]));
  return result.output;
}

/** The settings for people: variable, value in force, and whether it is the default. Secrets are masked. */
export function describeSettings(
  settings: Settings,
  env: ReadVariable,
): { variable: string; value: string; isDefault: boolean }[] {
  return Object.entries(settings).map(([key, value]) => {
    const variable = variableOf(key);
    const shown = value === undefined ? "" : String(value);
    return {
      variable,
      value: SECRETS.has(key) && shown !== "" ? MASK : withMaskedPassword(shown),
      isDefault: !env(variable),
    };
  });
}

/** Masks the password of a URL; returns other text unchanged. */
function withMaskedPassword(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.password === "") return text;
  url.password = MASK;
  return url.href;
}

/** The environment variable of a setting. */
function variableOf(key: string): string {
  return `STRONGROOM_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const key = issue.path?.[0]?.key;
  if (typeof key !== "string") return `Conflicting settings: set at most one of ${issue.message}`;
  const value = SECRETS.has(key) ? "" : ` ${JSON.stringify(issue.path?.[0]?.value)}`;
  return `Invalid ${variableOf(key)}${value}: expected ${issue.message}`;
}
