import type { Signal } from "./findings.ts";
import {
  type Call,
  importPath,
  isContainer,
  type PickleValue,
  type TextOf,
  UNKNOWN,
} from "./values.ts";

/** Elements from which an object is too large to be made without the data for it. */
const MAX_ELEMENTS = 2 ** 26;

/** Exponents above this make integers of a size that no pickle needs. */
const MAX_EXPONENT = 10_000;

/** Indexes of the memo from which a loader takes much memory, and how many times their number picklers use. */
const MAX_INDEX = 2 ** 22;
const MAX_INDEX_RATIO = 16;

/** Make an object of as many bytes as an integer says. */
const SIZED: ReadonlySet<string> = new Set(["builtins.bytes", "builtins.bytearray"]);

/** Yield items for ever, unless a last argument limits them. */
const ENDLESS: ReadonlyMap<string, number> = new Map([
  ["itertools.count", Infinity],
  ["itertools.cycle", Infinity],
  ["itertools.repeat", 1],
]);

/** Yield far more items than they are given, of which they take all at once. */
const MULTIPLYING =
  /^itertools\.(?:product|permutations|combinations|combinations_with_replacement)$/;

/** Classes of iterators, which take items only when they are asked for them. */
const LAZY = /^itertools\.|^builtins\.(?:enumerate|zip|reversed|range|slice)$/;

/** Yield each of their addresses, of which those of version 6 have up to 2 ** 128. */
const NETWORK = /^ipaddress\.IPv[46]Network$/;

/** Repeats the bounds of a parameter for each of its elements. */
const HYPERPARAMETER = "sklearn.gaussian_process.kernels.Hyperparameter";

/** Reads as many numbers of its second argument as the third one says. */
const TREE = "sklearn.tree._tree.Tree";

/** Make an array, by the index of the argument that is its shape. */
const REBUILT_ARRAYS: ReadonlyMap<string, number> = new Map([
  ["numpy.core.multiarray._reconstruct", 1],
  ["numpy._core.multiarray._reconstruct", 1],
  ["numpy.ma.core._mareconstruct", 2],
  ["numpy.ndarray", 0],
]);

/**
 * Describes how a call of an ordinary function exhausts memory or time; undefined if it does not. The
 * arguments decide: the function is harmless with others.
 */
export function exhaustion(
  path: string,
  args: readonly PickleValue[],
  textOf: TextOf,
): string | undefined {
  const [first, second] = args;
  if (SIZED.has(path) && integerOf(first) > MAX_ELEMENTS) {
    return `Allocates ${integerOf(first)} bytes`;
  }
  if (path === "builtins.pow" && integerOf(second) > MAX_EXPONENT && args.length < 3) {
    return `Computes a power with the exponent ${integerOf(second)}`;
  }
  if (path === "fractions.Fraction") {
    const exponent = Math.max(0, ...args.map((value) => exponentOf(textOf(value) ?? "")));
    if (exponent > MAX_EXPONENT) return `Computes a fraction with the exponent ${exponent}`;
  }
  if (MULTIPLYING.test(path) && integerOf(second) > MAX_EXPONENT) {
    return `Combines ${integerOf(second)} items`;
  }
  if (args.some((value) => isHugeNumber(value, textOf))) return "Computes with a huge number";
  const shape = args[REBUILT_ARRAYS.get(path) ?? -1];
  // The bytes of a text are a shape as well.
  if (shape?.kind === "bytes" || shape?.kind === "text" || shape?.kind === "call") {
    return "Allocates an array whose shape is not written down";
  }
  if (REBUILT_ARRAYS.has(path)) {
    // A shape is a tuple, a list, or one integer.
    const sizes = args.map((value) => isContainer(value) ? product(value.items) : integerOf(value));
    const elements = Math.max(0, ...sizes);
    if (elements > MAX_ELEMENTS) return `Allocates an array of ${elements} elements`;
  }
  if (path === HYPERPARAMETER && integerOf(args[3]) > MAX_EXPONENT) {
    return `Repeats bounds ${integerOf(args[3])} times`;
  }
  if (path === TREE && integerOf(args[2]) > lengthOf(args[1])) {
    return `Reads ${integerOf(args[2])} numbers of a shorter array`;
  }
  if (LAZY.test(path) && !MULTIPLYING.test(path)) return undefined;
  const source = args.find((value) => isCall(value) && yieldsTooMuch(value));
  return source === undefined ? undefined : `Takes all items of ${describe(source)}`;
}

