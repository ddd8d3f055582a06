import type { RuleCode } from "../contract/rules.ts";

const KINDS: ReadonlyMap<string, RuleCode> = new Map([
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

/** The rule of programs that a name is of, by its extension; undefined where it is of none. */
export function executableKind(name: string): RuleCode | undefined {
  const extension = /\.([a-z0-9]{2,5})$/i.exec(name)?.[1];
  return extension === undefined ? undefined : KINDS.get(extension.toLowerCase());
}
