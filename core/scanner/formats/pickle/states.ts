import { dtypeLie } from "./dtype_state.ts";
import { escapedExcerpt, type ImportRecord, type Signal } from "./findings.ts";
import type { OpcodeName } from "./opcodes.ts";
import { INERT, levelOf } from "./traits.ts";
import type { UseSignal } from "./uses.ts";
import {
  type Call,
  hasParts,
  isContainer,
  type PickleValue,
  PLAIN,
  type TextOf,
} from "./values.ts";

export const CHANGE_RULES: { readonly [name in OpcodeName]?: Signal["ruleCode"] } = {
  BUILD: "S207",
  SETITEM: "S209",
  SETITEMS: "S210",
};

const BEYOND = {
  name: "Pickle Use",
  severity: "warning",
  why: "The name is known from real files, but none uses it so",
} as const;

const MEMORY = {
  name: "Pickle Use",
  severity: "critical",
  why: "NumPy takes the numbers of the file for addresses, and reads and writes memory there",
} as const;

/** The class of an object, or the function that made it. */
export function makerOf({ callee, args }: Call): ImportRecord | undefined {
  if (callee.kind !== "import") return undefined;
  const [made] = args;
  if (!callee.record.path.startsWith("copyreg.")) return callee.record;
  return made?.kind === "import" ? made.record : undefined;
}

/** The signals of a state that goes beyond what objects of its class get. */
export function stateSignals(target: Call, state: PickleValue, textOf: TextOf): UseSignal[] {
  const maker = makerOf(target);
  const of = escapedExcerpt(maker?.path ?? "an object");
  const signals: UseSignal[] = [];
  const add = (signal: Pick<UseSignal, "name" | "severity" | "why">, message: string) =>
    signals.push({ ...signal, message, ruleCode: "S207" });
  const special = specialKeys(state, target, textOf);
  for (const key of special.slice(0, 1)) {
    if (MEMORY_KEYS.has(key)) add(MEMORY, `Sets ${key} of ${of}`);
    else if (CLASS_KEYS.has(key)) add({ ...SPECIAL, severity: "critical" }, `Sets ${key} of ${of}`);
    else add(SPECIAL, `Sets ${key} of ${of}`);
  }
  if (maker?.use === undefined) return signals;
  if (target.state !== undefined) add(BEYOND, `Sets the state of ${of} twice`);
  if (maker.use.as === "function" && !maker.use.built) {
    add(BEYOND, `Sets the state of what ${of} returns`);
  }
  if (state.kind === "call" && state !== target && levelOf(state) > INERT) {
    add(BEYOND, `Gives ${of} an object with functions as its state`);
  }
  if (maker.use.state === "dtype") {
    const lie = dtypeLie(target, state, textOf);
    if (lie !== undefined) add(MEMORY, `A numpy.dtype has wrong ${lie}`);
  }
  if (maker.use.state === "formula" && evaluatesFormula(state, textOf)) {
    add(EVALUATES, `Sets a formula of ${of} that runs as Python`);
  }
  return signals;
}

/** The signal of an object that holds what none of real files does. */
export function storedSignal(held: string): UseSignal {
  return { ...BEYOND, message: `Stores ${escapedExcerpt(held)} in an object`, ruleCode: "S207" };
}

const SPECIAL = {
  name: "Pickle Use",
  severity: "warning",
  why: "Python calls special attributes by itself; no real file sets them",
} as const;

const EVALUATES = {
  name: "Pickle Use",
  severity: "critical",
  why: "The object evaluates its formula as Python code when it gets the state",
} as const;

/** Attributes that say where the memory of an array is. */
const MEMORY_KEYS: ReadonlySet<string> = new Set(
  "__array_interface__ __array_struct__ __cuda_array_interface__".split(" "),
);

/** Attributes that make an object another one, or are called when the pickle goes on. */
const CLASS_KEYS: ReadonlySet<string> = new Set("__class__ __dict__ __setstate__".split(" "));

/** Attributes that real files set. */
const ORDINARY_KEYS: ReadonlySet<string> = new Set(["__doc__"]);

/** Whether a text is the name of an attribute that Python uses by itself, and that no real file sets. */
function isSpecial(text: string | undefined): text is string {
  if (text === undefined || !text.startsWith("__") || !text.endsWith("__")) return false;
  return text.length > 4 && !ORDINARY_KEYS.has(text);
}

/** Values in a state that are searched for keys when a call makes the state. */
const MAX_VALUES = 5000;

/** The special attributes that a state sets: of a dict, of two for attributes and slots, of a call. */
function specialKeys(state: PickleValue, target: Call, textOf: TextOf): string[] {
  if (state.kind === "dict") return keysOf(state.items, textOf);
  if (state.kind === "tuple") {
    return state.items.slice(0, 2).flatMap((part) =>
      part.kind === "tuple" ? [] : specialKeys(part, target, textOf)
    );
  }
  return state.kind === "call" && state !== target ? textsWithin(state, textOf) : [];
}

