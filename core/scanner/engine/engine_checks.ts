import { excerpt } from "../contract/excerpt.ts";
import type { Check, Content } from "../contract/scanner.ts";
import { baseName } from "../contract/names.ts";
import type { ContentKind } from "./detect_kind.ts";
import { kindsForName } from "./kinds_by_name.ts";

/** Kinds that hide what they hold from those who cannot read them. */
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

/** A scanner threw what it must not throw. */
export function scannerFailed(scanner: string, error: unknown): Check {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : "unknown error";
  return {
    name: "Scanner",
    status: "failed",
    severity: "warning",
    message: `Scanner ${scanner} broke off: ${excerpt(reason)}`,
    why: "What the scanner did not get to see may be harmful.",
    incomplete: "scanner_failed",
    operational: true,
  };
}

/** The scan was ended before it was through. */
export function outOfTime(): Check {
  return {
    name: "Scan Time",
    status: "failed",
    severity: "info",
    message: "The time for the scan of the file was over before all of it was looked at",
    why: "What was not looked at may be harmful.",
    incomplete: "time_limit",
    operational: true,
  };
}

/** A scanner that claims the content was not to run. */
export function notSelected(scanner: string): Check {
  return {
    name: "Scanner Selection",
    status: "skipped",
    message: `Not scanned by ${scanner}, which was not selected`,
    details: { skipped_scanner_id: scanner },
  };
}

/** No scanner claims the content. What is known to contain other things was not looked into then. */
export function noScanner(size: number, kind: ContentKind | undefined): Check {
  const hidden = kind !== undefined && CONTAINERS.includes(kind);
  return {
    name: "Known Format",
    status: "skipped",
    message: `Not scanned: ${reasonUnclaimed(size, kind)}`,
    ...(hidden && { incomplete: "unsupported_format" }),
  };
}

function reasonUnclaimed(size: number, kind: ContentKind | undefined): string {
  if (size === 0) return "the file is empty";
  return kind === undefined ? "unknown format" : `there is no scanner for ${kind}`;
}

/** Containers lie in each other beyond the limit. */
export function tooDeep(limit: number): Check {
  return {
    ...stopped("Nesting Depth", "nesting_limit"),
    message: `Members within more than ${limit} containers were not scanned`,
  };
}

/** There are more members than the limit. */
export function tooMany(limit: number): Check {
  return {
    ...stopped("Member Count", "member_limit"),
    message: `Only the first ${limit} members were scanned`,
  };
}

/**
 * Whether the content is what its name says; undefined where the name promises nothing.
 *
 * @param kind What the content really is, where that can carry code.
 */
export function fileType({ name }: Content, kind: ContentKind | undefined): Check | undefined {
  const honest = kindsForName(name);
  if (honest === undefined) return undefined;
  const shown = excerpt(baseName(name));
  if (kind === undefined || honest.includes(kind)) {
    const message = `${shown} does not begin like a file of another kind`;
    return { name: "File Type", status: "passed", message };
  }
  return {
    name: "File Type",
    status: "failed",
    severity: "warning",
    message: `${shown} is content of another kind: ${kind}`,
    ruleCode: "S901",
    details: { actual: kind },
  };
}

function stopped(name: string, incomplete: string) {
  return {
    name,
    status: "failed",
    severity: "warning",
    ruleCode: "S410",
    incomplete,
    operational: true,
  } as const;
}
