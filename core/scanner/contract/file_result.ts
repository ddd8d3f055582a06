import type { RuleCode } from "./rules.ts";
import type { AssetParts } from "./scanner.ts";
import type { CheckStatus, FileHashes, Severity } from "../../../schemas/report.ts";
import type { JsonObject } from "../../../schemas/json.ts";

/** A check of a file's content, told without the file's path. */
export interface FileCheck {
  /** The scanner that made it, or `file` for what is checked of any file. */
  readonly scanner: string;
  readonly name: string;
  readonly status: CheckStatus;
  readonly message: string;
  /** Of failed checks: always. */
  readonly severity?: Severity;
  /** What follows the path (C 16): `:member`, ` (pos N)`, both of them, or nothing. */
  readonly location: string;
  readonly details?: JsonObject;
  readonly why?: string;
  readonly ruleCode?: RuleCode;
  /** Why the content was not read through to the end, as a word. */
  readonly incomplete?: string;
  /** Seconds since the Unix epoch. */
  readonly timestamp: number;
}

/**
 * What scanning a file has found. It names no path, since the same content may lie at several. It is
 * plain data, the same after structured clone and after JSON, for threads and for keeping.
 */
export interface FileResult {
  /** Bytes. */
  readonly size: number;
  readonly hashes: FileHashes;
  /** The scanners that ran, in the order of their first use. */
  readonly scanners: readonly string[];
  readonly checks: readonly FileCheck[];
  readonly asset: AssetParts & {
    /** The scanner that knows the format, else the kind that the first bytes tell, else `unknown`. */
    readonly type: string;
  };
  /** Facts for the metadata of the file (SR 2.5). */
  readonly metadata: JsonObject;
  /** Why the content was not read through to the end, as words; empty where it was. */
  readonly inconclusive: readonly string[];
  /** What kept the scan from its work, where something did. */
  readonly operationalError?: string;
  /** Seconds since the Unix epoch, at the start. */
  readonly timestamp: number;
}