function keysOf(items: readonly PickleValue[], textOf: TextOf): string[] {
  const found: string[] = [];
  for (let i = 0; i < items.length; i += 2) {
    const key = items[i] ?? PLAIN;
    if (key.kind === "call") found.push("an attribute under a computed name");
    const text = key.kind === "text" || key.kind === "built" ? textOf(key) : undefined;
    if (isSpecial(text)) found.push(text);
  }
  return found;
}

function textsWithin(root: Call, textOf: TextOf): string[] {
  const found: string[] = [];
  const seen = new Set<PickleValue>();
  const pending: PickleValue[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const text = hasParts(value) ? undefined : textOf(value);
    if (isSpecial(text)) found.push(text);
    if (!hasParts(value) || seen.has(value)) continue;
    if (seen.size >= MAX_VALUES) return [...found, "an attribute under a computed name"];
    seen.add(value);
    const parts = value.kind === "call" ? [...value.args, ...value.added ?? []] : value.items;
    for (const part of parts) pending.push(part);
  }
  return found;
}

/** Terms of a formula that only look up names and compute: `y`, `C(group)`, `I(x**2)`, `np.log(x + 1)`. */
const PLAIN_TERM =
  /^(?:\w+|C\(\w+\)|I\(\w+ ?\*\* ?\d\)|np\.(?:abs|cos|exp|log|log10|log1p|log2|sin|sqrt|square)\(\w+(?: ?[+*-] ?\d{1,6})?\))$/;

/** Whether data of statsmodels evaluates a text of its state: it does so under two keys. */
function evaluatesFormula(state: PickleValue, textOf: TextOf): boolean {
  if (state.kind !== "dict" || state.omitted > 0) return true;
  let formula: string | undefined;
  let isEvaluated = false;
  for (let i = 0; i < state.items.length; i += 2) {
    const key = textOf(state.items[i] ?? PLAIN);
    if (key === undefined) return true;
    if (key === "restore_design_info" || key === "restore_model_spec") isEvaluated = true;
    if (key === "formula") formula = textOf(state.items[i + 1] ?? PLAIN);
  }
  return isEvaluated && !isPlainFormula(formula ?? "");
}

function isPlainFormula(formula: string): boolean {
  const terms: string[] = [];
  // Operators within parentheses belong to a term.
  let [depth, start] = [0, 0];
  for (let i = 0; i <= formula.length; i++) {
    const character = formula[i] ?? "~";
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (depth === 0 && "~+:*-".includes(character)) {
      terms.push(formula.slice(start, i).trim());
      start = i + 1;
    }
  }
  return depth === 0 && terms.every((term) => PLAIN_TERM.test(term));
}

const ITEMS_OF: { readonly [name in OpcodeName]?: "list" | "dict" | "set" } = {
  APPEND: "list",
  APPENDS: "list",
  SETITEM: "dict",
  SETITEMS: "dict",
  ADDITEMS: "set",
};

/** The signals of items that an object gets by its methods. */
export function itemSignals(target: Call, opcode: OpcodeName): UseSignal[] {
  const maker = makerOf(target);
  if (maker?.use === undefined) return [];
  const of = escapedExcerpt(maker.path);
  const ruleCode = CHANGE_RULES[opcode] ?? "S209";
  if (maker.use.items !== ITEMS_OF[opcode]) {
    return [{ ...BEYOND, message: `Adds items to an object of ${of}`, ruleCode }];
  }
  return target.state === undefined
    ? []
    : [{ ...BEYOND, message: `Adds items to ${of} after its state`, ruleCode }];
}

/**
 * The signal of a dict or a pair that says where the memory of an array is: objects make attributes of
 * them.
 */
export function memorySignal(
  items: readonly PickleValue[],
  last: PickleValue | undefined,
  textOf: TextOf,
): UseSignal | undefined {
  let before = last;
  for (const item of items) {
    const isArray = isContainer(item) || item.kind === "call" || item.kind === "import" ||
      item.kind === "unknown";
    if (isArray && before !== undefined && isMemoryKey(before, textOf)) {
      return { ...MEMORY, message: "Says where the memory of an array is", ruleCode: "S207" };
    }
    before = item;
  }
  return undefined;
}

const KEY_LENGTHS: ReadonlySet<number> = new Set(Array.from(MEMORY_KEYS, ({ length }) => length));

function isMemoryKey(value: PickleValue, textOf: TextOf): boolean {
  if (value.kind === "built") return MEMORY_KEYS.has(value.text);
  // Objects that are equal to a text: subclasses of `str`, and the strings of NumPy in UTF-32.
  if (value.kind === "call") {
    return value.args.some((part) => MEMORY_KEYS.has(textOf(part)?.replaceAll("\0", "") ?? ""));
  }
  if (value.kind !== "text") return false;
  const isLiteral = value.codec === "utf8" || value.codec === "latin1";
  if (isLiteral && !KEY_LENGTHS.has(value.length)) return false;
  return MEMORY_KEYS.has(textOf(value) ?? "");
}
