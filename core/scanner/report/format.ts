import { reportCycloneDx } from "./cyclonedx.ts";
import { reportJunit } from "./junit.ts";
import type { MarkedReport } from "./marks.ts";
import { reportSarif, type SarifOptions } from "./sarif.ts";
import { reportText, type ReportTextOptions } from "./text.ts";

/** The formats of a report. `text` is for people, the others are for programs. */
export const REPORT_FORMATS = ["json", "text", "sarif", "junit", "cyclonedx"] as const;
export type ReportFormat = typeof REPORT_FORMATS[number];

export interface ReportFormatOptions extends ReportTextOptions, SarifOptions {}

/** Formats a report, without a trailing line feed. */
export function reportAs(
  format: ReportFormat,
  report: MarkedReport,
  options: ReportFormatOptions,
): string {
  switch (format) {
    case "json":
      return JSON.stringify(report, undefined, 2);
    case "sarif":
      return JSON.stringify(reportSarif(report, options), undefined, 2);
    case "junit":
      return reportJunit(report, options);
    case "cyclonedx":
      return JSON.stringify(reportCycloneDx(report, options.version), undefined, 2);
    case "text":
      return reportText(report, options).trimEnd();
  }
}
