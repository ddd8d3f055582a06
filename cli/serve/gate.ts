import { Gate } from "../../core/gate.ts";
import type { CurrentPolicy } from "../../core/policy/policy.ts";
import { TreeRules } from "../../core/policy/tree_rules.ts";
import { acceptedBy } from "../../core/scans/accepted_verdicts.ts";
import { BundleCache } from "../../core/signatures/bundle_cache.ts";
import type { CurrentSigners } from "../../core/signatures/trusted.ts";
import type { TreeParts } from "../../core/tree/changes.ts";
import { Signatures } from "../../core/tree/signatures.ts";
import type { Settings } from "../../schemas/settings.ts";

/** What a server judges content by besides verdicts: the file of rules at its last reload. */
export interface CurrentRules {
  /** The rules for what users upload. @default none */
  readonly policy?: CurrentPolicy | undefined;
  /** Whose signatures count. @default nobody's */
  readonly signers?: CurrentSigners | undefined;
}

/**
 * What refuses content, and what is known of signatures.
 *
 * @param mirror The user whose tree has what is mirrored, if anything is.
 */
export function composeGate(
  parts: Pick<TreeParts, "records" | "blobs" | "damage" | "verdicts">,
  settings: Settings,
  { policy, signers, mirror }: CurrentRules & { readonly mirror: number | undefined },
): Pick<TreeParts, "gate" | "policy" | "signatures"> {
  const signatures = signers && new Signatures(parts, new BundleCache(signers));
  const rules = policy && new TreeRules(policy, { mirror, signatures });
  const blocks = settings.gate === "block";
  return {
    gate: blocks ? new Gate(parts.verdicts, acceptedBy(settings), rules) : undefined,
    policy: rules,
    signatures,
  };
}
