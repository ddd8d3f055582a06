import { excerpt } from "../contract/excerpt.ts";
import { isModelName } from "../contract/model_names.ts";
import { baseName } from "../contract/names.ts";
import type { RuleCode } from "../contract/rules.ts";
import type { Check, Content } from "../contract/scanner.ts";
import { EMPTY_FILE, KNOWN_FORMAT } from "../contract/known_format.ts";
import type { ContentKind } from "./detect_kind.ts";
import { kindsForName } from "./kinds_by_name.ts";

/** Kinds whose contents are hidden from a program that cannot parse them. */
const CONTAINERS: readonly ContentKind[] = [
  "pickle",
  "zip",
  "tar",
  "7z",
  "rar",
  "gzip",
  "bzip2",
  "xz",
];

/** Rules on whether content is whole: on its size, its structure, and which format it is in. */
const RULES_ON_ENDS: ReadonlySet<RuleCode> = new Set<RuleCode>([
  "S804",
  "S901",
  "S902",
  "S903",
  "S904",
  "S908",
]);

/** A scanner threw, which it must not. */
export function scannerFailed(scanner: string, error: unknown): Check {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : "unknown error";
  return {
    name: "Scanner",
    status: "failed",
    severity: "warning",
    message: `Scanner ${scanner} failed: ${excerpt(reason)}`,
    why: "Content that the scanner did not read may be harmful.",
    incomplete: "scanner_failed",
    operational: true,
  };
}

/** The scan was stopped before it was complete. */
export function timedOut(): Check {
  return {
    name: "Scan Time",
    status: "failed",
    severity: "info",
    message: "Scan timed out before the whole file was read",
    why: "Content that was not read may be harmful.",
    incomplete: "time_limit",
    operational: true,
  };
}

/** A scanner that matches the content is not selected. */
export function notSelected(scanner: string): Check {
  return {
    name: "Scanner Selection",
    status: "skipped",
    message: `Not scanned by ${scanner}, which is not selected`,
    details: { skipped_scanner_id: scanner },
  };
}

/**
 * No scanner matches the content. A known container is inconclusive, since nothing in it was read. Of
 * other content, it is said if loaders of models open files with its name (C 31).
 */
export function noScanner(
  { name, source: { size } }: Content,
  kind: ContentKind | undefined,
): Check {
  if (size === 0) return EMPTY_FILE;
  if (kind === undefined && isModelName(name)) {
    return {
      name: KNOWN_FORMAT,
      status: "failed",
      severity: "info",
      ruleCode: "S903",
      message: "Not recognized: the file could not be checked",
      why:
        "Model loaders open files with this extension. What they would do with this one is unknown.",
    };
  }
  const isContainer = kind !== undefined && CONTAINERS.includes(kind);
  return {
    name: KNOWN_FORMAT,
    status: "skipped",
    message: `Not scanned: ${kind === undefined ? "unknown format" : `no scanner for ${kind}`}`,
    ...(isContainer && { incomplete: "unsupported_format" }),
  };
}

/** Containers are nested beyond the limit. */
export function tooDeep(limit: number): Check {
  return {
    ...limitReached("Nesting Depth", "nesting_limit"),
    message: `Members nested in more than ${limit} containers were not scanned`,
  };
}

/** There are more members than the limit. */
export function tooMany(limit: number): Check {
  return {
    ...limitReached("Member Count", "member_limit"),
    message: `Only the first ${limit} members were scanned`,
  };
}

/**
 * Checks that content is what its name says. Returns undefined if the extension implies no format.
 *
 * @param kind The actual kind of the content, if it can carry code or other files.
 */
export function fileType({ name }: Content, kind: ContentKind | undefined): Check | undefined {
  const expected = kindsForName(name);
  if (expected === undefined) return undefined;
  const shown = excerpt(baseName(name));
  if (kind === undefined || expected.includes(kind)) {
    const message = `${shown} has no signature of another format`;
    return { name: "File Type", status: "passed", message };
  }
  return {
    name: "File Type",
    status: "failed",
    severity: "warning",
    message: `${shown} has content of another format: ${kind}`,
    ruleCode: "S901",
    details: { actual: kind },
  };
}

/**
 * A check of content of which a limit left only the beginning. What the rest may explain is no finding;
 * whoever unpacked the content reports the limit.
 */
export function ofBeginning(check: Check): Check {
  const { status, ruleCode } = check;
  if (status !== "failed" || ruleCode === undefined || !RULES_ON_ENDS.has(ruleCode)) return check;
  const why = "A limit of the scan ends the content here: what comes after it may explain this.";
  return { ...check, severity: "info", why };
}

function limitReached(name: string, incomplete: string) {
  return {
    name,
    status: "failed",
    severity: "warning",
    ruleCode: "S410",
    incomplete,
    operational: true,
  } as const;
}
