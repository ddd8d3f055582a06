import { GATE_RULE } from "../../schemas/policy.ts";
import type { SignatureState } from "../../schemas/signatures.ts";
import type { ScannedVerdict } from "../../schemas/verdict_names.ts";

/** Where a file comes from: another hub (C 28), or a user. */
export type Origin = "mirror" | "upload";

export type Effect = "allow" | "deny";

/** What a file belongs to. */
export const FILE_KINDS = ["model", "dataset", "file"] as const;

/** The verdicts that a rule can ask for. */
export type JudgedVerdict = ScannedVerdict | "failed";

/**
 * What is known of a file, or of a repository of which no file is known yet. Undefined is not known yet, and null
 * that there is none: no condition on it holds then.
 */
export interface Facts {
  /** `namespace/name`. */
  readonly repository: string | null;
  /** `file` for one in no repository. */
  readonly kind: typeof FILE_KINDS[number];
  /** The path in the repository, or in the tree. */
  readonly file?: string | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
  /** The id of the first scanner that reads it, or `unknown`. */
  readonly format?: string | undefined;
  readonly verdict?: JudgedVerdict | undefined;
  /** As the card of the repository states it, in lower case. */
  readonly license?: string | null | undefined;
  /** How long ago the revision was made, in milliseconds. */
  readonly age?: number | null | undefined;
  /** Whether the revision has code that loaders may run: `auto_map` in `config.json`, or `*.py`. */
  readonly remoteCode?: boolean | undefined;
  readonly signature?: SignatureState | undefined;
  /** The name of the trusted signer whose signature it has. */
  readonly signedBy?: string | null | undefined;
}

export type FactName = keyof Facts;

/** What a rule asks for. */
export interface Condition {
  readonly fact: FactName;
  /** Whether it holds; undefined as long as the fact is not known. */
  readonly holds: (facts: Facts) => boolean | undefined;
}

/** A rule: it decides on each file that meets all its conditions. */
export interface Rule {
  readonly name: string;
  readonly effect: Effect;
  /** What people read whom it refuses something. */
  readonly words: string;
  /** Whether it is for what users upload, too. */
  readonly uploads: boolean;
  readonly conditions: readonly Condition[];
  /** The names of signers that its conditions have. */
  readonly signedBy: readonly string[];
}

/** Rules from top to bottom (C 28). The first one that matches decides. */
export interface Policy {
  readonly rules: readonly Rule[];
  /** What happens to what no rule matches, of another hub. What users upload is allowed then. */
  readonly default: Effect;
}

/** The rules of the last reload; undefined without any. */
export type CurrentPolicy = () => Policy | undefined;

/** The name of the decision that no rule makes. */
export const DEFAULT_RULE = "default";
/** The names that no rule has. */
export const RESERVED_NAMES: readonly string[] = [DEFAULT_RULE, GATE_RULE];

/** Whether a policy can refuse what users upload. */
export function judgesUploads({ rules }: Policy): boolean {
  return rules.some(({ uploads, effect }) => uploads && effect === "deny");
}
