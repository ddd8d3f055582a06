import type { Check } from "../../contract/scanner.ts";
import type { RuleCode } from "../../contract/rules.ts";
import { compareSeverity, isFinding, severityOf } from "../../contract/severity.ts";
import {
  type CountedSignal,
  escapedExcerpt,
  type ImportRecord,
  importSeverity,
  type PickleCheck,
} from "./findings.ts";
import type { OpcodeName } from "./opcodes.ts";
import type { PickleFile } from "./pickle_file.ts";
import { dottedPath } from "../../knowledge/python/dangerous_names.ts";

/** Failed checks of one pickle that are listed individually. */
const MAX_CHECKS = 1000;

const PASSED: Readonly<Record<PickleCheck, string>> = {
  "Pickle Import": "All imports are known to be harmless",
  "Pickle Call": "Only imported objects are called",
  "Pickle Use": "What is allowed is used as real files use it",
  "Pickle Mutation": "No imported object is modified",
  "Pickle Persistent Id": "Only tensor storages are requested by persistent id",
  "Pickle Structure": "The pickle is well formed",
  "Pickle Opcode Limit": "Every instruction was scanned",
  "Pickle Stack Depth": "The stack depth is within bounds",
  "Pickle Expansion": "No small pickle expands to a huge object",
  "Nested Pickle": "No constant contains a dangerous pickle",
  "Credential": "No string contains a credential",
  "PyTorch Magic Number": "No magic number is computed by a call",
};

const IMPORT_RULES: { readonly [name in OpcodeName]?: RuleCode } = {
  GLOBAL: "S206",
  INST: "S202",
  STACK_GLOBAL: "S205",
};

/** Yields the failed checks, most severe first, then a passed one for each other name. */
export function* pickleChecks(file: PickleFile): Generator<Check, void, void> {
  const failed = failedChecks(file);
  yield* failed.slice(0, MAX_CHECKS);
  if (failed.length > MAX_CHECKS) yield omittedChecks(failed.slice(MAX_CHECKS));
  const names = new Set(failed.map(({ name }) => name));
  for (const [name, message] of Object.entries(PASSED)) {
    if (!names.has(name)) yield { name, status: "passed", message };
  }
}

/** The number of failed checks with severity `warning` or `critical`. */
export function suspiciousCount(file: PickleFile): number {
  return failedChecks(file).filter((check) => isFinding(severityOf(check))).length;
}

function failedChecks(file: PickleFile): Check[] {
  const { imports, signals } = file.findings;
  return [
    ...imports.values().flatMap((record) => importCheck(record)),
    ...signals.values().map((counted) => signalCheck(counted)),
  ].sort((a, b) => compareSeverity(severityOf(a), severityOf(b)));
}

const RUNS = "It is unknown, and loading the pickle runs it";
const IMPORTS = "It is unknown, and importing it runs its module";

function importCheck(record: ImportRecord): Check[] {
  const severity = importSeverity(record);
  if (severity === undefined) return [];
  const { module, name, judgment, at, opcode, count, called, stored } = record;
  const verb = called ? "Imports and calls" : stored ? "Imports and stores" : "Imports";
  const ruleCode = judgment.ruleCode ?? IMPORT_RULES[opcode] ?? "S201";
  return [{
    name: "Pickle Import",
    status: "failed",
    message: `${verb} ${escapedExcerpt(dottedPath(module, name))}`,
    severity,
    position: at,
    ruleCode,
    why: judgment.why ?? (called || stored ? RUNS : IMPORTS),
    details: { module: escapedExcerpt(module), name: escapedExcerpt(name), opcode, count, called },
  }];
}

function signalCheck({ signal, count }: CountedSignal): Check {
  const { details, ...rest } = signal;
  return { ...rest, status: "failed", details: { ...details, count } };
}

function omittedChecks(rest: readonly Check[]): Check {
  const incomplete = rest.find((check) => check.incomplete !== undefined)?.incomplete;
  return {
    name: "Pickle Import",
    status: "failed",
    message: `${rest.length} more findings are not listed individually`,
    severity: rest[0]?.severity ?? "info",
    details: { count: rest.length },
    ...(incomplete !== undefined && { incomplete }),
    ...(rest.some(({ operational }) => operational) && { operational: true }),
  };
}
