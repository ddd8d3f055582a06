/** What rules are about, by their codes without the last two digits. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ["S1", "Import"],
  ["S2", "Pickle opcode"],
  ["S3", "Network"],
  ["S4", "File access"],
  ["S5", "Program"],
  ["S6", "Encoding"],
  ["S7", "Secret"],
  ["S8", "Weights and layers"],
  ["S9", "Structure"],
  ["S10", "Origin"],
  ["S11", "Framework"],
]);

/** What a rule is about, such as `Import`; undefined for what is no rule code. */
export function ruleGroupOf(code: string): string | undefined {
  return GROUPS.get(code.slice(0, -2));
}
