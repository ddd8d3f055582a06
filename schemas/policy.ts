import * as v from "valibot";

/** Who decides about a file that no rule decides about. */
export const GATE_RULE = "gate";

/** What the policy and the gate say about a file now (C 28). */
export const FileDecision = v.object({
  path: v.string(),
  size: v.pipe(v.number(), v.integer(), v.minValue(0)),
  outcome: v.pipe(
    v.picklist(["allow", "deny", "undecided"]),
    v.description("`undecided` as long as something is not known that decides"),
  ),
  rule: v.pipe(
    v.string(),
    v.description("The rule that decides, `gate`, or `default` if none does"),
  ),
  words: v.pipe(v.string(), v.description("Those of the rule, for people")),
  missing: v.pipe(
    v.array(v.string()),
    v.description("What is not known yet, such as `format`; nothing unless it is undecided"),
  ),
});
export type FileDecision = v.InferOutput<typeof FileDecision>;

export const FileDecisionList = v.object({
  items: v.array(FileDecision),
  total: v.pipe(v.number(), v.integer(), v.minValue(0)),
});
