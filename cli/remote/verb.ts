import type { ParseArgsOptionsConfig } from "node:util";
import { AppError } from "../../core/errors.ts";
import { sanitizeDirectory, sanitizePath } from "../../core/paths.ts";
import { parseArguments } from "../arguments.ts";
import { UsageError } from "../usage_error.ts";

/** Options of all verbs for files. */
const COMMON = {
  server: { type: "string" },
  tree: { type: "string" },
  json: { type: "boolean", default: false },
} as const satisfies ParseArgsOptionsConfig;

/**
 * Parses the arguments of a verb: its own options, `--server`, `--tree` and `--json`, and others.
 *
 * @throws {UsageError} when an argument is unknown or an option has no value.
 */
export function verbArguments<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  return parseArguments({
    args: [...args],
    options: { ...COMMON, ...options },
    strict: true,
    allowPositionals: true,
  });
}

/**
 * A path in the tree below its root, as the server writes it. People may begin it with a colon, slashes, or both.
 *
 * @throws {UsageError} when it is invalid, or the root.
 */
export function remotePath(given: string): string {
  if (given === "" || remoteDirectory(given) !== "") {
    return checked(() => sanitizePath(inTree(given)));
  }
  throw new UsageError(`"${given}" is the root of the tree: a path below it is expected`);
}

/**
 * Like {@link remotePath}, where `:`, `/`, `.` and nothing are the root, "".
 *
 * @throws {UsageError} when it is invalid.
 */
export function remoteDirectory(given: string): string {
  const path = inTree(given);
  const isRoot = path.split("/").every((it) => it === "" || it === ".");
  return isRoot ? "" : checked(() => sanitizeDirectory(path));
}

/** A path without what says that it begins at the root of the tree. No path of a server has a colon. */
function inTree(given: string): string {
  return given.replace(/^:?\/*/, "");
}

function checked(work: () => string): string {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

/**
 * The value of an option that names a version of a tree, as the server reads it.
 *
 * @throws {UsageError} when it is empty.
 */
export function versionOption<Given extends string | undefined>(name: string, given: Given): Given {
  if (given !== "") return given;
  throw new UsageError(`${name} must be a version, a time or a tag, not ""`);
}

/** One argument. @throws {UsageError} unless exactly one is given. */
export function onlyPath(command: string, positionals: readonly string[]): string {
  const [path, ...others] = positionals;
  if (path !== undefined && others.length === 0) return remotePath(path);
  throw new UsageError(`${command} needs one path`);
}
