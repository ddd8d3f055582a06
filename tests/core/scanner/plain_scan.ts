import type { FileResult } from "../../../core/scanner/contract/file_result.ts";

/** A scan that found nothing, of so many bytes. */
export function plainScan(size: number): FileResult {
  return {
    size,
    hashes: {},
    scanners: [],
    checks: [],
    asset: { type: "unknown" },
    metadata: {},
    inconclusive: [],
    timestamp: 0,
  };
}
