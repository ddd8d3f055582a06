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

/** The subject of a rule, such as `Import`, or undefined if `code` is not a rule code. */
export function ruleGroupOf(code: string): string | undefined {
  return GROUPS.get(code.slice(0, -2));
}
