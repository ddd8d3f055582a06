import type { Check } from "../../contract/scanner.ts";
import type { RuleCode } from "../../contract/rules.ts";
import { type CheckName, type CountedSignal, type ImportRecord, severityOf } from "./findings.ts";
import type { OpcodeName } from "./opcodes.ts";
import type { PickleFile } from "./pickle_file.ts";
import { shown } from "./text.ts";

/** Failed checks of one pickle that are told one by one. */
const MAX_CHECKS = 1000;

const PASSED: Readonly<Record<CheckName, string>> = {
  "Pickle Import": "Every import is known to be harmless",
  "Pickle Call": "Nothing is called but what is imported",
  "Pickle Mutation": "No imported object is changed",
  "Pickle Persistent Id": "No object is asked of the loader but storages",
  "Pickle Structure": "The pickle is well-formed to its end",
  "Pickle Opcode Limit": "Every instruction was looked at",
  "Pickle Stack Depth": "The stack stays shallow",
  "Pickle Expansion": "No small pickle stands for a vast object",
  "Nested Pickle": "No constant holds a dangerous pickle",
  "PyTorch Magic Number": "No magic number is made by a call",
};

const IMPORT_RULES: { readonly [name in OpcodeName]?: RuleCode } = {
  GLOBAL: "S206",
  INST: "S202",
  STACK_GLOBAL: "S205",
};

/** The checks of a pickle: those that failed, the worst first, and one for each that did not. */
export function* pickleChecks(file: PickleFile): Generator<Check, void, void> {
  const failed = failedChecks(file);
  yield* failed.slice(0, MAX_CHECKS);
  if (failed.length > MAX_CHECKS) yield restOf(failed.slice(MAX_CHECKS));
  const names = new Set(failed.map(({ name }) => name));
  for (const [name, message] of Object.entries(PASSED)) {
    if (!names.has(name)) yield { name, status: "passed", message };
  }
}

/** How many checks of a pickle found something that matters. */
export function suspiciousCount(file: PickleFile): number {
  return failedChecks(file).filter(({ severity }) =>
    severity === "critical" || severity === "warning"
  ).length;
}

const RANKS = ["critical", "warning", "info", "debug"];

function failedChecks(file: PickleFile): Check[] {
  const { imports, signals } = file.findings;
  return [
    ...imports.values().flatMap((record) => importCheck(record)),
    ...signals.values().map((counted) => signalCheck(counted)),
  ].sort((a, b) => RANKS.indexOf(a.severity ?? "") - RANKS.indexOf(b.severity ?? ""));
}

function importCheck(record: ImportRecord): Check[] {
  const severity = severityOf(record);
  if (severity === undefined) return [];
  const { module, name, judgement, at, opcode, count, called } = record;
  const ruleCode = judgement.ruleCode ?? IMPORT_RULES[opcode] ?? "S201";
  return [{
    name: "Pickle Import",
    status: "failed",
    message: `${called ? "Imports and calls" : "Imports"} ${shown(joined(module, name))}`,
    severity,
    position: at,
    ruleCode,
    why: judgement.why ?? "Nothing is known of it, and loading the pickle runs it",
    details: { module: shown(module), name: shown(name), opcode, count, called },
  }];
}

function joined(module: string, name: string): string {
  return name === "" ? module : `${module}.${name}`;
}

function signalCheck({ signal, count }: CountedSignal): Check {
  const { details, ...rest } = signal;
  return { ...rest, status: "failed", details: { ...details, count } };
}

function restOf(rest: readonly Check[]): Check {
  const incomplete = rest.find((check) => check.incomplete !== undefined)?.incomplete;
  return {
    name: "Pickle Import",
    status: "failed",
    message: `${rest.length} more findings are not told one by one`,
    severity: rest[0]?.severity ?? "info",
    details: { count: rest.length },
    ...(incomplete !== undefined && { incomplete }),
    ...(rest.some(({ operational }) => operational) && { operational: true }),
  };
}
