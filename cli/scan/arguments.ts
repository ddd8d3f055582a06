import * as v from "valibot";
import { AppError } from "../../core/errors.ts";
import { MAX_TARGETS } from "../../core/paths.ts";
import {
  type ExitCodeOptions,
  REPORT_FORMATS,
  type ReportFormat,
  SEVERITIES,
  type Severity,
} from "../../core/scanner/mod.ts";
import { type ScannerSelection, skippedScanners } from "../../core/scans/selection.ts";
import { parseArguments, patterns } from "../arguments.ts";
import type { ConnectionOptions } from "../remote/connection.ts";
import { UsageError } from "../usage_error.ts";

/** The path that stands for stdin. */
export const STDIN = "-";

/** What `strongroom scan` is asked to do. */
export interface ScanRequest {
  readonly paths: readonly string[];
  readonly format: ReportFormat;
  /** The file for the report. @default stdout */
  readonly output: string | undefined;
  /** Ids of the scanners that do not run. */
  readonly skip: readonly string[];
  readonly failOn: Severity;
  readonly failOnUnknown: ExitCodeOptions["failOnUnknown"];
  /** The file of an earlier report. */
  readonly baseline: string | undefined;
  /** The file of waivers. @default `strongroom.toml`, unless it is among the scanned files */
  readonly config: string | undefined;
  /** Patterns of paths to leave out. */
  readonly exclude: readonly string[];
  readonly useDefaultExcludes: boolean;
  /** The name of what comes on stdin. */
  readonly stdinName: string;
  /** What a server is to scan. @default files of this machine */
  readonly remote: RemoteSelection | undefined;
}

/** How a server scans paths of a tree. */
export type RemoteSelection = ScannerSelection & ConnectionOptions;

/**
 * Reads the arguments of `strongroom scan`.
 *
 * @throws {UsageError} when they are invalid.
 */
export function scanRequest(args: string[]): ScanRequest {
  const { values, positionals: paths } = parseArguments({
    args,
    options: {
      format: { type: "string" },
      output: { type: "string", short: "o" },
      scanners: { type: "string" },
      weights: { type: "boolean", default: false },
      "fail-on": { type: "string", default: "warning" },
      "fail-on-unknown": { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      baseline: { type: "string" },
      config: { type: "string" },
      exclude: { type: "string", multiple: true, default: [] },
      "no-default-excludes": { type: "boolean", default: false },
      name: { type: "string" },
      remote: { type: "boolean", default: false },
      server: { type: "string" },
      tree: { type: "string" },
    },
    strict: true,
    allowPositionals: true,
  });
  if (paths.length === 0 || paths.includes("")) {
    throw new UsageError("The path of a file or directory is required");
  }
  const selection = { scanners: values.scanners?.split(",") ?? null, weights: values.weights };
  if (values.remote) refuseLocal(paths, values);
  else {
    const wrong = (["server", "tree"] as const).find((it) => values[it] !== undefined);
    if (wrong !== undefined) throw new UsageError(`--${wrong} needs --remote`);
  }
  return {
    paths,
    format: oneOf("--format", REPORT_FORMATS, values.format ?? defaultFormat(values.output)),
    output: notEmpty("--output", values.output),
    skip: skippedBy(selection),
    failOn: oneOf("--fail-on", SEVERITIES, values["fail-on"]),
    failOnUnknown: values["fail-on-unknown"] ? "all" : values.strict ? "names" : undefined,
    baseline: notEmpty("--baseline", values.baseline),
    config: notEmpty("--config", values.config),
    exclude: patterns("--exclude", values.exclude),
    useDefaultExcludes: !values["no-default-excludes"],
    stdinName: stdinName(paths, values.name),
    remote: values.remote ? { ...selection, server: values.server, tree: values.tree } : undefined,
  };
}

/** @throws {UsageError} when an option is about files of this machine, or the server takes fewer paths. */
function refuseLocal(
  paths: readonly string[],
  options: Readonly<Record<string, unknown>> & { readonly exclude: readonly string[] },
): void {
  const wrong = ["no-default-excludes", "name"].find((it) => options[it]) ??
    (options.exclude.length > 0 ? "exclude" : undefined);
  if (wrong !== undefined) {
    throw new UsageError(`--${wrong} is for files of this machine, not --remote`);
  }
  if (paths.includes(STDIN)) throw new UsageError("stdin cannot be scanned with --remote");
  if (paths.length > MAX_TARGETS) {
    throw new UsageError(`--remote takes ${MAX_TARGETS} paths at most: name a directory instead`);
  }
}

/** Text for a person, JSON for a program. */
function defaultFormat(output: string | undefined): ReportFormat {
  return output === undefined && Deno.stdout.isTerminal() ? "text" : "json";
}

function oneOf<const Value extends string>(
  option: string,
  values: readonly Value[],
  given: string,
): Value {
  const parsed = v.safeParse(v.picklist(values), given);
  if (parsed.success) return parsed.output;
  throw new UsageError(`${option} must be one of ${values.join(", ")}, not "${given}"`);
}

function notEmpty(option: string, path: string | undefined): string | undefined {
  if (path === "") throw new UsageError(`Invalid ${option} "": expected the path of a file`);
  return path;
}

function stdinName(paths: readonly string[], name: string | undefined): string {
  const isRead = paths.includes(STDIN);
  if (name !== undefined && !isRead) {
    throw new UsageError(`--name is for stdin: expected ${STDIN} among the paths`);
  }
  if (name === undefined) return "stdin";
  if (!/^[^/\0]+$/.test(name) || name === "." || name === "..") {
    throw new UsageError(`Invalid --name "${name}": expected a file name without slashes`);
  }
  return name;
}

function skippedBy(selection: ScannerSelection): string[] {
  try {
    return skippedScanners(selection);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new UsageError(`--scanners: ${error.message}`, { cause: error });
  }
}
