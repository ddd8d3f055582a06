import type { FactName, Policy } from "../../core/policy/policy.ts";
import { readRules, type RulesSetting } from "../rules_file.ts";

/** Settings that a policy depends on. */
type PolicySettings = RulesSetting & { readonly gate: "off" | "mark" | "block" };

/** What only a scan says. */
const FROM_SCANS: readonly FactName[] = ["format", "verdict"];

/** The policy of the file of rules, and where that is. */
export interface PolicyRules {
  readonly path: string;
  readonly policy: Policy;
}

/**
 * Reads `[policy]` of the file of rules (C 28). Returns undefined if there is none.
 *
 * @throws {UsageError} with the line and the reason, when something in the file is wrong, or when a rule asks for what
 *   a scan says and nothing waits for scans.
 */
export async function readPolicy(settings: PolicySettings): Promise<PolicyRules | undefined> {
  const { path, policy, invalid } = await readRules(settings) ?? {};
  if (path === undefined || policy === undefined || invalid === undefined) return undefined;
  for (const [index, { conditions }] of policy.rules.entries()) {
    const scanned = conditions.find(({ fact }) => FROM_SCANS.includes(fact));
    if (scanned === undefined || settings.gate === "block") continue;
    throw invalid(
      ["policy", "rule", String(index), scanned.fact],
      `only a scan says it, and nothing waits for scans: set STRONGROOM_GATE=block`,
    );
  }
  return { path, policy };
}
