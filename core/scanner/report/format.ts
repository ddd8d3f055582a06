import { reportSarif } from "./sarif.ts";
import { reportText, type ReportTextOptions } from "./text.ts";
import type { Report } from "../contract/report_types.ts";

/** `text` is for people, the others are for machines. */
export const REPORT_FORMATS = ["json", "text", "sarif"] as const;
export type ReportFormat = typeof REPORT_FORMATS[number];

/** A report in a format, without a line feed at its end. */
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
