import type { Facts } from "../../../schemas/facts.ts";
import type { Asset, CheckStatus } from "../../../schemas/report/report.ts";
import type { RuleCode } from "./rules.ts";
import type { Severity } from "./severity.ts";
import type { ByteSource } from "./source.ts";

/** The result of one check of a scanner (SR 2.3). */
export interface Check {
  /** The name of the check, such as `Archive Entry Path`, the same for every result of it. */
  readonly name: string;
  readonly status: CheckStatus;
  /** What was found, for people, with an excerpt of the value. */
  readonly message: string;
  /** Only if the check failed. */
  readonly severity?: Severity;
  /** Byte position in the content. */
  readonly position?: number;
  readonly ruleCode?: RuleCode;
  /** Why it is dangerous. @default that of the rule */
  readonly why?: string;
  /** JSON values. Texts from the file are excerpts. */
  readonly details?: Readonly<Record<string, unknown>>;
  /**
   * The reason the content was not fully read, as a word such as `truncated_stream`. It makes the file
   * inconclusive, which is never reported as clean (C 16).
   */
  readonly incomplete?: string;
  /** Whether the scan itself failed or reached a limit, which is an error of the scan (C 16). */
  readonly operational?: boolean;
}

/** Content to scan: a file or a member of one. */
export interface Content {
  readonly source: ByteSource;
  /** The last segment of a file's path, or a member's whole path within its archive. */
  readonly name: string;
  /** The number of containers it is in: 0 for a file. */
  readonly depth: number;
}

/** What a file contains, for its asset (SR 2.2). */
export type AssetParts = {
  readonly [Part in "tensors" | "keys" | "contents"]?: NonNullable<Asset[Part]>;
};

/** Limits on the work for one file. */
export interface ScanLimits {
  /** Levels of nested containers. */
  readonly maxDepth: number;
  /** Members that are scanned, over all containers of the file. */
  readonly maxMembers: number;
  /** Bytes of one member that are unpacked into memory. */
  readonly maxMemberBytes: number;
  /** Bytes that are unpacked in total. */
  readonly maxUnpackedBytes: number;
  /** Opcodes of one pickle. */
  readonly maxOpcodes: number;
  /** Bytes of memory that the values of a pickle may take. */
  readonly maxValueBytes: number;
}

/** What the engine offers a scanner during a scan. */
export interface ScanContext {
  readonly limits: ScanLimits;
  /** Merges facts into the metadata of the file (SR 2.5). Numbers are added to earlier ones. */
  addMetadata(facts: Readonly<Record<string, unknown>>): void;
  /**
   * Adds what the content says of itself (C 29). Numbers of tensors are added to earlier ones. Texts that
   * people write must have lost their credentials.
   */
  addFacts(facts: Facts): void;
  /** Adds to the asset of the file. */
  addAssetParts(parts: AssetParts): void;
  /**
   * Scans content found in this one with every matching scanner. The location of its findings is
   * `<location>:<name>`. The engine enforces the limits of depth and number, and reports them.
   */
  scanMember(name: string, source: ByteSource): void;
  /**
   * Reserves bytes of what may still be unpacked for this file.
   *
   * @returns how many of them are granted: 0 if none are left.
   */
  reserveUnpacked(bytes: number): number;
}

/** The limits within which compressed content is unpacked. */
export type UnpackContext = Pick<ScanContext, "limits" | "reserveUnpacked">;

/** The scanner of one format. */
export interface Scanner {
  /** The id in reports, such as `pickle`. */
  readonly id: string;
  /** Whether it runs only on request. @default {false} */
  readonly optional?: boolean;
  /**
   * Whether this scanner reads the content, judged by its first bytes or structure, or by its name if
   * the format has no signature. Reads little and does not throw.
   */
  matches(content: Content): boolean;
  /**
   * Checks the content. Hostile bytes cause failed checks, not exceptions. Reads at random, and keeps
   * nothing that grows with the content.
   */
  scan(content: Content, context: ScanContext): Generator<Check, void, void>;
}
