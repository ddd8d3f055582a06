import { parseContentUrl } from "../schemas/content_url.ts";
import {
  databaseAuthorities,
  databaseFiles,
  databaseOf,
  type DatabaseSettings,
} from "../schemas/database_url.ts";
import { mirrorAuthorities } from "../schemas/mirror_settings.ts";
import { secretFiles, type Settings } from "../schemas/settings.ts";
import { urlAuthority } from "../schemas/url_authority.ts";
import { namesOf, namesOfReplaced } from "../storage/disk/path_names.ts";
import { MODULE_DIRECTORIES } from "../storage/threads/program_modules.ts";
import { authority, loadSettings } from "./environment.ts";
import { print } from "./print.ts";
import { expectNoArguments, UsageError } from "./usage_error.ts";

/** `strongroom permissions`: prints the permissions that the settings need, as flags for `deno run`. */
export function run(args: string[]): number {
  expectNoArguments(args);
  print(permissionLine(loadSettings()));
  return 0;
}

/**
 * The permissions that the settings need, as flags for `deno run` in a shell.
 *
 * @throws {UsageError} when a path {@link hasComma}.
 */
export function permissionLine(settings: Settings): string {
  return permissionFlags(permissionsFor(settings)).map(shellFlag).join(" ");
}

/** The hosts and paths that a process may use. */
export interface Permissions {
  readonly net: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** The hosts and paths that the settings need, and no others. */
export function permissionsFor(settings: Settings): Permissions {
  const { dataDir, jwtPublicKey, jwksUrl, oidcIssuer, oidcHosts, tlsCert, tlsKey, config } =
    settings;
  const files = [
    ...[jwtPublicKey, tlsCert, tlsKey, config].filter((path) => path !== undefined),
    ...secretFiles(settings),
  ];
  const data = namesOf(dataDir);
  const engines = enginesOf(settings);
  return {
    net: [
      authority(settings),
      ...[jwksUrl, oidcIssuer].filter((url) => url !== undefined).map(urlAuthority),
      ...oidcIssuer === undefined ? [] : oidcHosts ?? [],
      ...mirrorAuthorities(settings),
      ...engines.net,
    ],
    read: [
      ...MODULE_DIRECTORIES,
      ...files.flatMap(namesOfReplaced),
      ...engines.read,
      ...data,
    ],
    write: data,
  };
}

/** Host and port of each engine that the settings name (C 23), and the files by which they are verified. */
export function enginesOf(
  { contentUrl, ...others }:
    & Pick<Partial<Settings>, "contentUrl" | LenderSetting>
    & DatabaseSettings,
): Pick<Permissions, "net" | "read"> {
  const content = contentUrl === undefined ? undefined : parseContentUrl(contentUrl);
  const address = databaseOf(others);
  const lender = lenderUrl({ contentUrl, ...others });
  const databases = [address, address?.direct].filter((it) => it !== undefined);
  return {
    net: [
      ...content === undefined ? [] : [urlAuthority(content.endpoint)],
      ...lender === undefined ? [] : [urlAuthority(lender)],
      ...databases.flatMap(databaseAuthorities),
    ],
    read: [
      ...databases.flatMap(databaseFiles),
      ...lender === undefined
        ? []
        : [others.s3WebIdentityTokenFile].filter((it) => it !== undefined),
    ].flatMap(namesOfReplaced),
  };
}

type LenderSetting = "s3Credentials" | "s3MetadataUrl" | "s3StsUrl" | "s3WebIdentityTokenFile";

/** Who lends credentials for the object store, if anyone does. */
export function lenderUrl(
  { contentUrl, s3Credentials, s3MetadataUrl, s3StsUrl }: Pick<
    Partial<Settings>,
    "contentUrl" | LenderSetting
  >,
): string | undefined {
  const content = contentUrl === undefined ? undefined : parseContentUrl(contentUrl);
  if (content === undefined) return undefined;
  if (s3Credentials === "instance") return s3MetadataUrl;
  if (s3Credentials !== "web-identity") return undefined;
  return s3StsUrl ?? `https://sts.${content.region}.amazonaws.com`;
}

/** What it takes to copy one directory to another. */
export function copyPermissions(from: string, to: string): Permissions {
  const target = namesOf(to);
  return { net: [], read: [...MODULE_DIRECTORIES, ...namesOf(from), ...target], write: target };
}

/** Whether a path has a comma, which the flags of `deno run` cannot express. */
export function hasComma({ read, write }: Permissions): boolean {
  return [...read, ...write].some((path) => path.includes(","));
}

/**
 * The permissions as flags for `deno run`.
 *
 * @throws {UsageError} when a path {@link hasComma}.
 */
export function permissionFlags(
  permissions: Permissions,
  fixedFlags: readonly string[] = FIXED_FLAGS,
): string[] {
  if (hasComma(permissions)) {
    throw new UsageError("The flags of deno run cannot express a path that contains a comma");
  }
  const { net, read, write } = permissions;
  // Without a value, a flag would grant all.
  const flags = Object.entries({ net, read, write }).filter(([, values]) => values.length > 0)
    .map(([name, values]) => `--allow-${name}=${values.join()}`);
  return [...flags, ...fixedFlags];
}

/** The permissions that do not depend on the settings. */
export const FIXED_FLAGS: readonly string[] = [
  "--allow-env=STRONGROOM_*,OTEL_DENO",
  "--allow-sys=statfs,loadavg,systemMemoryInfo",
];

/** A flag for a shell, with quotes around its value alone. */
function shellFlag(flag: string): string {
  const value = flag.indexOf("=") + 1;
  return flag.slice(0, value) + shellWord(flag.slice(value));
}

/**
 * A word for a shell. White space is escaped, so that a shell that splits the words without reading
 * their quotes, as `$(…)` does, cannot make a flag of a part of a path.
 */
function shellWord(word: string): string {
  if (/^[\w%+=:,./*[\]@-]+$/.test(word)) return word;
  const escaped = word.replace(/[\\']/g, "\\$&").replace(
    /[\t ]/g,
    (it) => it === " " ? "\\x20" : "\\t",
  );
  return `$'${escaped}'`;
}
