import * as v from "valibot";
import { parseContentUrl } from "./content_url.ts";
import { databaseAddress } from "./database_url.ts";
import { MIB, parseSize } from "./units.ts";
import { SCANNED_VERDICTS } from "./verdicts.ts";

const text = v.pipe(v.string(), v.trim(), v.nonEmpty("non-empty text"));

/** A path of the host. It may have spaces, commas and quotes, as no shell ever splits it. */
const path = v.pipe(
  text,
  v.check((value) => !/\p{Cc}/u.test(value), "a path without control characters"),
);

const MAX_HOST_LENGTH = 253;
const HOST_LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/i;

/**
 * Checks for a host name or an IP address, without brackets or a zone. Such a host has no meaning
 * beyond its own in a permission of the runtime, where `*` and `,` would have one.
 */
function isHost(value: string): boolean {
  if (value.length > MAX_HOST_LENGTH) return false;
  if (v.IPV4_REGEX.test(value)) return true;
  if (v.IPV6_REGEX.test(value)) return !value.includes("%");
  const labels = value.replace(/\.$/, "").split(".");
  // A name that ends in a number would be read as an IPv4 address (WHATWG URL, 3.5).
  return labels.every((label) => HOST_LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "");
}

const host = v.pipe(v.string(), v.trim(), v.check(isHost, "a host name or an IP address"));

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

/** An http or https URL whose host is one that {@link isHost} accepts. */
const httpUrl = v.pipe(
  text,
  v.check((value) => {
    const url = URL.parse(value);
    return url !== null && ["http:", "https:"].includes(url.protocol) &&
      isHost(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  }, "an http or https URL"),
);

const contentUrl = v.pipe(
  text,
  v.check(
    (value) => parseContentUrl(value) !== undefined,
    "an address such as s3://bucket/prefix?endpoint=https://s3.example&region=eu-1",
  ),
);

/** Says what is wrong with the URL of a database, without its password; undefined if nothing is. */
function databaseUrlProblem(text: string): string | undefined {
  try {
    return isHost(databaseAddress(text).host) ? undefined : "its host is invalid";
  } catch (error) {
    return error instanceof URIError
      ? "an escape sequence is invalid"
      : String(error).replace("Error: ", "");
  }
}

const databaseUrl = v.pipe(
  text,
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? databaseUrlProblem(dataset.value) : undefined;
    if (problem === undefined) return;
    addIssue({
      message: `a URL such as postgres://user:password@host:5432/database, but ${problem}`,
    });
  }),
);

const secret = v.pipe(
  v.string(),
  v.check((value) => new TextEncoder().encode(value).length >= 32, "at least 32 bytes"),
);

/** A size of at least `minimum` bytes. */
function size(minimum: number) {
  const allowed = `a size of at least ${minimum} bytes, such as 5GiB, 300MB or 1000000`;
  return v.pipe(
    v.string(),
    v.trim(),
    v.transform((text) => parseSize(text) ?? Number.NaN),
    v.number(allowed),
    v.minValue(minimum, allowed),
  );
}

/** An HTTP origin. */
const origin = v.pipe(
  text,
  v.check(
    (value) => URL.parse(value)?.origin === value && /^https?:/.test(value),
    "an origin such as https://files.example",
  ),
);

/** A comma-separated list of HTTP origins, or `*`. */
const origins = v.pipe(
  text,
  v.transform((value) => value.split(",").map((origin) => origin.trim())),
  v.check(
    (list) => list.every((origin) => origin === "*" || URL.parse(origin)?.origin === origin),
    "comma-separated origins such as https://app.example, or *",
  ),
);

/** The bits of an IPv4 and an IPv6 address. */
const ADDRESS_BITS = { 4: 32, 6: 128 } as const;

/** Whether a text is an IP address, or a network such as `10.0.0.0/8`. */
function isNetwork(text: string): boolean {
  const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = v.IPV4_REGEX.test(address) ? 4 : v.IPV6_REGEX.test(address) ? 6 : undefined;
  return family !== undefined && !address.includes("%") &&
    (bits === undefined || Number(bits) <= ADDRESS_BITS[family]);
}

