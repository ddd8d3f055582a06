import {
  type ArgumentKind,
  kindAt,
  leastArguments,
  type Use,
} from "../../knowledge/python/uses.ts";
import { escapedExcerpt, type ImportRecord, type Signal } from "./findings.ts";
import type { OpcodeName } from "./opcodes.ts";
import { makesCallable } from "./objects.ts";
import type { Reach } from "./reach.ts";
import { hasLost } from "./traits.ts";
import { isElementClass } from "./dtype_state.ts";
import { importPath, isContainer, type PickleValue, type TextOf, UNKNOWN } from "./values.ts";

export type UseSignal = Omit<Signal, "position">;

/** What judging a use needs of the machine. */
export interface UseContext {
  readonly textOf: TextOf;
  readonly reach: Reach;
  readonly opcode: OpcodeName;
}

const CALL_RULES: { readonly [name in OpcodeName]?: Signal["ruleCode"] } = {
  INST: "S202",
  OBJ: "S203",
  NEWOBJ: "S204",
  NEWOBJ_EX: "S204",
};

const BEYOND: Omit<UseSignal, "message"> = {
  name: "Pickle Use",
  severity: "warning",
  why: "The name is known from real files, but none uses it so",
};

const CONSTRUCTS: Omit<UseSignal, "message"> = {
  name: "Pickle Call",
  severity: "warning",
  why: "The constructor may run code or open files named by its arguments; picklers bypass it",
};

/**
 * The signals of a call that goes beyond the uses of what it calls. Marks all that it passes on as
 * called.
 *
 * @param keywords Arguments by name: every second one is the name.
 */
export function callUseSignals(
  callee: ImportRecord,
  args: readonly PickleValue[],
  keywords: readonly PickleValue[],
  context: UseContext,
): readonly UseSignal[] {
  const { opcode } = context;
  if (callee.path.startsWith("copyreg.")) return rebuildSignals(callee, args, context);
  const makes = opcode === "NEWOBJ" || opcode === "NEWOBJ_EX" ||
    args.length === 0 && (opcode === "INST" || opcode === "OBJ");
  return signalsOf(callee, args, keywords, makes, context);
}

/** `copyreg._reconstructor(class, base, state)`, and the functions of the NEWOBJ opcodes. */
function rebuildSignals(
  callee: ImportRecord,
  args: readonly PickleValue[],
  context: UseContext,
): readonly UseSignal[] {
  const own = signalsOf(callee, args, NO_VALUES, false, context);
  const [made, ...rest] = args;
  if (made?.kind !== "import" || callee.path === "copyreg._reconstructor") return own;
  return [...own, ...signalsOf(made.record, rest, NO_VALUES, true, context)];
}

const NO_VALUES: readonly PickleValue[] = [];
const NO_SIGNALS: readonly UseSignal[] = [];

/** @param makes Whether only an object is made, without running the constructor. */
function signalsOf(
  callee: ImportRecord,
  args: readonly PickleValue[],
  keywords: readonly PickleValue[],
  makes: boolean,
  context: UseContext,
): readonly UseSignal[] {
  const { use, path } = callee;
  if (use?.call !== undefined) {
    if (makes && args.length === 0 && keywords.length === 0) return NO_SIGNALS;
    return argumentSignals(callee, use, args, keywords, context);
  }
  context.reach.search(args, markCalled);
  context.reach.search(keywords, markCalled);
  if (use === undefined) return NO_SIGNALS;
  if ((use.as ?? "class") !== "class") {
    return [beyond(`Calls ${path}, which models only store`, context)];
  }
  if (!makes) return [constructs(path, context)];
  return args.length === 0 && keywords.length === 0
    ? NO_SIGNALS
    : [beyond(`Gives arguments to ${path}, which takes none`, context)];
}

function argumentSignals(
  callee: ImportRecord,
  use: Use,
  args: readonly PickleValue[],
  keywords: readonly PickleValue[],
  context: UseContext,
): readonly UseSignal[] {
  const { path } = callee;
  let wrong: PickleValue | undefined;
  for (let i = 0; i < args.length; i++) {
    const value = args[i] ?? UNKNOWN;
    if (!fits(value, kindAt(use, i), callee, context)) wrong ??= value;
  }
  // No real file gives an allowed name arguments by their names.
  for (const value of keywords) if (!fits(value, undefined, callee, context)) wrong ??= value;
  if (wrong !== undefined) return [beyond(`Gives ${path} ${described(wrong, context)}`, context)];
  if (args.length >= leastArguments(use)) return NO_SIGNALS;
  return [beyond(`Calls ${path} with too few arguments`, context)];
}

