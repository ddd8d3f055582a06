import { AppError, quoted } from "../errors.ts";
import { OPTIONAL_SCANNER_IDS, SCANNER_IDS } from "../scanner/mod.ts";

/** Which scanners a request selects. */
export interface ScannerSelection {
  /** Ids of the scanners to run; null for all but the optional ones. */
  readonly scanners: readonly string[] | null;
  /** Whether the values of tensors are analyzed, too. */
  readonly weights: boolean;
}

/** The id of the optional scanner that analyzes the values of tensors. */
const WEIGHTS = "weights";

/**
 * The ids of the scanners that a request does not select, sorted.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when no scanner or an unknown scanner is requested.
 */
export function skippedScanners({ scanners, weights }: ScannerSelection): string[] {
  const skipped = scanners === null ? OPTIONAL_SCANNER_IDS : allBut(scanners);
  return skipped.filter((id) => !(weights && id === WEIGHTS)).sort();
}

/** The scanners that a request for none in particular skips. Verdicts are those of all others. */
export const DEFAULT_SKIP: readonly string[] = OPTIONAL_SCANNER_IDS.toSorted();

/** Whether a scan that skips these scanners gives a verdict (C 18). */
export function givesVerdict(skip: readonly string[]): boolean {
  return skip.join() === DEFAULT_SKIP.join();
}

/** The ids of all scanners but the requested ones. */
function allBut(requested: readonly string[]): string[] {
  const unknown = requested.find((id) => !SCANNER_IDS.includes(id));
  if (unknown === undefined && requested.length > 0) {
    return SCANNER_IDS.filter((id) => !requested.includes(id));
  }
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `${unknown === undefined ? "No scanner given" : `Unknown scanner ${quoted(unknown)}`}: ` +
      `expected some of ${SCANNER_IDS.join(", ")}`,
  );
}
