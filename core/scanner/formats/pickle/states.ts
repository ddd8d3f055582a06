import type { Use } from "../../knowledge/python/uses.ts";
import type { IsNotableKey } from "./containers.ts";
import { arrayLie, dtypeLie } from "./dtype_state.ts";
import { escapedExcerpt, type ImportRecord, type Signal } from "./findings.ts";
import { evaluatesFormula } from "./formula.ts";
import { MEMORY, MEMORY_KEYS } from "./memory_keys.ts";
import type { OpcodeName } from "./opcodes.ts";
import type { Reach } from "./reach.ts";
import { shapeFault } from "./state_shapes.ts";
import { check, INERT, levelOf } from "./traits.ts";
import type { UseSignal } from "./uses.ts";
import {
  type Call,
  type Container,
  hasParts,
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

const NONE_FOUND: readonly UseSignal[] = [];

/** The class of an object, or the function that made it. */
export function makerOf({ callee, args }: Call): ImportRecord | undefined {
  if (callee.kind !== "import") return undefined;
  const [made] = args;
  if (!callee.record.path.startsWith("copyreg.")) return callee.record;
  return made?.kind === "import" ? made.record : undefined;
}

/** The signals of a state that goes beyond what objects of its class get. */
export function stateSignals(
  target: Call,
  state: PickleValue,
  context: StateContext,
): readonly UseSignal[] {
  const maker = makerOf(target);
  const special = specialKeys(state, target, context);
  const fault = maker?.use && shapeFault(target, maker, state, context);
  const isPlain = special.length === 0 && fault === undefined;
  if (isPlain && isOrdinary(maker?.use, target, state)) return NONE_FOUND;
  const of = maker?.path ?? "an object";
  const key = special.find((key) => MEMORY_KEYS.has(key)) ??
    special.find((key) => CLASS_KEYS.has(key)) ?? special[0];
  const found = key === undefined ? [] : [keySignal(key, of)];
  if (maker?.use === undefined) return found;
  if (target.state !== undefined) found.push(stateSignal(`Sets the state of ${of} twice`));
  if (maker.use.as === "function" && !maker.use.built) {
    found.push(stateSignal(`Sets the state of what ${of} returns`));
  }
  if (state.kind === "call" && state !== target && levelOf(state) > INERT) {
    found.push(stateSignal(`Gives ${of} an object with functions as its state`));
  }
  if (fault !== undefined) found.push(stateSignal(fault.message, { ...BEYOND, ...fault }));
  if (maker.use.state === "dtype") {
    const lie = dtypeLie(target, state, context);
    if (lie !== undefined) found.push(stateSignal(`A numpy.dtype has wrong ${lie}`, MEMORY));
  }
  if (maker.use.state === "array") {
    const lie = arrayLie(state, context.textOf);
    if (lie !== undefined) found.push(stateSignal(`An array has a wrong ${lie}`, MEMORY));
  }
  if (maker.use.state === "nodes") {
    found.push(stateSignal(`Sets the nodes of ${of}`, FOLLOWS));
  }
  if (maker.use.state === "formula" && evaluatesFormula(state, context)) {
    found.push(stateSignal(`Sets a formula of ${of} that runs as Python`, EVALUATES));
  }
  return found;
}

/** Whether no rule but that about special attributes applies to a state. */
function isOrdinary(use: Use | undefined, target: Call, state: PickleValue): boolean {
  if (use === undefined) return true;
  const isSettable = use.as !== "function" || use.built === true;
  return isSettable && target.state === undefined && state.kind !== "call" &&
    use.state === undefined;
}

function keySignal(key: string, of: string): UseSignal {
  const message = `Sets ${key} of ${of}`;
  if (MEMORY_KEYS.has(key)) return stateSignal(message, MEMORY);
  return stateSignal(message, CLASS_KEYS.has(key) ? { ...SPECIAL, severity: "critical" } : SPECIAL);
}

function stateSignal(
  message: string,
  kind: Pick<UseSignal, "name" | "severity" | "why"> = BEYOND,
): UseSignal {
  return { ...kind, message: escapedExcerpt(message), ruleCode: "S207" };
}

/** The signal of an object that holds something that no object in a real file holds. */
export function storedSignal(held: string): UseSignal {
  return stateSignal(`Stores ${held} in an object`);
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

const FOLLOWS = {
  name: "Pickle Use",
  severity: "warning",
  why: "SciPy follows the nodes to other places in memory without a check, and writes there",
} as const;

/** Attributes that make an object another one, or are called when the pickle goes on. */
const CLASS_KEYS: ReadonlySet<string> = new Set("__class__ __dict__ __setstate__".split(" "));

/** Attributes that real files set. */
const ORDINARY_KEYS: ReadonlySet<string> = new Set(["__doc__"]);

/** Whether a text is the name of an attribute that Python uses by itself, and that no real file sets. */
function isSpecial(text: string | undefined): text is string {
  if (text === undefined || !text.startsWith("__") || !text.endsWith("__")) return false;
  return text.length > 4 && !ORDINARY_KEYS.has(text);
}

/** What the keys of a state are read with. */
interface StateContext {
  readonly textOf: TextOf;
  readonly isNotableKey: IsNotableKey;
  readonly reach: Reach;
}

const COMPUTED = "an attribute under a computed name";

/** Values in a state that are searched for keys when a call makes the state. */
const MAX_VALUES = 5000;

/** The special attributes that a state sets: of a dict, of two for attributes and slots, of a call. */
function specialKeys(state: PickleValue, target: Call, context: StateContext): readonly string[] {
  if (state.kind === "dict") return keysOf(state, context);
  if (state.kind === "call" && state !== target) return textsWithin(state, context);
  if (state.kind !== "tuple") return NO_KEYS;
  const [first = PLAIN, second = PLAIN] = state.items;
  const isPair = first.kind !== "tuple" && second.kind !== "tuple";
  return isPair && (hasParts(first) || hasParts(second))
    ? [first, second].flatMap((part) => specialKeys(part, target, context))
    : NO_KEYS;
}

const NO_KEYS: readonly string[] = [];

function keysOf(dict: Container, { textOf, isNotableKey }: StateContext): readonly string[] {
  // A pickle may set the same state a hundred thousand times.
  if (!check(dict)) return NO_KEYS;
  const { items } = dict;
  let found: string[] | undefined;
  for (let i = 0; i < items.length; i += 2) {
    const key = items[i] ?? PLAIN;
    if (!isNotableKey(key)) continue;
    const text = key.kind === "call" ? COMPUTED : textOf(key);
    if (text === COMPUTED || isSpecial(text)) found = [...found ?? [], text];
  }
  return found ?? NO_KEYS;
}

function textsWithin(root: Call, { textOf, reach }: StateContext): string[] {
  const found: string[] = [];
  const seen = new Set<PickleValue>();
  const pending: PickleValue[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const text = hasParts(value) ? undefined : textOf(value);
    if (isSpecial(text)) found.push(text);
    if (!hasParts(value) || seen.has(value)) continue;
    if (seen.size >= MAX_VALUES || !reach.spend(1)) return [...found, COMPUTED];
    seen.add(value);
    const parts = value.kind === "call" ? value.args : value.items;
    for (const part of parts) pending.push(part);
  }
  return found;
}

const ITEMS_OF: { readonly [name in OpcodeName]?: "list" | "dict" | "set" } = {
  APPEND: "list",
  APPENDS: "list",
  SETITEM: "dict",
  SETITEMS: "dict",
  ADDITEMS: "set",
};

/** The signals of items that an object gets by its methods. */
export function itemSignals(target: Call, opcode: OpcodeName): readonly UseSignal[] {
  const maker = makerOf(target);
  if (maker?.use === undefined) return NONE_FOUND;
  if (maker.use.items !== ITEMS_OF[opcode]) {
    return [beyondItems(`Adds items to an object of ${maker.path}`, opcode)];
  }
  return target.state === undefined
    ? NONE_FOUND
    : [beyondItems(`Adds items to ${maker.path} after its state`, opcode)];
}

function beyondItems(message: string, opcode: OpcodeName): UseSignal {
  const ruleCode = CHANGE_RULES[opcode] ?? "S209";
  return { ...BEYOND, message: escapedExcerpt(message), ruleCode };
}
