import * as v from "valibot";
import { MIRROR_SETTINGS } from "./mirror_settings.ts";
import {
  agreed,
  authorities,
  contentUrl,
  databaseUrl,
  duration,
  formerSecret,
  host,
  httpUrl,
  issuer,
  networks,
  oneOf,
  origin,
  origins,
  path,
  period,
  publicUrl,
  secret,
  size,
  text,
  verdicts,
  wholeNumber,
} from "./setting_kinds.ts";
import { MIB, TIB } from "./units.ts";

/**
 * All settings (C 13). The environment variable of `maxUploadFiles` is
 * `STRONGROOM_MAX_UPLOAD_FILES`, and so on. The message of an issue says what is expected. A secret may
 * be in a file, which the setting after it names.
 */
const entries = {
  host: v.optional(host, "127.0.0.1"),
  port: v.optional(wholeNumber(0, 65535), "8080"),
  dataDir: v.optional(path, "./data"),
  /** Where records are kept. Default: the data directory. */
  databaseUrl: v.optional(databaseUrl),
  databaseUrlFile: v.optional(path),
  /** The same database past the pooler that databaseUrl names. Default: there is no pooler. */
  databaseDirectUrl: v.optional(databaseUrl),
  databaseDirectUrlFile: v.optional(path),
  /** In what the server may differ from the others of its database. Default: in nothing. */
  allowDifferent: v.optional(agreed),
  /** Where content is kept. Default: the data directory. */
  contentUrl: v.optional(contentUrl),
  /** Where the credentials for it come from: the next settings, the machine, or a web identity. */
  s3Credentials: v.optional(oneOf("keys", "instance", "web-identity"), "keys"),
  s3AccessKey: v.optional(text),
  s3AccessKeyFile: v.optional(path),
  s3SecretKey: v.optional(text),
  s3SecretKeyFile: v.optional(path),
  s3SessionToken: v.optional(text),
  s3SessionTokenFile: v.optional(path),
  s3MetadataUrl: v.optional(httpUrl, "http://169.254.169.254"),
  s3RoleArn: v.optional(text),
  s3WebIdentityTokenFile: v.optional(path),
  /** Who lends credentials to a web identity. Default: STS of the region. */
  s3StsUrl: v.optional(httpUrl),
  logLevel: v.optional(oneOf("debug", "info", "warn", "error"), "info"),
  /** Default: text on a terminal, otherwise json. */
  logFormat: v.optional(oneOf("text", "json")),
  jwtSecret: v.optional(secret),
  jwtSecretFile: v.optional(path),
  /** Verifies credentials that were signed before the secret was replaced. */
  jwtSecretPrevious: v.optional(formerSecret),
  jwtSecretPreviousFile: v.optional(path),
  jwtPublicKey: v.optional(path),
  jwksUrl: v.optional(httpUrl),
  jwtIssuer: v.optional(text),
  jwtAudience: v.optional(text),
  /** The provider of OpenID Connect that people sign in by. Default: none. */
  oidcIssuer: v.optional(issuer),
  /** Hosts of its endpoints besides that of its URL. */
  oidcHosts: v.optional(authorities),
  oidcClientId: v.optional(text),
  oidcClientSecret: v.optional(text),
  oidcClientSecretFile: v.optional(path),
  /** The claim that has the groups of a person. */
  oidcGroupsClaim: v.optional(text, "groups"),
  /** The file of rules, such as roles. Default: strongroom.toml in the data directory, if it is there. */
  config: v.optional(path),
  /** Default: 1 TiB, or maxUploadTotalSize if that is less. */
  maxUploadFileSize: v.optional(size(1)),
  /** How long an upload that can be resumed waits for its next bytes. */
  uploadExpiryH: v.optional(wholeNumber(1, 8760), "24"),
  maxUploadFiles: v.optional(wholeNumber(1, 1_000_000), "10000"),
  maxUploadTotalSize: v.optional(size(1), "1TiB"),
  /** Default: 1 TiB, or for another maxUploadTotalSize that and 64 MiB for the form around the files. */
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
  /** How long what a change takes away stays readable; 0 to keep no history. */
  history: v.optional(period, "30d"),
  /** How many bytes of history a tree keeps. Default: as many as the quota, or else half of the disk. */
  historyMaxBytes: v.optional(size(0)),
  /** Whether files are scanned when they arrive, and whether the verdict decides on downloads. */
  gate: v.optional(oneOf("off", "mark", "block"), "off"),
  /** The verdicts with which a file may be downloaded. */
  gateAccept: v.optional(verdicts, "clean"),
  /** Whether files of no known format may be downloaded: all, those with no name of a model, or none. */
  gateUnknown: v.optional(oneOf("allow", "names", "block"), "allow"),
  /** How long a server that stops lets requests go on. */
  grace: v.optional(duration, "60s"),
  /**
   * How long a server takes requests after SIGTERM, while it says that it is not ready. Default: 5s with a
   * database that servers share, otherwise 0, as no other server could take them.
   */
  drain: v.optional(duration),
  metrics: v.optional(oneOf("token", "open"), "token"),
  /** Where the audit log goes: `audit.log` in the data directory, or stderr. */
  auditLog: v.optional(oneOf("file", "stderr"), "file"),
  /** How large the audit log may become in the data directory; 0 for any size. */
  auditLogSize: v.optional(size(0), "1GiB"),
  /** The proxies whose `Forwarded` and `X-Forwarded-For` name the client. */
  trustedProxies: v.optional(networks),
  /** The certificate by which the server encrypts by itself, with those of its authorities, and its key. */
  tlsCert: v.optional(path),
  tlsKey: v.optional(path),
  /** The URL of the server, below which all addresses are that it hands out. Default: the origin of the request. */
  publicUrl: v.optional(publicUrl),
  /** The former name of publicUrl. */
  origin: v.optional(origin),
  corsOrigins: v.optional(origins),
  /** Whether the server serves the console for browsers. */
  console: v.optional(oneOf("on", "off"), "on"),
  ...MIRROR_SETTINGS,
};

