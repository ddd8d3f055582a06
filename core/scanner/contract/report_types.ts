import type { Severity } from "./scanner.ts";

/** What a scan has found (SR 2.1). */
export interface Report {
  bytes_scanned: number;
  files_scanned: number;
  has_errors: boolean;
  /** Seconds since the Unix epoch. */
  start_time: number;
  /** Seconds. */
  duration: number;
  total_checks: number;
  passed_checks: number;
  failed_checks: number;
  issues: Issue[];
  checks: ReportCheck[];
  assets: Asset[];
  scanner_names: string[];
  scanner_selection: ScannerSelection | null;
  file_metadata: Record<string, FileMetadata>;
  content_hash: string | null;
  success: boolean;
}

/** Which scanners were let run (C 16); each list sorted. */
export interface ScannerSelection {
  requested_scanner_ids: string[];
  enabled_scanner_ids: string[];
  excluded_scanner_ids: string[];
}

/** What lies in a file (SR 2.2). */
export interface AssetParts {
  tensors?: string[] | null;
  keys?: string[] | null;
  contents?: Record<string, unknown>[] | null;
}

/** A scanned file (SR 2.2). */
export interface Asset extends AssetParts {
  path: string;
  type: string;
  size?: number | null;
}

/** SR 2.3. */
export interface ReportCheck {
  name: string;
  status: "passed" | "failed" | "skipped";
  message: string;
  severity?: Severity | null;
  location?: string | null;
  details?: Record<string, unknown>;
  why?: string | null;
  rule_code?: string | null;
  timestamp?: number;
}

/** SR 2.4. */
export interface Issue {
  message: string;
  /** `warning` where it is left out. */
  severity?: Severity;
  location?: string | null;
  details?: Record<string, unknown>;
  why?: string | null;
  timestamp?: number;
  type?: string | null;
  rule_code?: string | null;
}

/** SR 2.5, as far as it is read or made here; scanners add to it. */
export interface FileMetadata {
  file_size?: number | null;
  file_hashes?: FileHashes | null;
  license_files_nearby?: string[];
  is_dataset?: boolean | null;
  is_model?: boolean | null;
  /** 0 to 1. */
  risk_score?: number;
  scan_timestamp?: number;
  [name: string]: unknown;
}

/** Hexadecimal digests (SR 2.6). */
export interface FileHashes {
  md5?: string | null;
  sha1?: string | null;
  sha256?: string | null;
  sha256_prefix?: string | null;
  sha512?: string | null;
}
