import type { Report } from "../../../schemas/report/report.ts";
import { reportSarif } from "./sarif.ts";
import { reportText, type ReportTextOptions } from "./text.ts";

/** The formats of a report. `text` is for people, the others are for programs. */
export const REPORT_FORMATS = ["json", "text", "sarif"] as const;
export type ReportFormat = typeof REPORT_FORMATS[number];

/** Formats a report, without a trailing line feed. */
export function reportAs(
  format: ReportFormat,
  report: Report,
  terminal: ReportTextOptions,
): string {
  switch (format) {
    case "json":
      return JSON.stringify(report, undefined, 2);
    case "sarif":
      return JSON.stringify(reportSarif(report), undefined, 2);
    case "text":
      return reportText(report, terminal).trimEnd();
  }
}
