import type { RuleCode } from "../../contract/rules.ts";
import { compareSeverity, type Severity } from "../../contract/severity.ts";
import { useOf } from "../../knowledge/python/allowed_names.ts";
import { isSafeToImport } from "../../knowledge/python/safe_modules.ts";
import { dottedPath } from "../../knowledge/python/dangerous_names.ts";
import type { Use } from "../../knowledge/python/uses.ts";
import { CALLABLE, INERT, type Level, SUSPECT } from "./level.ts";
import type { OpcodeName } from "./opcodes.ts";
import { canonicalPath, judgeImport, type Judgment } from "./policy.ts";

/** A module and a name that a pickle imports, and what it does with them. */
export interface ImportRecord {
  readonly module: string;
  readonly name: string;
  /** The path of both in Python 3, by which functions are recognized. */
  readonly path: string;
  readonly judgment: Judgment;
  /** How it may be used, if it is allowed by name. */
  readonly use: Use | undefined;
  readonly level: Level;
  /** Offset and opcode of the first import. */
  readonly at: number;
  readonly opcode: OpcodeName;
  count: number;
  /** Whether it is called, or passed to a function that calls it. */
  called: boolean;
  /** Whether it becomes a part of another object, which may call it later. */
  stored: boolean;
  /** How often it was pushed, and how many of those were consumed by a harmless call. */
  pushed: number;
  harmlessCalls: number;
}

/** Names of the checks of a pickle, each of which passes or fails. */
export type PickleCheck =
  | "Pickle Import"
  | "Pickle Call"
  | "Pickle Use"
  | "Pickle Mutation"
  | "Pickle Persistent Id"
  | "Pickle Structure"
  | "Pickle Opcode Limit"
  | "Pickle Stack Depth"
  | "Pickle Expansion"
  | "Nested Pickle"
  | "Credential"
  | "PyTorch Magic Number";

/** Something that a pickle does besides importing. */
export interface Signal {
  readonly name: PickleCheck;
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

/** Distinct imports, and distinct signals, that are kept. Beyond them, one of each kind is kept. */
const MAX_DISTINCT = 5000;

const OTHERS = "(others)";

/** The findings in a pickle, each once with its number of occurrences. */
export class Findings {
  readonly imports = new Map<string, ImportRecord>();
  readonly signals = new Map<string, CountedSignal>();
  #hasJoblibArrays = false;

  /** Counts an import and its push onto the stack. Returns its record. */
  addImport(module: string, name: string, at: number, opcode: OpcodeName): ImportRecord {
    const known = this.imports.get(keyOf(module, name));
    const record = known ??
      this.#addRecord({ module, name, judgment: judgeImport(module, name), at, opcode });
    record.count++;
    this.#hasJoblibArrays ||= name === "NumpyArrayWrapper";
    record.pushed++;
    return record;
  }

  /** Whether joblib's array placeholder was imported. */
  hasJoblibArrays(): boolean {
    return this.#hasJoblibArrays;
  }

  #addRecord(
    first: Pick<ImportRecord, "module" | "name" | "judgment" | "at" | "opcode">,
  ): ImportRecord {
    const known = useAndLevel(first);
    // The names of the tables are few, and how they are used is judged by name.
    const full = this.imports.size >= MAX_DISTINCT && known.use === undefined;
    const module = full ? first.judgment.level : first.module;
    const name = full ? OTHERS : first.name;
    const key = keyOf(module, name);
    const record = this.imports.get(key) ?? {
      ...first,
      module,
      name,
      ...known,
      ...full && { path: canonicalPath(module, name) },
      count: 0,
      called: false,
      stored: false,
      pushed: 0,
      harmlessCalls: 0,
    };
    this.imports.set(key, record);
    return record;
  }

  /** Adds a signal, or counts it if one with the same name and message exists. */
  addSignal(signal: Signal): void {
    this.#countSignal(signal, 1);
  }

  #countSignal(signal: Signal, count: number): void {
    const exact = `${signal.name}\n${signal.message}`;
    const key = this.signals.size < MAX_DISTINCT || this.signals.has(exact)
      ? exact
      : `${signal.name}\n${signal.severity}`;
    const known = this.signals.get(key);
    if (known === undefined) this.signals.set(key, { signal, count });
    else known.count += count;
  }

  /** Adds the findings of another part of the same content. */
  merge(other: Findings): void {
    for (const record of other.imports.values()) this.#mergeImport(record);
    for (const { signal, count } of other.signals.values()) this.#countSignal(signal, count);
  }

  /** Adds only the critical imports of another part of the same content. */
  mergeDenied(other: Findings): void {
    for (const record of other.denied()) this.#mergeImport(record);
  }

  #mergeImport(record: ImportRecord): void {
    const known = this.imports.get(keyOf(record.module, record.name)) ?? this.#addRecord(record);
    known.count += record.count;
    known.called ||= record.called;
    known.stored ||= record.stored;
    known.pushed += record.pushed;
    known.harmlessCalls += record.harmlessCalls;
  }

  /** The imports that are critical. */
  denied(): ImportRecord[] {
    return [...this.imports.values()].filter((record) => importSeverity(record) === "critical");
  }

  /** The highest severity, or undefined if it is below `warning`. */
  worst(): "critical" | "warning" | undefined {
    const severities = [
      ...this.imports.values().map((record) => importSeverity(record)),
      ...this.signals.values().map(({ signal }) => signal.severity),
    ];
    const [worst] = severities.filter((it) => it !== undefined).sort(compareSeverity);
    return worst === "critical" || worst === "warning" ? worst : undefined;
  }
}

function useAndLevel(
  { module, name, judgment: { level } }: Pick<ImportRecord, "module" | "name" | "judgment">,
): Pick<ImportRecord, "path" | "use" | "level"> {
  const path = canonicalPath(module, name);
  const use = level === "allowed"
    ? useOf(path) ?? useOf(dottedPath(module.trim(), name.trim()))
    : undefined;
  if (use?.as === "constant") return { path, use, level: INERT };
  return { path, use, level: level !== "allowed" || use?.harmful ? SUSPECT : CALLABLE };
}

function keyOf(module: string, name: string): string {
  return `${module}\n${name}`;
}

/** The severity of an import, or undefined if it is known to be harmless. */
export function importSeverity(record: ImportRecord): Severity | undefined {
  switch (record.judgment.level) {
    case "denied":
      if (record.harmlessCalls > 0 && record.harmlessCalls === record.pushed) return undefined;
      return "critical";
    case "suspicious":
      return "warning";
    case "unlisted":
      return record.called || record.stored || !isSafeToImport(record.module) ? "warning" : "info";
    case "allowed":
      return undefined;
    default:
      return record.judgment.level satisfies never;
  }
}

/** Longest text from a pickle that a message or a detail repeats, in characters. */
const MAX_EXCERPT_CHARACTERS = 100;

/** Returns a text from a pickle cut short, with control characters and quotes escaped as in JSON. */
export function escapedExcerpt(text: string): string {
  const short = text.length > MAX_EXCERPT_CHARACTERS
    ? `${text.slice(0, MAX_EXCERPT_CHARACTERS - 3)}...`
    : text;
  return JSON.stringify(short).slice(1, -1);
}