/** How deep in a state objects of pandas take all items of a value, and of how many values at most. */
const TAKEN_LEVELS = 3;
const MAX_TAKEN = 10_000;

/**
 * Describes how a state never ends: objects take all items of it, or of its parts. Those of pandas make arrays
 * of what is under the keys of theirs, too.
 */
export function stateExhaustion(path: string, state: PickleValue): string | undefined {
  const isOfPandas = path.startsWith("pandas.");
  const parts = state.kind === "tuple" || state.kind === "list" ? state.items : [state];
  const source = parts.find((value) => isCall(value) && yieldsTooMuch(value)) ??
    (isOfPandas ? endlessIn(state, TAKEN_LEVELS, { left: MAX_TAKEN }) : undefined);
  return source === undefined ? undefined : `Takes all items of ${describe(source)}`;
}

function endlessIn(
  value: PickleValue,
  levels: number,
  values: { left: number },
): Call | undefined {
  if (isCall(value)) return yieldsTooMuch(value) ? value : undefined;
  if (!isContainer(value) || levels === 0) return undefined;
  for (const item of value.items) {
    if (values.left-- <= 0) return undefined;
    const found = endlessIn(item, levels - 1, values);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The number of elements of an array, from its state or the call that makes it; a bound if neither has it. */
function lengthOf(array: PickleValue | undefined): number {
  if (array === undefined || !isCall(array)) return MAX_EXPONENT;
  const { state, args } = array;
  const parts = state?.kind === "tuple" ? state.items.slice(0, 2) : args.slice(2, 3);
  const shape = parts.find((it) => it?.kind === "tuple");
  return shape?.kind === "tuple" ? product(shape.items) : MAX_EXPONENT;
}

function isCall(value: PickleValue): value is Call {
  return value.kind === "call";
}

function yieldsTooMuch({ callee, args }: Call): boolean {
  const path = importPath(callee) ?? "";
  if (path === "builtins.range") return rangeLength(args) > MAX_ELEMENTS;
  const maxArguments = ENDLESS.get(path);
  if (maxArguments !== undefined) {
    return args.length <= maxArguments || integerOf(args[1]) > MAX_ELEMENTS;
  }
  if (MULTIPLYING.test(path) || NETWORK.test(path)) return true;
  // Iterators of iterators pass on what those yield.
  return LAZY.test(path) && path !== "itertools.islice" &&
    args.some((value) => isCall(value) && yieldsTooMuch(value));
}

/** Whether a value is a decimal whose digits fill memory when it becomes an integer. */
function isHugeNumber(value: PickleValue, textOf: TextOf): boolean {
  if (!isCall(value) || importPath(value.callee) !== "decimal.Decimal") return false;
  return exponentOf(textOf(value.args[0] ?? UNKNOWN) ?? "") > MAX_EXPONENT;
}

function rangeLength(args: readonly PickleValue[]): number {
  const [first = 0, second, step = 1] = args.map(integerOf);
  return second === undefined ? first : Math.abs((second - first) / (step || 1));
}

/** The exponent of a number in a text, which makes an integer of as many digits. */
function exponentOf(text: string): number {
  const digits = /e[+-]?([\d_]+)/i.exec(text)?.[1] ?? "0";
  return Number(digits.replaceAll("_", ""));
}

function product(lengths: readonly PickleValue[]): number {
  return lengths.reduce((count, length) => count * Math.max(0, integerOf(length)), 1);
}

function integerOf(value: PickleValue | undefined): number {
  return value?.kind === "integer" ? Number(value.value) : 0;
}

/** Describes an entry of the memo whose index alone makes a loader take memory; undefined if it does not. */
export function distantEntry(index: number, entries: number): Omit<Signal, "position"> | undefined {
  if (index <= MAX_INDEX || index <= entries * MAX_INDEX_RATIO) return undefined;
  return {
    name: "Pickle Expansion",
    severity: "warning",
    ruleCode: "S214",
    message: `An object is stored in the memo at ${index}, beside ${entries} others`,
    why: "Loaders make room for all entries before it: 16 bytes for each",
  };
}

function describe(value: PickleValue): string {
  if (isContainer(value) || value.kind !== "call") return "an iterator";
  return importPath(value.callee) ?? "an iterator";
}