const SHARED_DRAIN_MS = 5000;

const Settings = v.pipe(
  v.object(entries),
  v.check(
    ({ jwtSecret, jwtSecretPrevious, jwtPublicKey, jwksUrl }) =>
      [jwtSecret ?? jwtSecretPrevious, jwtPublicKey, jwksUrl]
        .filter((key) => key !== undefined).length <= 1,
    "set at most one of STRONGROOM_JWT_SECRET (with _PREVIOUS), STRONGROOM_JWT_PUBLIC_KEY, STRONGROOM_JWKS_URL",
  ),
  v.check(
    ({ oidcIssuer, oidcClientId }) => (oidcIssuer === undefined) === (oidcClientId === undefined),
    "set STRONGROOM_OIDC_ISSUER and STRONGROOM_OIDC_CLIENT_ID together",
  ),
  v.check(
    ({ tlsCert, tlsKey }) => (tlsCert === undefined) === (tlsKey === undefined),
    "set STRONGROOM_TLS_CERT and STRONGROOM_TLS_KEY together",
  ),
  v.check(
    ({ publicUrl, origin }) => publicUrl === undefined || origin === undefined,
    "set STRONGROOM_PUBLIC_URL only: STRONGROOM_ORIGIN is its former name",
  ),
  v.check(
    ({ contentUrl, s3Credentials, s3AccessKey, s3SecretKey }) => {
      const needsKeys = contentUrl !== undefined && s3Credentials === "keys";
      return needsKeys === (s3AccessKey !== undefined) && needsKeys === (s3SecretKey !== undefined);
    },
    "set STRONGROOM_CONTENT_URL, STRONGROOM_S3_ACCESS_KEY and STRONGROOM_S3_SECRET_KEY together, " +
      "but no keys with another STRONGROOM_S3_CREDENTIALS",
  ),
  v.check(
    ({ s3Credentials, s3RoleArn, s3WebIdentityTokenFile }) =>
      s3Credentials !== "web-identity" ||
      s3RoleArn !== undefined && s3WebIdentityTokenFile !== undefined,
    "STRONGROOM_S3_CREDENTIALS=web-identity needs STRONGROOM_S3_ROLE_ARN and " +
      "STRONGROOM_S3_WEB_IDENTITY_TOKEN_FILE",
  ),
  v.check(
    ({ databaseUrl, databaseDirectUrl }) =>
      databaseUrl !== undefined || databaseDirectUrl === undefined,
    "STRONGROOM_DATABASE_DIRECT_URL is the way past the pooler that STRONGROOM_DATABASE_URL names",
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
      Math.min(TIB, settings.maxUploadTotalSize),
    drain: settings.drain ?? (settings.databaseUrl === undefined ? 0 : SHARED_DRAIN_MS),
    maxUploadRequestSize: settings.maxUploadRequestSize ??
      requestSizeFor(settings.maxUploadTotalSize),
  })),
);

