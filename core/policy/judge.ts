import {
  DEFAULT_RULE,
  type Effect,
  type FactName,
  type Facts,
  type Origin,
  type Policy,
  type Rule,
} from "./policy.ts";

/** What the policy says about a file. */
export type Decision =
  | {
    readonly outcome: Effect;
    /** The rule that decides. */
    readonly rule: string;
    readonly words: string;
  }
  | {
    readonly outcome: "undecided";
    /** The first rule that would decide otherwise than what follows, if its conditions hold. */
    readonly rule: string;
    readonly words: string;
    /** What is not known yet and would decide. */
    readonly missing: readonly FactName[];
  };

/** A rule that matches if what is missing turns out so. */
interface Possible {
  readonly rule: Rule;
  readonly missing: readonly FactName[];
}

/**
 * Decides about a file by what is known of it (C 28). The first rule that matches decides; as long as an earlier
 * one with the other effect may match, too, nothing is decided.
 */
export function judge(policy: Policy, facts: Facts, origin: Origin): Decision {
  const possible: Possible[] = [];
  for (const rule of rulesFor(policy, origin)) {
    const missing: FactName[] = [];
    const isExcluded = rule.conditions.some(({ fact, holds }) => {
      const outcome = holds(facts);
      if (outcome === undefined) missing.push(fact);
      return outcome === false;
    });
    if (isExcluded) continue;
    if (missing.length === 0) return decided(rule, possible);
    possible.push({ rule, missing });
  }
  return decided(byDefault(policy, origin), possible);
}

/** The rules that are for files of an origin, from top to bottom. */
export function rulesFor({ rules }: Policy, origin: Origin): readonly Rule[] {
  return origin === "mirror" ? rules : rules.filter(({ uploads }) => uploads);
}

/** What decides about a file that no rule matches. */
export function byDefault(
  policy: Policy,
  origin: Origin,
): Pick<Rule, "name" | "effect" | "words"> {
  const effect = origin === "mirror" ? policy.default : "allow";
  const words = effect === "deny" ? "No rule allows it" : "No rule refuses it";
  return { name: DEFAULT_RULE, effect, words };
}

function decided(
  { name, effect, words }: Pick<Rule, "name" | "effect" | "words">,
  possible: readonly Possible[],
): Decision {
  const [other] = possible.filter(({ rule }) => rule.effect !== effect);
  if (other === undefined) return { outcome: effect, rule: name, words };
  const missing = [...new Set(possible.flatMap((it) => it.missing))];
  return { outcome: "undecided", rule: other.rule.name, words: other.rule.words, missing };
}
