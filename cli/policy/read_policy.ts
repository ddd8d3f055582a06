import type { FactName, Policy, Rule } from "../../core/policy/policy.ts";
import type { TrustedSigners } from "../../core/signatures/trusted.ts";
import { readRules, type RulesFile, type RulesSetting } from "../rules_file.ts";

/** Settings that a policy depends on. */
type PolicySettings = RulesSetting & { readonly gate: "off" | "mark" | "block" };

/** What only a scan says. */
const FROM_SCANS: readonly FactName[] = ["format", "verdict"];
/** What only bundles and those who are trusted say. */
const FROM_SIGNATURES: readonly FactName[] = ["signature", "signedBy"];

/** What the file of rules says of content, and where that is. */
export interface ContentRulesFile {
  readonly path: string;
  readonly policy: Policy | undefined;
  readonly signers: TrustedSigners | undefined;
}

/**
 * Reads `[policy]` and `[signatures]` of the rules file (C 28, C 29). Returns undefined if there is no such file.
 *
 * @throws {UsageError} with the line and the reason, when something in the file is wrong, or when a rule asks for what
 *   is known only of stored content while nothing is held back, or for a signature without a trusted signer.
 */
export async function readPolicy(settings: PolicySettings): Promise<ContentRulesFile | undefined> {
  const file = await readRules(settings);
  if (file === undefined) return undefined;
  const { path, policy, signers } = file;
  for (const [index, rule] of policy?.rules.entries() ?? []) {
    requireKnown(file, ["policy", "rule", String(index)], rule, settings);
  }
  return { path, policy, signers };
}

function requireKnown(
  { signers, invalid }: RulesFile,
  keys: readonly string[],
  { conditions, signedBy }: Rule,
  { gate }: PolicySettings,
): void {
  const facts = conditions.map(({ fact }) => fact);
  const scanned = facts.find((fact) => FROM_SCANS.includes(fact));
  if (scanned !== undefined && gate !== "block") {
    throw invalid(
      [...keys, scanned],
      "only a scan says it, and nothing waits for scans: set STRONGROOM_GATE=block",
    );
  }
  const signature = facts.find((fact) => FROM_SIGNATURES.includes(fact));
  if (signature === undefined) return;
  const at = [...keys, signature === "signature" ? "signature" : "signed_by"];
  if (gate !== "block") {
    throw invalid(at, "it is known of stored files alone: set STRONGROOM_GATE=block");
  }
  if (signers === undefined) throw invalid(at, "[signatures] has no signer");
  const unknown = signedBy.find((name) => !signers.names.includes(name));
  if (unknown !== undefined) {
    throw invalid([...keys, "signed_by"], `[signatures] has no signer "${unknown}"`);
  }
}
