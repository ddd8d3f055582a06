import { judge } from "../../../core/scanner/mod.ts";
import { memorySource, scan } from "../../../core/scanner/scan.ts";
import type { FileResult } from "../../../core/scanner/contract/file_result.ts";

export interface WholeScan {
  readonly result: FileResult;
  /** What the gate makes of it. */
  readonly verdict: ReturnType<typeof judge>["verdict"];
  /** Severity, rule and check of each finding, as `warning S507 Script`. */
  readonly findings: readonly string[];
}

/** Scans a file with all scanners, its members as well, as a server does. */
export function wholeScan(name: string, content: Uint8Array): WholeScan {
  const result = scan(memorySource(content), { name });
  const findings = result.checks
    .filter(({ status, severity }) => status === "failed" && severity !== "info")
    .map(({ severity, ruleCode, name }) => `${severity} ${ruleCode} ${name}`);
  return { result, verdict: judge(result).verdict, findings };
}
