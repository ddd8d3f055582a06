import { AppError, quoted } from "../errors.ts";
import type { ReportOptions } from "../scanner/report/report.ts";
import { SCANNERS } from "../scanner/formats/mod.ts";

/**
 * The ids of the scanners that are not asked for, in order.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where none is asked for, or one that is not known.
 */
export function skippedScanners(wanted: readonly string[]): string[] {
  const known = SCANNERS.map(({ id }) => id);
  const unknown = wanted.find((id) => !known.includes(id));
  if (unknown === undefined && wanted.length > 0) {
    return known.filter((id) => !wanted.includes(id)).sort();
  }
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot scan with ${
      unknown === undefined ? "no scanner" : `the scanner ${quoted(unknown)}`
    }: ` +
      `there are ${known.join(", ")}`,
  );
}

/** What a report says of it (C 16): nothing where every scanner ran. */
export function selectionOf(skip: readonly string[]): Pick<ReportOptions, "selection"> {
  if (skip.length === 0) return {};
  const enabled = SCANNERS.map(({ id }) => id).filter((id) => !skip.includes(id));
  return { selection: { requested: enabled, enabled, excluded: skip } };
}
