import type { FileResult } from "../../../core/scanner/contract/file_result.ts";

/** The result of a scan of `size` bytes, which have the MD5 if given, that found nothing. */
export function plainScan(size: number, md5?: string): FileResult {
  return {
    size,
    hashes: { ...(md5 !== undefined && { md5 }) },
    scanners: [],
    checks: [],
    asset: { type: "unknown" },
    metadata: {},
    inconclusive: [],
    timestamp: 0,
  };
}
