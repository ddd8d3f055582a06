import type { UseSignal } from "./uses.ts";
import type { PickleValue, TextOf } from "./values.ts";

/** What a use that reaches memory has in common with others. */
export const MEMORY = {
  name: "Pickle Use",
  severity: "critical",
  why: "NumPy takes the numbers of the file for addresses, and reads and writes memory there",
} as const;

/** Attributes that say where the memory of an array is. */
export const MEMORY_KEYS: ReadonlySet<string> = new Set(
  "__array_interface__ __array_struct__ __cuda_array_interface__".split(" "),
);

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
    if (before !== undefined && mayBeKey(before) && isPlace(item) && isMemoryKey(before, textOf)) {
      return { ...MEMORY, message: "Says where the memory of an array is", ruleCode: "S207" };
    }
    before = item;
  }
  return undefined;
}

function mayBeKey(value: PickleValue): boolean {
  return value.kind === "text"
    ? value.length >= SHORTEST_KEY
    : value.kind === "built" || value.kind === "call";
}

/** Whether a value could say where an array is: numbers do not. */
function isPlace({ kind }: PickleValue): boolean {
  return kind !== "text" && kind !== "integer" && kind !== "plain" && kind !== "bytes";
}

const KEY_LENGTHS: ReadonlySet<number> = new Set(Array.from(MEMORY_KEYS, ({ length }) => length));
const SHORTEST_KEY = Math.min(...KEY_LENGTHS);

function isMemoryKey(value: PickleValue, textOf: TextOf): boolean {
  if (value.kind === "built") return MEMORY_KEYS.has(value.text);
  if (value.kind === "call") return value.args.some((part) => isMemoryText(part, textOf));
  if (value.kind !== "text") return false;
  const isLiteral = value.codec === "utf8" || value.codec === "latin1";
  if (isLiteral && !KEY_LENGTHS.has(value.length)) return false;
  return MEMORY_KEYS.has(textOf(value) ?? "");
}

/**
 * Whether an object of a constant is equal to such a key: one of a subclass of `str`, or of NumPy's
 * strings in UTF-32.
 */
function isMemoryText(value: PickleValue, textOf: TextOf): boolean {
  if (value.kind === "call") {
    const [first] = value.args;
    return first?.kind === "text" && isMemoryText(first, textOf);
  }
  const isLong = (value.kind === "text" || value.kind === "bytes") && value.length >= SHORTEST_KEY;
  return isLong && MEMORY_KEYS.has(textOf(value)?.replaceAll("\0", "") ?? "");
}
