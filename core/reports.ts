import * as v from "valibot";
import { Report } from "../schemas/report.ts";
import type { Chunk } from "./content.ts";
import { AppError, quoted } from "./errors.ts";
import { exceededBound } from "./json_bounds.ts";

/**
 * A report of 64 MiB with a line of text for each finding keeps well below these. They bound the memory
 * that parsing takes, and with the defaults that are filled in the length of the reply.
 */
const BOUNDS = { depth: 100, values: 2 ** 22, objects: 2 ** 19 };
/** How many violations are told. */
const MAX_VIOLATIONS = 1000;

/** What is not as SR says, and where. */
export interface Violation {
  /** Such as `issues[3].severity`; empty for the report itself. */
  readonly path: string;
  readonly message: string;
}

/** Whether something is a report, with all defaults filled in, or what is wrong with it (C 15). */
export type Verdict = {
  readonly valid: true;
  readonly report: v.InferOutput<typeof Report>;
} | {
  readonly valid: false;
  readonly violations: readonly Violation[];
  /** There are more violations than are told. */
  readonly violations_truncated?: true;
};

/** Judges a report as a request brings it, and gives the verdict as it goes out: JSON in UTF-8. */
export type ValidateReport = (body: Chunk) => Chunk | Promise<Chunk>;

/**
 * {@link ValidateReport} on this thread, which a large report holds for a second, and a hostile one for
 * some.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where it is no JSON, or more of it than is taken.
 */
export function validateReport(body: Chunk): Chunk {
  const passed = exceededBound(body, BOUNDS);
  if (passed !== undefined) throw invalid(`it has ${passed}`);
  return new TextEncoder().encode(JSON.stringify(verdictOn(parsed(body))));
}

/** Judges a report that has been parsed. */
export function verdictOn(value: unknown): Verdict {
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
    throw invalid("it is no JSON in UTF-8", error);
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

/** A value for a message: what it is, and of a text its beginning. */
function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function invalid(why: string, cause?: unknown): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot read the body: ${why}`, { cause });
}
