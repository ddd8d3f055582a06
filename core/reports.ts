import * as v from "valibot";
import { Report } from "../schemas/report/report.ts";
import type { Chunk } from "./content.ts";
import { AppError, quoted } from "./errors.ts";
import { exceededBound } from "./json_bounds.ts";

/**
 * Limits of a report. They bound the memory that parsing takes and, with defaults filled in, the length
 * of the reply. A report of 64 MiB with a line of text per finding stays well below them.
 */
const BOUNDS = { maxDepth: 100, maxValues: 2 ** 22, maxObjects: 2 ** 19 };
/** The most violations that are returned. */
const MAX_VIOLATIONS = 1000;

/** A deviation from SR. */
export interface Violation {
  /** For example, `issues[3].severity`; empty for the report itself. */
  readonly path: string;
  readonly message: string;
}

/** The result of validating a report: the report with all defaults filled in, or its violations (C 15). */
export type ReportValidation = {
  readonly valid: true;
  readonly report: v.InferOutput<typeof Report>;
} | {
  readonly valid: false;
  readonly violations: readonly Violation[];
  /** Present if there are more violations than returned. */
  readonly violations_truncated?: true;
};

/** Validates the body of a request and returns the result as JSON, both in UTF-8. */
export type ValidateReport = (body: Chunk) => Chunk | Promise<Chunk>;

/**
 * {@link ValidateReport} on the calling thread. A large report blocks it for a second, a hostile one for
 * several.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` if the body is not valid JSON or exceeds a limit.
 */
export function validateReport(body: Chunk): Chunk {
  const exceeded = exceededBound(body, BOUNDS);
  if (exceeded !== undefined) throw invalid(exceeded);
  return new TextEncoder().encode(JSON.stringify(validateParsedReport(parsed(body))));
}

/** Validates a parsed report. */
export function validateParsedReport(value: unknown): ReportValidation {
  const { success, output, issues } = v.safeParse(Report, value);
  if (success) return { valid: true, report: output };
  const violations = issues.slice(0, MAX_VIOLATIONS).map(violationOf);
  return {
    valid: false,
    violations,
    ...(issues.length > MAX_VIOLATIONS && { violations_truncated: true }),
  };
}

function parsed(body: Chunk): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw invalid("not valid JSON in UTF-8", error);
  }
}

function violationOf(issue: v.BaseIssue<unknown>): Violation {
  const path = issue.path ?? [];
  const message = path.at(-1)?.origin === "key"
    ? "is missing"
    : `must be ${issue.message}, not ${shown(issue.input)}`;
  return { path: pathOf(path), message };
}

function pathOf(parts: readonly v.IssuePathItem[]): string {
  return parts.map(({ key }, index) => {
    if (typeof key === "number") return `[${key}]`;
    const name = String(key);
    if (!/^[A-Za-z_]\w{0,99}$/.test(name)) return `[${quoted(name)}]`;
    return index === 0 ? name : `.${name}`;
  }).join("");
}

/** Describes a value for a message: its type, or an excerpt of a text. */
function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function invalid(why: string, cause?: unknown): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot read the body: ${why}`, { cause });
}
