import { isRuleCode, type RuleCode, RULES, worstSeverityOf } from "../../core/scanner/mod.ts";
import { parseArguments } from "../arguments.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";

/** `strongroom rules`: prints what all rules mean, or one. */
export function run(args: string[]): number {
  const { values: { json }, positionals: [given, ...others] } = parseArguments({
    args,
    options: { json: { type: "boolean", default: false } },
    strict: true,
    allowPositionals: true,
  });
  if (others.length > 0) {
    throw new UsageError(`At most one rule code is expected, not also "${others[0]}"`);
  }
  const codes = given === undefined ? Object.keys(RULES).filter(isRuleCode) : [ruleCode(given)];
  if (json) print(JSON.stringify(codes.map(describedRule), undefined, 2));
  else print(codes.map(ruleText).join("\n\n"));
  return 0;
}

function ruleCode(given: string): RuleCode {
  const code = given.toUpperCase();
  if (isRuleCode(code)) return code;
  throw new UsageError(`Unknown rule "${given}": expected a code such as S104`);
}

function describedRule(code: RuleCode) {
  return { code, severity: worstSeverityOf(code), ...RULES[code] };
}

function ruleText(code: RuleCode): string {
  const { severity, title, why, advice } = describedRule(code);
  return `${code} ${title}\n  Severity: ${
    atMost(severity)
  }\n  Why: ${why}\n  What to do: ${advice}`;
}

/** A finding of a rule may be less severe than its worst. */
function atMost(severity: string): string {
  return severity === "info" ? severity : `${severity} at most`;
}
