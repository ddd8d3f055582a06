import type { RuleCode } from "../contract/rules.ts";

const RULES_BY_EXTENSION: ReadonlyMap<string, RuleCode> = new Map([
  ["exe", "S501"],
  ["dll", "S501"],
  ["scr", "S501"],
  ["com", "S501"],
  ["so", "S502"],
  ["elf", "S502"],
  ["dylib", "S503"],
  ["sh", "S504"],
  ["bash", "S504"],
  ["bat", "S505"],
  ["cmd", "S505"],
  ["ps1", "S506"],
  ["vbs", "S505"],
  ["js", "S508"],
  ["wasm", "S509"],
]);

/** The rule against a program, by the extension of its name; undefined for other extensions. */
export function executableKind(name: string): RuleCode | undefined {
  const extension = /\.([a-z0-9]{2,5})$/i.exec(name)?.[1];
  return extension === undefined ? undefined : RULES_BY_EXTENSION.get(extension.toLowerCase());
}
