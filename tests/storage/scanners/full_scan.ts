import type { FileResult } from "../../../core/scanner/contract/file_result.ts";
import { plainScan } from "../../core/scanner/plain_scan.ts";

/** The result of a scan of seven bytes, with all hashes. */
export function fullScan(): FileResult {
  const digits = (count: number) => "0".repeat(count);
  const hashes = {
    md5: digits(32),
    sha1: digits(40),
    sha256: digits(64),
    sha256_prefix: digits(64),
    sha512: digits(128),
  };
  return { ...plainScan(7), hashes };
}
