import * as v from "valibot";
import type { Report } from "../../core/scanner/mod.ts";
import { Report as ReportSchema } from "../../schemas/report/report.ts";
import { UsageError } from "../usage_error.ts";

/**
 * Reads an earlier report in JSON.
 *
 * @throws {UsageError} when the file cannot be read or is not a report.
 */
export async function readBaseline(path: string): Promise<Report> {
  const invalid = (problem: string, cause?: unknown) =>
    new UsageError(`Cannot read the baseline ${path}: expected a JSON report (${problem})`, {
      cause,
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(reason.split("\n")[0] ?? "", error);
  }
  const result = v.safeParse(ReportSchema, parsed);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw invalid(`${v.getDotPath(issue) ?? "report"}: ${issue.message}`);
}
