import * as fc from "fast-check";
import { createHash } from "node:crypto";
import type { FileCheck, FileResult } from "../../../../core/scanner/contract/file_result.ts";
import { type FileOutcome, reportOf } from "../../../../core/scanner/report/report.ts";
import type { Report } from "../../../../schemas/report/report.ts";

const severity = fc.constantFrom("debug", "info", "warning", "critical");
const word = fc.constantFrom("a", "b", "c", "__proto__", "\ud800", "m (pos 1)");
const common = {
  scanner: word,
  name: word,
  message: word,
  location: fc.constantFrom("", ":m", ":m (pos 4)"),
  timestamp: fc.nat(),
};
const fileCheck: fc.Arbitrary<FileCheck> = fc.oneof(
  fc.record({ ...common, status: fc.constant("passed") }),
  fc.record({ ...common, status: fc.constant("skipped") }),
  fc.record({ ...common, status: fc.constant("skipped"), incomplete: word }),
  fc.record({ ...common, status: fc.constant("failed"), severity }),
  fc.record({
    ...common,
    status: fc.constant("failed"),
    severity,
    incomplete: word,
    why: word,
    ruleCode: fc.constantFrom("S101", "S901"),
    details: fc.dictionary(word, fc.string()),
  }),
);
const fileOutcome: fc.Arbitrary<FileOutcome> = fc.oneof(
  fc.record({ path: word, error: word }),
  fc.record({ path: word, scan: fc.array(fileCheck).map((checks) => scanOf(checks)) }),
);
/** Any outcomes of files with distinct paths. */
export const outcomes = fc.uniqueArray(fileOutcome, { selector: ({ path }) => path });

/** A check, passed by default. */
export function check(parts: Partial<FileCheck> = {}): FileCheck {
  const { status = "passed" } = parts;
  return {
    scanner: "pickle",
    name: "Import",
    status,
    message: "m",
    ...(status === "failed" && { severity: "warning" }),
    location: "",
    timestamp: 1,
    ...parts,
  };
}

/** A failed check, a warning by default. */
export function failed(parts: Partial<FileCheck> = {}): FileCheck {
  return check({ status: "failed", ...parts });
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The result of a scan with these checks. */
export function scanOf(
  checks: readonly FileCheck[],
  parts: Partial<FileResult> = {},
): FileResult {
  return {
    size: 10,
    hashes: { md5: "a", sha1: "b", sha256: sha256("content"), sha512: "d" },
    scanners: ["pickle"],
    checks,
    asset: { type: "pickle" },
    metadata: {},
    inconclusive: [...new Set(checks.flatMap(({ incomplete }) => incomplete ?? []))],
    timestamp: 1,
    ...parts,
  };
}

export function report(...files: readonly FileOutcome[]): Report {
  return reportOf({ files, startTime: 0.5, duration: 102 });
}

/** The report of one file with these checks. */
export function reportOn(...checks: readonly FileCheck[]): Report {
  return report({ path: "a.pkl", scan: scanOf(checks) });
}