/** A comma-separated list of addresses and networks. */
const networks = v.pipe(
  text,
  v.transform((value) => value.split(",").map((network) => network.trim())),
  v.check(
    (list) => list.every(isNetwork),
    "comma-separated addresses or networks such as 10.0.0.0/8",
  ),
);

const VERDICT = v.picklist(SCANNED_VERDICTS);

/** A comma-separated list of verdicts that a scan can end with. */
const verdicts = v.pipe(
  text,
  v.transform((value) => value.split(",").map((verdict) => verdict.trim())),
  v.check(
    (list) => list.every((verdict) => v.is(VERDICT, verdict)),
    `a comma-separated list of ${SCANNED_VERDICTS.join(", ")}`,
  ),
  v.transform((list) => list.filter((verdict) => v.is(VERDICT, verdict))),
);

/**
 * All settings (C 13). The environment variable of `maxUploadFiles` is
 * `STRONGROOM_MAX_UPLOAD_FILES`, and so on. The message of an issue says what is expected.
 */
const entries = {
  host: v.optional(host, "127.0.0.1"),
  port: v.optional(wholeNumber(0, 65535), "8080"),
  dataDir: v.optional(path, "./data"),
  /** Where records are kept. Default: the data directory. */
  databaseUrl: v.optional(databaseUrl),
  /** Where content is kept. Default: the data directory. */
  contentUrl: v.optional(contentUrl),
  s3AccessKey: v.optional(text),
  s3SecretKey: v.optional(text),
  s3SessionToken: v.optional(text),
  logLevel: v.optional(oneOf("debug", "info", "warn", "error"), "info"),
  /** Default: text on a terminal, otherwise json. */
  logFormat: v.optional(oneOf("text", "json")),
  jwtSecret: v.optional(secret),
  /** Verifies credentials that were signed before the secret was replaced. */
  jwtSecretPrevious: v.optional(secret),
  jwtPublicKey: v.optional(path),
  jwksUrl: v.optional(httpUrl),
  jwtIssuer: v.optional(text),
  jwtAudience: v.optional(text),
  /** Default: 300 MiB, or maxUploadTotalSize if that is less. */
  maxUploadFileSize: v.optional(size(1)),
  /** How long an upload that can be resumed waits for its next bytes. */
  uploadExpiryH: v.optional(wholeNumber(1, 8760), "24"),
  maxUploadFiles: v.optional(wholeNumber(1, 1_000_000), "1000"),
  maxUploadTotalSize: v.optional(size(1), "2GiB"),
  /** Default: maxUploadTotalSize + 64 MiB. */
  maxUploadRequestSize: v.optional(size(1)),
  /** The most bytes of all files of a user. */
  userQuota: v.optional(size(0)),
  /** The most requests of a user in a minute. */
  rateLimit: v.optional(wholeNumber(1, 1_000_000_000)),
  /** Uploads leave this much disk free, in MB of 2^20 bytes. */
  diskReserveMb: v.optional(wholeNumber(0, 1_000_000_000), "64"),
  /** The most scans that may be queued. */
  maxQueuedScans: v.optional(wholeNumber(1, 1_000_000), "1000"),
  /** The time limit for scanning one file, in seconds. */
  scanFileTimeoutS: v.optional(wholeNumber(1, 1_000_000), "300"),
  /** What the limits of a scan grow to with the file: opcodes of a pickle, MB of 2^20 bytes. */
  scanMaxOpcodes: v.optional(wholeNumber(1000, 10_000_000_000), "50000000"),
  scanMaxValuesMb: v.optional(wholeNumber(1, 1_000_000), "384"),
  scanMaxMemberMb: v.optional(wholeNumber(1, 1_000_000), "256"),
  scanMaxUnpackedMb: v.optional(wholeNumber(1, 1_000_000_000), "16384"),
  /** What isolates scans from the server and from each other. */
  scanIsolation: v.optional(oneOf("process", "thread"), "process"),
  /** How many days scans and their reports are kept after their end; 0 for ever. */
  scanRetentionDays: v.optional(wholeNumber(0, 36_500), "30"),
  /** In how many days all content is read once to find damage; 0 for never. */
  scrubDays: v.optional(wholeNumber(0, 36_500), "30"),
  /** Whether files are scanned when they arrive, and whether the verdict decides on downloads. */
  gate: v.optional(oneOf("off", "mark", "block"), "off"),
  /** The verdicts with which a file may be downloaded. */
  gateAccept: v.optional(verdicts, "clean"),
  metrics: v.optional(oneOf("token", "open"), "token"),
  /** Where the audit log goes: `audit.log` in the data directory, or stderr. */
  auditLog: v.optional(oneOf("file", "stderr"), "file"),
  /** The proxies whose `Forwarded` and `X-Forwarded-For` name the client. */
  trustedProxies: v.optional(networks),
  /** The origin of URLs that the server hands out. Default: that of the request. */
  origin: v.optional(origin),
  corsOrigins: v.optional(origins),
  /** Whether the server serves the console for browsers. */
  console: v.optional(oneOf("on", "off"), "on"),
};

