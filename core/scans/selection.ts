import { AppError, quoted } from "../errors.ts";
import { SCANNER_IDS } from "../scanner/mod.ts";

/**
 * The ids of the scanners that are not asked for, in order.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where none is asked for, or one that is not SCANNER_IDS.
 */
export function skippedScanners(wanted: readonly string[]): string[] {
  const unknown = wanted.find((id) => !SCANNER_IDS.includes(id));
  if (unknown === undefined && wanted.length > 0) {
    return SCANNER_IDS.filter((id) => !wanted.includes(id)).sort();
  }
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot scan with ${
      unknown === undefined ? "no scanner" : `the scanner ${quoted(unknown)}`
    }: ` +
      `there are ${SCANNER_IDS.join(", ")}`,
  );
}
