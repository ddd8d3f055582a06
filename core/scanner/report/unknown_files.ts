import type { Report, ReportCheck } from "../../../schemas/report/report.ts";

/** The checks that say that no scanner reads a file. Empty files need none. */
export function unknownFiles({ checks }: Pick<Report, "checks">): ReportCheck[] {
  return checks.filter(({ name, status, location, message }) =>
    name === "Known Format" && status === "skipped" && location && !message.endsWith("is empty")
  );
}
