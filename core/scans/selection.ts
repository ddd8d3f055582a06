import { AppError, quoted } from "../errors.ts";
import { SCANNER_IDS } from "../scanner/mod.ts";

/**
 * The ids of all scanners but the requested ones, sorted.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when no scanner or an unknown scanner is requested.
 */
export function skippedScanners(requested: readonly string[]): string[] {
  const unknown = requested.find((id) => !SCANNER_IDS.includes(id));
  if (unknown === undefined && requested.length > 0) {
    return SCANNER_IDS.filter((id) => !requested.includes(id)).sort();
  }
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `${unknown === undefined ? "No scanner given" : `Unknown scanner ${quoted(unknown)}`}: ` +
      `expected some of ${SCANNER_IDS.join(", ")}`,
  );
}
