import type { Facts } from "../../../schemas/facts.ts";
import type { JsonObject } from "../../../schemas/json.ts";
import type { CheckStatus, FileHashes } from "../../../schemas/report/report.ts";
import type { RuleCode } from "./rules.ts";
import type { AssetParts } from "./scanner.ts";
import type { Severity } from "./severity.ts";

/** A check of a file's content, independent of the file's path. */
export interface FileCheck {
  /** The id of the scanner that made it, or `file` for the engine's own checks. */
  readonly scanner: string;
  readonly name: string;
  readonly status: CheckStatus;
  readonly message: string;
  /** Present if and only if the check failed. */
  readonly severity?: Severity;
  /** What to append to the path (C 16): `:member`, ` (pos N)`, both, or nothing. */
  readonly location: string;
  readonly details?: JsonObject;
  readonly why?: string;
  readonly ruleCode?: RuleCode;
  /** The reason word if the content was not fully read. */
  readonly incomplete?: string;
  /** Seconds since the Unix epoch. */
  readonly timestamp: number;
}

/**
 * The result of scanning a file. It has no path, since several paths may share the content. It is plain
 * data that structured clone and JSON leave unchanged, so threads can send it and databases store it.
 */
export interface FileResult {
  /** Bytes. */
  readonly size: number;
  readonly hashes: FileHashes;
  /** The ids of the scanners that ran, in order of first use. */
  readonly scanners: readonly string[];
  readonly checks: readonly FileCheck[];
  readonly asset: AssetParts & {
    /** The id of the first matching scanner, else the kind that the signature shows, else `unknown`. */
    readonly type: string;
  };
  /** Metadata of the file (SR 2.5). */
  readonly metadata: JsonObject;
  /** What the content says of itself (C 29), if anything. It is no part of the report. */
  readonly facts?: Facts;
  /** The reason words if the content was not fully read, else empty. */
  readonly inconclusive: readonly string[];
  /** The first error or exceeded limit of the scan itself, if any. */
  readonly operationalError?: string;
  /** Seconds since the Unix epoch, at the start. */
  readonly timestamp: number;
}