function requestSizeFor(totalSize: number): number {
  return totalSize === TIB ? TIB : totalSize + 64 * MIB;
}

/** The settings of a process. Sizes are in bytes. */
export type Settings = v.InferOutput<typeof Settings>;

const DURATIONS: ReadonlySet<string> = new Set(["grace", "drain", "history", "mirrorFresh"]);
const SECRET_KEYS = [
  "databaseUrl",
  "databaseDirectUrl",
  "jwtSecret",
  "jwtSecretPrevious",
  "s3AccessKey",
  "s3SecretKey",
  "s3SessionToken",
  "oidcClientSecret",
  "mirrorToken",
] as const;
const SECRETS: ReadonlySet<string> = new Set(SECRET_KEYS);
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

/** The variables of secrets. Each may be in the file that its name with `_FILE` names (C 31). */
export const SECRET_VARIABLES: ReadonlySet<string> = new Set(SECRET_KEYS.map(variableOf));

/** The files that secrets are in. */
export function secretFiles(settings: Settings): string[] {
  return SECRET_KEYS.map((key) => settings[`${key}File` as const])
    .filter((path) => path !== undefined);
}

/** The settings for people: variable, value in force, and whether it is the default. Secrets are masked. */
export function describeSettings(
  settings: Settings,
  env: ReadVariable,
): { variable: string; value: string; isDefault: boolean }[] {
  return Object.entries(settings).map(([key, value]) => {
    const variable = variableOf(key);
    const shown = shownValue(key, value);
    return {
      variable,
      value: SECRETS.has(key) && shown !== "" ? MASK : withMaskedPassword(shown),
      isDefault: !env(variable),
    };
  });
}

/** A value in a form that the variable takes. */
function shownValue(key: string, value: unknown): string {
  if (value === undefined) return "";
  if (key === "history" && value === 0) return "off";
  return DURATIONS.has(key) ? `${Number(value) / 1000}s` : String(value);
}

/** Masks the password of a URL, or the user without one; returns other text unchanged. */
function withMaskedPassword(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.username === "" && url.password === "")) return text;
  // Where there is no password, the user may be a token.
  if (url.password === "") url.username = MASK;
  else url.password = MASK;
  return url.href;
}

/** The environment variable of a setting. */
function variableOf(key: string): string {
  return `STRONGROOM_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Whether a message may have an invalid value. A URL that cannot be parsed may have a password anywhere. */
function isShown(key: string, value: string): boolean {
  return !SECRETS.has(key) && key !== "contentUrl" && !(value.includes("/") && value.includes("@"));
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const key = issue.path?.[0]?.key;
  if (typeof key !== "string") return `Conflicting settings: ${issue.message}`;
  const given = String(issue.path?.[0]?.value);
  const value = isShown(key, given) ? ` ${JSON.stringify(given)}` : "";
  return `Invalid ${variableOf(key)}${value}: expected ${issue.message}`;
}