const Settings = v.pipe(
  v.object(entries),
  v.check(
    ({ jwtSecret, jwtSecretPrevious, jwtPublicKey, jwksUrl }) =>
      [jwtSecret ?? jwtSecretPrevious, jwtPublicKey, jwksUrl]
        .filter((key) => key !== undefined).length <= 1,
    "set at most one of STRONGROOM_JWT_SECRET (with _PREVIOUS), STRONGROOM_JWT_PUBLIC_KEY, STRONGROOM_JWKS_URL",
  ),
  v.check(
    ({ contentUrl, s3AccessKey, s3SecretKey }) =>
      (contentUrl === undefined) === (s3AccessKey === undefined) &&
      (contentUrl === undefined) === (s3SecretKey === undefined),
    "set STRONGROOM_CONTENT_URL, STRONGROOM_S3_ACCESS_KEY and STRONGROOM_S3_SECRET_KEY together",
  ),
  v.check(
    ({ maxUploadFileSize = 0, maxUploadTotalSize }) => maxUploadFileSize <= maxUploadTotalSize,
    "STRONGROOM_MAX_UPLOAD_FILE_SIZE is more than STRONGROOM_MAX_UPLOAD_TOTAL_SIZE",
  ),
  v.check(
    ({ maxUploadTotalSize, maxUploadRequestSize = Infinity }) =>
      maxUploadTotalSize <= maxUploadRequestSize,
    "STRONGROOM_MAX_UPLOAD_TOTAL_SIZE is more than STRONGROOM_MAX_UPLOAD_REQUEST_SIZE",
  ),
  v.transform((settings) => ({
    ...settings,
    maxUploadFileSize: settings.maxUploadFileSize ??
      Math.min(300 * MIB, settings.maxUploadTotalSize),
    maxUploadRequestSize: settings.maxUploadRequestSize ?? settings.maxUploadTotalSize + 64 * MIB,
  })),
);

/** The settings of a process. Sizes are in bytes. */
export type Settings = v.InferOutput<typeof Settings>;

const SECRETS: ReadonlySet<string> = new Set(
  ["databaseUrl", "jwtSecret", "jwtSecretPrevious", "s3AccessKey", "s3SecretKey", "s3SessionToken"],
);
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

/** The environment variables of all settings. */
export const SETTING_VARIABLES: readonly string[] = Object.keys(entries).map(variableOf);

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
  if (typeof key !== "string") return `Conflicting settings: ${issue.message}`;
  const value = SECRETS.has(key) ? "" : ` ${JSON.stringify(issue.path?.[0]?.value)}`;
  return `Invalid ${variableOf(key)}${value}: expected ${issue.message}`;
}
