import { parse, TomlDate, TomlError } from "smol-toml";
import { dirname, relative, resolve } from "node:path";
import * as v from "valibot";
import { pathMatcher } from "../../core/glob.ts";
import { expiryOf, isRuleCode, type Waiver } from "../../core/scanner/mod.ts";
import { UsageError } from "../usage_error.ts";

/** The file of waivers that is read if none is named. */
export const CONFIG_FILE = "strongroom.toml";

const MAX_CONFIG_BYTES = 1024 * 1024;

/** Waivers, and which paths they mean. */
export interface Waivers {
  readonly waivers: readonly Waiver[];
  /** Whether a path matches the pattern of a waiver, which counts from the directory of the file. */
  readonly matchesPath: (pattern: string, path: string) => boolean;
}

/**
 * Reads a file of waivers.
 *
 * @throws {UsageError} when it cannot be read or is invalid.
 */
export async function readWaivers(path: string): Promise<Waivers> {
  const text = await readText(path);
  const directory = dirname(resolve(path));
  return {
    waivers: parsedWaivers(path, text),
    matchesPath: (pattern, file) => {
      const fromDirectory = relative(directory, resolve(file));
      return pathMatcher(pattern)(fromDirectory);
    },
  };
}

/**
 * Reads the waivers of a file in the current directory, unless that file is scanned, too: the author of
 * a model must not be able to accept its findings.
 *
 * @returns undefined if no such file exists, or if it is not read.
 */
export async function readOwnWaivers(
  paths: readonly string[],
  warn: (message: string) => void,
): Promise<Waivers | undefined> {
  const real = await realPath(CONFIG_FILE);
  if (real === undefined) return undefined;
  for (const path of paths) {
    const scanned = await realPath(path);
    if (scanned !== undefined && isWithin(real, scanned)) {
      warn(
        `${CONFIG_FILE} is not read, as it is among the scanned files: ` +
          `name it with --config ${CONFIG_FILE} if you trust it`,
      );
      return undefined;
    }
  }
  return await readWaivers(CONFIG_FILE);
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    // A path that cannot be resolved is reported when it is scanned.
    if (error instanceof Deno.errors.NotCapable || !(error instanceof Error)) throw error;
    return undefined;
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}

async function readText(path: string): Promise<string> {
  try {
    const { size, isFile } = await Deno.stat(path);
    if (!isFile || size > MAX_CONFIG_BYTES) throw new Error("not a file of at most 1 MiB");
    return await Deno.readTextFile(path);
  } catch (error) {
    throw invalid(path, error instanceof Error ? error.message : String(error), error);
  }
}

function invalid(path: string, problem: string, cause?: unknown): UsageError {
  return new UsageError(`Cannot read the waivers of ${path}: ${problem}`, { cause });
}

/** A TOML date, or a text of the same form. */
const expiry = v.pipe(
  v.union([v.string(), v.instance(TomlDate)], "expected a date such as 2027-01-31"),
  v.transform((date) => typeof date === "string" ? date : dateText(date)),
  v.check(
    (date) =>
      /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(date) &&
      Number.isFinite(expiryOf({ expires_at: date })),
    "expected a date such as 2027-01-31, or a time with an offset",
  ),
);

/** A date or a time as text. Without an offset, a time is in UTC. */
function dateText(date: TomlDate): string {
  return date.toISOString() + (date.isDateTime() && date.isLocal() ? "Z" : "");
}

const WaiverEntry = v.pipe(
  v.strictObject({
    rule: v.optional(
      v.pipe(
        v.string(),
        v.check(isRule, "expected a rule such as S104, as strongroom rules lists them"),
      ),
    ),
    path: v.optional(v.pipe(v.string(), v.regex(/[^/.]/, "expected a path or a pattern"))),
    sha256: v.optional(
      v.pipe(v.string(), v.toLowerCase(), v.regex(/^[0-9a-f]{64}$/, "expected 64 hex digits")),
    ),
    reason: v.pipe(v.string(), v.trim(), v.minLength(1, "expected a text")),
    expires_at: v.optional(expiry),
  }),
  v.check(
    ({ rule, path, sha256 }) => sha256 !== undefined || (rule !== undefined && path !== undefined),
    "expected sha256, or rule and path",
  ),
);
const ConfigFile = v.strictObject({ waiver: v.optional(v.array(WaiverEntry), []) });

/** Rules without a code are named by the type of their issues. */
function isRule(text: string): boolean {
  return isRuleCode(text) || /^[a-z0-9_]+_check$/.test(text);
}

function parsedWaivers(path: string, source: string): readonly Waiver[] {
  const parsed = v.safeParse(ConfigFile, parsedToml(path, source));
  if (parsed.success) return parsed.output.waiver;
  const [issue] = parsed.issues;
  const line = lineOfWaiver(source, issue.path?.[1]?.key);
  const place = v.getDotPath(issue) ?? "waiver";
  throw invalid(path, `${line}${place}: ${issue.message}`);
}

/** Where a waiver begins, by its number, as `line 3: `. Empty if it is not written as a table. */
function lineOfWaiver(source: string, index: unknown): string {
  if (typeof index !== "number") return "";
  const header = [...source.matchAll(/^[ \t]*\[\[[ \t]*waiver[ \t]*\]\]/gm)][index];
  return header === undefined ? "" : `line ${source.slice(0, header.index).split("\n").length}: `;
}

function parsedToml(path: string, source: string): unknown {
  try {
    return parse(source);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const place = error instanceof TomlError ? `line ${error.line}, column ${error.column}: ` : "";
    throw invalid(path, place + (message.split("\n")[0] ?? ""), error);
  }
}
