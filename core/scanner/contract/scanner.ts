import type { Asset, CheckStatus, Severity } from "../../../schemas/report.ts";
import type { RuleCode } from "./rules.ts";
import type { ByteSource } from "./source.ts";

/** What a scanner has checked in a file (SR 2.3). */
export interface Check {
  /** What is checked, such as `Archive Entry Path`; the same for each time it is checked. */
  readonly name: string;
  readonly status: CheckStatus;
  /** What was found, for a person, with the value that it was found in, cut short. */
  readonly message: string;
  /** Of failed checks only. */
  readonly severity?: Severity;
  /** Where in the content: a byte position. */
  readonly position?: number;
  readonly ruleCode?: RuleCode;
  /** Why it is a danger; left out, the rule says it. */
  readonly why?: string;
  /** Values of JSON. Texts out of the file are cut short. */
  readonly details?: Readonly<Record<string, unknown>>;
  /**
   * Why the content could not be read through to the end, as a word such as `truncated_stream`. The
   * file is inconclusive then, and never called clean (C 16).
   */
  readonly incomplete?: string;
  /** Whether a limit of ours kept the scan from its work, which is an error of the scan (C 16). */
  readonly operational?: boolean;
}

/** Content to be scanned: a file, or a member of one. */
export interface Content {
  readonly source: ByteSource;
  /** The last segment of its path, or the whole path within the archive that it is in. */
  readonly name: string;
  /** How many containers it is in; 0 for a file. */
  readonly depth: number;
}

/** What a file contains, for its asset (SR 2.2). */
export type AssetParts = {
  readonly [Part in "tensors" | "keys" | "contents"]?: NonNullable<Asset[Part]>;
};

/** Bounds of what is done for one file. */
export interface ScanLimits {
  /** Containers within containers. */
  readonly maxDepth: number;
  /** Members that are looked into, in all containers of a file together. */
  readonly maxMembers: number;
  /** Bytes of one member that are unpacked into memory. */
  readonly maxMemberBytes: number;
  /** Bytes that are unpacked for one file altogether. */
  readonly maxUnpackedBytes: number;
  /** Instructions of one pickle. */
  readonly maxOpcodes: number;
}

/** What a scanner may use besides the content. */
export interface ScanContext {
  readonly limits: ScanLimits;
  /** Adds facts to the metadata of the file (SR 2.5); numbers that are there already are added up. */
  addMetadata(facts: Readonly<Record<string, unknown>>): void;
  /** Says what the file holds. */
  addAssetParts(parts: AssetParts): void;
  /**
   * Scans content that was found in this one with every scanner that claims it. Its findings are told
   * as those of `<location>:<name>`. The bounds of depth and number are kept here, and told of.
   */
  scanMember(name: string, source: ByteSource): void;
  /**
   * Takes so many bytes from what may still be unpacked for this file.
   *
   * @returns how many of them may be, 0 where nothing is left.
   */
  reserveUnpacked(bytes: number): number;
}

/** Knows one format. */
export interface Scanner {
  /** A name that reports use, such as `pickle`. */
  readonly id: string;
  /**
   * Whether the content is for this scanner: by its first bytes or its structure, and by its name
   * where the format has no signature. Reads little, throws nothing.
   */
  matches(content: Content): boolean;
  /**
   * Checks the content, whatever it is: hostile bytes give failed checks, and no exception. Reads at
   * random, and keeps nothing that grows with the content.
   */
  scan(content: Content, context: ScanContext): Generator<Check, void, void>;
}
