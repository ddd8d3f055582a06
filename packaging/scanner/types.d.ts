/** The types of the package strongroom-scanner. Its README explains them. */

/** What to scan. Only Node.js, Deno and Bun read files by their paths. */
export type Content = string | Blob | AsyncIterable<Uint8Array>;

export interface ScanOptions {
  /** What the limits of a large file may grow to. What exceeds one is reported as not read. */
  readonly limits?: Partial<ScanLimits>;
  /** Ends the scan, which then rejects with the reason. */
  readonly signal?: AbortSignal;
}

export interface ScanLimits {
  /** Opcodes of one pickle. @default 50000000 */
  readonly maxOpcodes: number;
  /** Bytes of memory that the values of a pickle take. @default 402653184 */
  readonly maxValueBytes: number;
  /** Bytes of one member that are unpacked into memory. @default 268435456 */
  readonly maxMemberBytes: number;
  /** Bytes that are unpacked in total. @default 17179869184 */
  readonly maxUnpackedBytes: number;
}

/**
 * Scans a file in a thread of its own, without loading what is in it.
 *
 * @param name The path of the file in the report. Scanners use its last segment.
 * @throws {Error} when the content cannot be read.
 * @throws the reason of the signal when it aborts.
 */
export function scan(name: string, content: Content, options?: ScanOptions): Promise<Report>;

export type Severity = "debug" | "info" | "warning" | "critical";

/** The result of a scan. Times are seconds since the Unix epoch. */
export interface Report {
  readonly bytes_scanned: number;
  readonly files_scanned: number;
  /** Whether the scan itself failed or reached a limit. Findings are not errors. */
  readonly has_errors: boolean;
  readonly start_time: number;
  /** Seconds. */
  readonly duration: number;
  readonly total_checks: number;
  readonly passed_checks: number;
  readonly failed_checks: number;
  readonly issues: readonly Issue[];
  readonly checks: readonly Check[];
  readonly assets: readonly Asset[];
  readonly scanner_names: readonly string[];
  readonly scanner_selection: Readonly<Record<string, unknown>> | null;
  /** By path. */
  readonly file_metadata: Readonly<Record<string, FileMetadata>>;
  readonly content_hash: string | null;
  /** Whether the file was read completely, or what was found suffices. */
  readonly success: boolean;
}

export interface Issue {
  readonly message: string;
  readonly severity?: Severity;
  readonly location?: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly why?: string | null;
  readonly timestamp?: number;
  readonly type?: string | null;
  readonly rule_code?: string | null;
}

export interface Check {
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly message: string;
  readonly severity?: Severity | null;
  readonly location?: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly why?: string | null;
  readonly rule_code?: string | null;
  readonly timestamp?: number;
}

export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly size?: number | null;
  readonly is_streamed?: boolean | null;
  readonly tensors?: readonly string[] | null;
  readonly keys?: readonly string[] | null;
  readonly contents?: readonly Readonly<Record<string, unknown>>[] | null;
}

/** What is known of a file; the project's documentation describes what else is there. */
export interface FileMetadata {
  readonly file_size?: number | null;
  readonly file_hashes?: FileHashes | null;
  readonly risk_score?: number;
  readonly scan_timestamp?: number;
  readonly [more: string]: unknown;
}

/** Hexadecimal digests. */
export interface FileHashes {
  readonly md5?: string | null;
  readonly sha1?: string | null;
  readonly sha256?: string | null;
  /** Of the first MiB. */
  readonly sha256_prefix?: string | null;
  readonly sha512?: string | null;
}