/** Whether a value is of a kind that real files give a callee. Marks all in it as called. */
function fits(
  value: PickleValue,
  kind: ArgumentKind | undefined,
  callee: ImportRecord,
  { textOf, reach }: UseContext,
): boolean {
  const found = reach.searchOne(value, markCalled);
  switch (kind) {
    case undefined:
      return false;
    case "number":
      return value.kind === "integer" || value.kind === "plain";
    case "text":
      return value.kind === "text" || value.kind === "built";
    case "codec":
      return CODECS.has(textOf(value)?.toLowerCase() ?? "");
    case "zone":
      return ZONE.test(textOf(value) ?? "");
    case "bytes":
      return value.kind === "bytes" || value.kind === "plain" || isMadeOfBytes(value);
    case "plain":
      return isPlain(value, reach);
    case "inert":
      return found.callable === undefined && found.suspect === undefined;
    case "own object":
      return value.kind === "call" && isOwn(value.callee, callee) &&
        found.callable === undefined && found.suspect === undefined;
    case "items":
      return isAtom(value) || isContainer(value) && found.suspect === undefined;
    case "held":
      return found.suspect === undefined;
    case "callable":
      return value.kind === "plain" || isCallable(value) && found.suspect === undefined;
    case "class":
      return isClass(value);
    case "own class":
      return value.kind === "text" ||
        isClass(value) && found.suspect === undefined && isOwn(value, callee);
    case "own maker":
      return isMaker(value) && isOwn(value, callee);
    case "base":
      return isForeign(value) || BASES.has(importPath(value) ?? "");
    case "dtype":
      return isForeign(value) || isElementClass(value) || DTYPE.test(textOf(value) ?? "");
    default:
      return kind satisfies never;
  }
}

function isOwn(value: PickleValue, { path }: ImportRecord): boolean {
  return isForeign(value) || haveSameRoot(importPath(value) ?? "", path);
}

function described(value: PickleValue, { reach }: UseContext): string {
  const { suspect, callable } = reach.searchOne(value, markCalled);
  return suspect ?? callable ?? describe(value);
}

function beyond(message: string, { opcode }: UseContext): UseSignal {
  return { ...BEYOND, message: escapedExcerpt(message), ruleCode: CALL_RULES[opcode] ?? "S201" };
}

function constructs(path: string, { opcode }: UseContext): UseSignal {
  const message = escapedExcerpt(`Runs the constructor of ${path}`);
  return { ...CONSTRUCTS, message, ruleCode: CALL_RULES[opcode] ?? "S201" };
}

/** Marks what a call passes on as called: it may call it. */
export function markCalled(record: ImportRecord): void {
  record.called = true;
}

/** Codecs that turn a text into bytes, and look up no module by the name of another one. */
const CODECS: ReadonlySet<string> = new Set(
  "latin1 latin-1 iso-8859-1 utf8 utf-8 ascii us-ascii".split(" "),
);

/** Time zones: `UTC`, `Etc/GMT+1`, `America/Argentina/Ushuaia`. */
const ZONE = /^(?:localtime|[A-Z][\w+-]{1,30}(?:\/[A-Z][\w+-]{1,30}){0,2})$/;

/** Types of elements by NumPy's codes, and the names that they have. */
const DTYPE =
  /^[<>|=]?(?:[a-zA-Z?]\d{0,9}(?:\[\d{0,9}[a-zA-Z]{1,2}\])?|(?:bool|object|str|bytes|void|u?int|float|complex|datetime|timedelta)_?\d{0,3}(?:\[[a-zA-Z]{1,2}\])?)$/;

/** Python's own classes, whose constructors take values as they are. */
const BASES: ReadonlySet<string> = new Set(
  "object dict list tuple set frozenset str bytes bytearray int float complex".split(" ")
    .map((name) => `builtins.${name}`),
);

/** Parts of a container that are looked at to tell whether it is plain. */
const MAX_PLAIN_PARTS = 3000;

/** Whether a value is a constant, or a container of constants: without objects, even harmless ones. */
function isPlain(root: PickleValue, reach: Reach): boolean {
  const pending = [root];
  let seen = 0;
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (isAtom(value) || isMadeOfBytes(value)) continue;
    if (!isContainer(value) || hasLost(value) || seen > MAX_PLAIN_PARTS) return false;
    seen += value.items.length;
    if (!reach.spend(value.items.length)) return false;
    for (const item of value.items) pending.push(item);
  }
  return true;
}

function isAtom({ kind }: PickleValue): boolean {
  return kind === "text" || kind === "built" || kind === "bytes" || kind === "integer" ||
    kind === "plain";
}

const MAKERS_OF_BYTES: ReadonlySet<string> = new Set(
  ["_codecs.encode", "builtins.bytes", "builtins.bytearray"],
);

function isMadeOfBytes(value: PickleValue): boolean {
  return value.kind === "call" && MAKERS_OF_BYTES.has(importPath(value.callee) ?? "");
}

/** Whether a value is an import that has a finding of its own because it is not allowed. */
function isForeign(value: PickleValue): boolean {
  return value.kind === "import" && value.record.judgment.level !== "allowed";
}

function isClass(value: PickleValue): boolean {
  return value.kind === "import" && (value.record.use?.as ?? "class") === "class";
}

function isMaker(value: PickleValue): boolean {
  if (value.kind !== "import") return false;
  const { use } = value.record;
  return isForeign(value) || use?.as === "function" && use.call !== undefined;
}

function isCallable(value: PickleValue): boolean {
  return value.kind === "import" || value.kind === "call" && makesCallable(value);
}

/** Whether two paths begin in the same package. */
function haveSameRoot(path: string, other: string): boolean {
  const dot = path.indexOf(".");
  return dot === other.indexOf(".") && path.startsWith(other.slice(0, dot));
}

function describe(value: PickleValue): string {
  switch (value.kind) {
    case "text":
    case "built":
      return "a text";
    case "bytes":
      return "bytes";
    case "integer":
    case "plain":
      return "a number";
    case "call":
      return `an object of ${importPath(value.callee) ?? "another call"}`;
    case "persistent":
    case "unknown":
      return "an object of unknown origin";
    case "import":
      return value.record.path;
    default:
      return `a ${value.kind}`;
  }
}
