import type { Report, ReportCheck } from "../../../schemas/report/report.ts";
import { isUnknownFormat } from "../contract/known_format.ts";

/** The checks that say that no scanner reads a file. Empty files need none. */
export function unknownFiles({ checks }: Pick<Report, "checks">): ReportCheck[] {
  return checks.filter((check) => check.location && isUnknownFormat(check));
}
