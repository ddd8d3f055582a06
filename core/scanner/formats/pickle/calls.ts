import type { ImportRecord, Signal } from "./findings.ts";
import type { OpcodeName } from "./opcodes.ts";
import { exhaustion } from "./exhaustion.ts";
import { importPath, isContainer, type PickleValue, PLAIN, type TextOf } from "./values.ts";

type CallSignal = Omit<Signal, "position">;

const CALLS_RESULT: CallSignal = {
  name: "Pickle Call",
  severity: "warning",
  ruleCode: "S201",
  message: "Calls the result of another call",
  why: "The called object is known only at load time",
};

const CALLS_PERSISTENT: CallSignal = {
  name: "Pickle Call",
  severity: "warning",
  ruleCode: "S212",
  message: "Calls an object supplied by the loader",
};

const CALLS_UNKNOWN: CallSignal = {
  name: "Pickle Call",
  severity: "critical",
  ruleCode: "S201",
  message: "Calls an object of unknown origin",
};

const ODD_REBUILD: CallSignal = {
  name: "Pickle Call",
  severity: "warning",
  ruleCode: "S201",
  message: "Rebuilds a tensor with a function that does not rebuild tensors",
  why: "The function it is given is called while the pickle loads",
};

const RUNS_CONSTRUCTOR: Omit<CallSignal, "message"> = {
  name: "Pickle Call",
  severity: "warning",
  ruleCode: "S201",
  why: "The constructor runs code or opens files named by its arguments; picklers bypass it",
};

const EXHAUSTS: Omit<CallSignal, "message"> = {
  name: "Pickle Expansion",
  severity: "warning",
  ruleCode: "S214",
  why: "A few bytes of the pickle take all memory or never end",
};

/** The signals that a call raises by what it calls and with which arguments. */
export function callSignals(
  callee: PickleValue,
  args: readonly PickleValue[],
  opcode: OpcodeName,
): readonly CallSignal[] {
  switch (callee.kind) {
    case "import":
      return importCallSignals(callee.record.path, args, opcode);
    case "call":
      return [CALLS_RESULT];
    case "persistent":
      return [CALLS_PERSISTENT];
    case "unknown":
      return [CALLS_UNKNOWN];
    default:
      return [];
  }
}

function importCallSignals(
  path: string,
  args: readonly PickleValue[],
  opcode: OpcodeName,
): CallSignal[] {
  const signals: CallSignal[] = [];
  if (APPLIERS.has(path) && !REBUILDER.test(importPath(args[0]) ?? "")) signals.push(ODD_REBUILD);
  const constructed = harmfulConstructor(path, args, opcode);
  if (constructed !== undefined) {
    signals.push({ ...RUNS_CONSTRUCTOR, message: `Runs the constructor of ${constructed}` });
  }
  const exhausts = exhaustion(path, args);
  if (exhausts !== undefined) signals.push({ ...EXHAUSTS, message: exhausts });
  return signals;
}

/** PyTorch functions that call their first argument with those in the third. */
const APPLIERS: ReadonlySet<string> = new Set([
  "torch._tensor._rebuild_from_type_v2",
  "torch._tensor._rebuild_from_type",
]);

const REBUILDER = /^torch\._utils\._rebuild_\w+$/;

/**
 * Classes that are harmless only while their constructor does not run, and picklers do not run it.
 * The constructor evaluates text (YOLO models), calls the items of a list, or opens the file that it
 * is given.
 */
const HARMFUL_CONSTRUCTOR =
  /^(?:models\.yolo|ultralytics\.nn\.tasks|accelerate\.state)\.|^torch\.optim\.lr_scheduler\.|^(?:xgboost\.core|lightgbm\.basic)\.Booster$|^transformers\.(?:integrations\.)?deepspeed\.|^gensim\.(?:corpora|models|similarities)\./;

/** Returns the class whose harmful constructor a call runs, if it does. */
function harmfulConstructor(
  path: string,
  args: readonly PickleValue[],
  opcode: OpcodeName,
): string | undefined {
  if (opcode === "NEWOBJ" || opcode === "NEWOBJ_EX") return undefined;
  // It calls the constructor of its second argument, the base, not of the class.
  const reconstructed = path === "copyreg._reconstructor" && args[1] !== undefined;
  const constructed = reconstructed ? importPath(args[1]) : path;
  return constructed !== undefined && HARMFUL_CONSTRUCTOR.test(constructed)
    ? constructed
    : undefined;
}

/** PyTorch functions that call methods of their arguments, which a state can replace. */
const CALLS_METHODS =
  /^torch\.(?:_utils|_tensor)\._rebuild_\w+$|^torch\.nn\.(?:parameter\.)?Parameter$/;

/** Bounds of the search through nested arguments. */
const MAX_DEPTH = 6;
const MAX_VALUES = 5000;

/** Marks every import that a call calls: the callee, its arguments, and what those call in turn. */
export function markCalled(callee: PickleValue, args: readonly PickleValue[]): void {
  if (callee.kind === "import") callee.record.called = true;
  for (const value of args) if (value.kind === "import") value.record.called = true;
  const path = importPath(callee);
  if (path === undefined || !CALLS_METHODS.test(path)) return;
  for (const record of importsWithin(args)) record.called = true;
}

function importsWithin(args: readonly PickleValue[]): ImportRecord[] {
  const imports: ImportRecord[] = [];
  let remaining = MAX_VALUES;
  const search = (values: readonly PickleValue[], levels: number): void => {
    for (const value of values) {
      if (remaining-- <= 0) return;
      if (value.kind === "import") imports.push(value.record);
      if (levels === 0) continue;
      if ("items" in value) search(value.items, levels - 1);
      if (value.kind === "call" && value.state !== undefined) search([value.state], levels - 1);
    }
  };
  search(args, MAX_DEPTH);
  return imports;
}

/** Levels of containers in a state that are searched. */
const MAX_STATE_DEPTH = 6;

/**
 * Marks the imports in a state as stored: the object may call them later, as `FunctionTransformer` calls
 * its function and a module of PyTorch its hooks. Those under the name of a special method count as
 * called, because Python calls them implicitly.
 */
export function markStored(
  value: PickleValue,
  textOf: TextOf,
  levels = MAX_STATE_DEPTH,
): void {
  if (value.kind === "import") value.record.stored = true;
  if (!isContainer(value) || levels === 0) return;
  // A pickle may set the same state a hundred thousand times; each item is searched once.
  for (let i = value.searched; i < value.items.length; i++) {
    value.searched = i + 1;
    const item = value.items[i] ?? PLAIN;
    markStored(item, textOf, levels - 1);
    if (value.kind !== "dict" || i % 2 === 0 || item.kind !== "import") continue;
    const key = textOf(value.items[i - 1] ?? PLAIN);
    if (key?.startsWith("__") && key.endsWith("__")) item.record.called = true;
  }
}
