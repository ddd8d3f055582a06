import type { RuleCode } from "./rules.ts";
import type { Severity } from "./severity.ts";

const WARNING: ReadonlySet<RuleCode> = new Set<RuleCode>([
  "S204",
  "S208",
  "S214",
  "S307",
  "S308",
  "S309",
  "S410",
  "S603",
  "S604",
  "S605",
  "S606",
  "S607",
  "S609",
  "S610",
  "S702",
  "S707",
  "S710",
  "S901",
  "S903",
  "S905",
  "S908",
  "S999",
  "S1001",
  "S1002",
  "S1003",
  "S1005",
  "S1008",
  "S1009",
  "S1105",
  "S1110",
]);
const INFO: ReadonlySet<RuleCode> = new Set<RuleCode>(["S1111"]);

/** The worst severity that issues of a rule have. */
export function worstSeverityOf(code: RuleCode): Severity {
  if (INFO.has(code)) return "info";
  return WARNING.has(code) ? "warning" : "critical";
}
