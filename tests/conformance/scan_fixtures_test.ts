import * as assert from "node:assert/strict";
import * as v from "valibot";
import { exitCode } from "../../core/scanner/report/exit_code.ts";
import { SCAN_LIMITS } from "../../core/scanner/contract/limits.ts";
import { reportOf } from "../../core/scanner/report/report.ts";
import type { Report } from "../../schemas/report/report.ts";
import { scanFile } from "../../core/scanner/engine/scan.ts";
import { SCANNERS } from "../../core/scanner/formats/mod.ts";
import { memorySource } from "../../core/scanner/contract/source.ts";
import { Report as ReportSchema } from "../../schemas/report/report.ts";
import { ROOT } from "../support/child_server.ts";
import { FIXTURES, type Verdict } from "../fixtures/fixtures.ts";
import { reportFaults } from "./report_rules.ts";

/** Scans a fixture as `strongroom scan` does. */
async function scanned(path: string): Promise<Report> {
  const bytes = await Deno.readFile(`${ROOT}tests/fixtures/models/${path}`);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const scan = scanFile({
    source: memorySource(bytes),
    name,
    scanners: SCANNERS,
    limits: SCAN_LIMITS,
  });
  return reportOf({ files: [{ path, scan }], startTime: 0, duration: 0 });
}

function verdictOf(report: Report): Verdict {
  const severities = report.issues.map(({ severity }) => severity);
  if (severities.includes("critical")) return "critical";
  if (severities.includes("warning")) return "warning";
  return exitCode(report) === 0 ? "clean" : "inconclusive";
}

Deno.test("C 16 every fixture gets its verdict in a report that conforms to SR", async (t) => {
  for (const { path, verdict, or, shows } of FIXTURES) {
    await t.step(`C 16 ${path}: ${shows}`, async () => {
      const report = await scanned(path);
      const found = verdictOf(report);
      const issues = report.issues.map(({ severity, location, message }) =>
        `${severity} ${location}: ${message}`
      );
      assert.ok(
        found === verdict || found === or,
        `${found}, not ${verdict}${or === undefined ? "" : ` or ${or}`}\n${issues.join("\n")}\n${
          JSON.stringify(report.checks.filter(({ status }) => status !== "passed"), null, 1)
        }`,
      );
      const document: unknown = JSON.parse(JSON.stringify(report));
      assert.deepEqual(reportFaults(document), []);
      v.assert(ReportSchema, document);
    });
  }
});
