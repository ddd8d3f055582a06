import type { RuleCode } from "../../contract/rules.ts";
import type { Severity } from "../../contract/severity.ts";
import type { OpcodeName } from "./opcodes.ts";
import { judgeImport, type Judgement } from "./policy.ts";

/** A module and a name that a pickle imports, and what becomes of it. */
export interface ImportRecord {
  readonly module: string;
  readonly name: string;
  readonly judgement: Judgement;
  /** Where it is imported first, and by what. */
  readonly at: number;
  readonly opcode: OpcodeName;
  count: number;
  /** Whether it is called, or handed to something that is. */
  called: boolean;
  /** How often it came onto the stack, and how often it went from there into a harmless call. */
  taken: number;
  spent: number;
}

/** Names of the checks of pickles, each of which passes or fails. */
export type CheckName =
  | "Pickle Import"
  | "Pickle Call"
  | "Pickle Mutation"
  | "Pickle Persistent Id"
  | "Pickle Structure"
  | "Pickle Opcode Limit"
  | "Pickle Stack Depth"
  | "Pickle Expansion"
  | "Nested Pickle"
  | "PyTorch Magic Number";

/** Something a pickle does besides importing. */
export interface Signal {
  readonly name: CheckName;
  readonly severity: Severity;
  readonly message: string;
  readonly position: number;
  readonly ruleCode?: RuleCode;
  readonly why?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly incomplete?: string;
  readonly operational?: boolean;
}

export interface CountedSignal {
  readonly signal: Signal;
  count: number;
}

/** Distinct ones that are remembered; of the rest, one a kind. */
const MAX_DISTINCT = 5000;

const REST = "(others)";

/** What was found in a pickle, each thing once, with how often it was. */
export class Findings {
  readonly imports = new Map<string, ImportRecord>();
  readonly signals = new Map<string, CountedSignal>();
  #arrays = false;

  /** Notes an import. */
  imported(module: string, name: string, at: number, opcode: OpcodeName): ImportRecord {
    const known = this.imports.get(keyOf(module, name));
    const record = known ??
      this.#add({ module, name, judgement: judgeImport(module, name), at, opcode });
    record.count++;
    this.#arrays ||= name === "NumpyArrayWrapper";
    record.taken++;
    return record;
  }

  /** Whether the stand-in of an array of joblib is among the imports. */
  hasArrays(): boolean {
    return this.#arrays;
  }

  /** The record of an import, under the name of its kind where there are too many. */
  #add(first: Omit<ImportRecord, "count" | "called" | "taken" | "spent">): ImportRecord {
    const full = this.imports.size >= MAX_DISTINCT;
    const { level } = first.judgement;
    const named = full ? { ...first, module: level, name: REST } : first;
    const key = keyOf(named.module, named.name);
    const record = this.imports.get(key) ??
      { ...named, count: 0, called: false, taken: 0, spent: 0 };
    this.imports.set(key, record);
    return record;
  }

  /** Notes something else; the same again is only counted. */
  signal(signal: Signal): void {
    this.#count(signal, 1);
  }

  #count(signal: Signal, count: number): void {
    const whole = `${signal.name}\n${signal.message}`;
    const key = this.signals.size < MAX_DISTINCT || this.signals.has(whole)
      ? whole
      : `${signal.name}\n${signal.severity}`;
    const known = this.signals.get(key);
    if (known === undefined) this.signals.set(key, { signal, count });
    else known.count += count;
  }

  /** Takes over what was found elsewhere in the same content. */
  absorb(other: Findings): void {
    for (const record of other.imports.values()) this.#absorbImport(record);
    for (const { signal, count } of other.signals.values()) this.#count(signal, count);
  }

  /** Takes over nothing but the dangerous imports. */
  absorbDenied(other: Findings): void {
    for (const record of other.denied()) this.#absorbImport(record);
  }

  #absorbImport(record: ImportRecord): void {
    const known = this.imports.get(keyOf(record.module, record.name)) ?? this.#add(record);
    known.count += record.count;
    known.called ||= record.called;
    known.taken += record.taken;
    known.spent += record.spent;
  }

  /** The imports that are critical, whatever the rest is. */
  denied(): ImportRecord[] {
    return [...this.imports.values()].filter((record) => severityOf(record) === "critical");
  }

  /** Those that are more than a remark, the worst of them being `critical`. */
  worst(): "critical" | "warning" | undefined {
    const severities = [
      ...this.imports.values().map((record) => severityOf(record)),
      ...this.signals.values().map(({ signal }) => signal.severity),
    ];
    if (severities.includes("critical")) return "critical";
    return severities.includes("warning") ? "warning" : undefined;
  }
}

function keyOf(module: string, name: string): string {
  return `${module}\n${name}`;
}

/** How bad an import is; undefined where it is known to be harmless. */
export function severityOf(record: ImportRecord): Severity | undefined {
  switch (record.judgement.level) {
    case "denied":
      if (record.spent > 0 && record.spent === record.taken) return undefined;
      return "critical";
    case "suspicious":
      return "warning";
    case "unlisted":
      return record.called ? "warning" : "info";
    case "allowed":
      return undefined;
    default:
      return record.judgement.level satisfies never;
  }
}
