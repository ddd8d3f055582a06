import type { FileResult } from "../../../core/scanner/contract/file_result.ts";

/** The result of a scan of `size` bytes that found nothing. */
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
