import { canonicalPath } from "./policy.ts";
import { entryOf, type Value } from "./values.ts";

/** Bytes of an array that joblib puts between two instructions. */
export interface RawArray {
  /** How many they are, behind the padding. */
  readonly bytes: number;
  /** Whether a byte with the length of a padding, and that padding, come first. */
  readonly padded: boolean;
  /** Whether a whole pickle stands there instead. */
  readonly pickled: boolean;
}

type TextOf = (value: Value) => string | undefined;

const WRAPPERS: ReadonlySet<string> = new Set([
  "joblib.numpy_pickle.NumpyArrayWrapper",
  "sklearn.externals.joblib.numpy_pickle.NumpyArrayWrapper",
]);

/** Types within types of one array. */
const MAX_FIELDS_DEPTH = 4;

/**
 * What follows an object that BUILD has just finished, where that is the stand-in of an array in a
 * file of joblib; `unknown` where its length cannot be told, undefined where it is something else.
 */
export function rawArrayOf(value: Value, textOf: TextOf): RawArray | "unknown" | undefined {
  if (value.kind !== "call" || !isWrapper(value.callee, value.args)) return undefined;
  const entry = (key: string) => entryOf(value.state, key, textOf);
  const count = elementsOf(entry("shape"));
  const type = elementTypeOf(entry("dtype"), textOf, MAX_FIELDS_DEPTH);
  if (count === undefined || type === undefined) return "unknown";
  const bytes = count * type.size;
  if (!Number.isSafeInteger(bytes)) return "unknown";
  const padded = entry("numpy_array_alignment_bytes")?.kind === "integer";
  return { bytes, padded, pickled: type.objects };
}

function isWrapper(callee: Value, args: readonly Value[]): boolean {
  if (callee.kind !== "import") return false;
  const path = canonicalPath(callee.record.module, callee.record.name);
  if (WRAPPERS.has(path)) return true;
  const first = args[0];
  return path.startsWith("copyreg.") && first?.kind === "import" && isWrapper(first, []);
}

function elementsOf(shape: Value | undefined): number | undefined {
  if (shape?.kind !== "tuple" || shape.omitted > 0) return undefined;
  let count = 1;
  for (const length of shape.items) {
    if (length.kind !== "integer" || length.value < 0) return undefined;
    count *= Number(length.value);
  }
  return count;
}

interface ElementType {
  readonly size: number;
  readonly objects: boolean;
}

/** The type that `numpy.dtype("f8", False, True)` and its state stand for. */
function elementTypeOf(
  dtype: Value | undefined,
  textOf: TextOf,
  levels: number,
): ElementType | undefined {
  if (dtype?.kind !== "call" || dtype.callee.kind !== "import") return undefined;
  const code = textOf(dtype.args[0] ?? dtype);
  const match = code === undefined ? null : /^[<>|=]?([a-zA-Z?])(\d{0,9})$/.exec(code);
  if (match === null) return undefined;
  const [, kind = "", digits = ""] = match;
  if (kind === "?" && digits === "") return { size: 1, objects: false };
  if (digits === "") return undefined;
  return {
    size: Number(digits) * (kind === "U" ? 4 : 1),
    objects: kind === "O" || holdsObjects(dtype.state, textOf, levels),
  };
}

/** Whether a state says that there are objects in the fields: by its flags or by a field. */
function holdsObjects(state: Value | undefined, textOf: TextOf, levels: number): boolean {
  if (state?.kind !== "tuple" || levels === 0) return false;
  const flags = state.items[7];
  if (flags?.kind === "integer" && (Number(flags.value) & 1) !== 0) return true;
  const fields = state.items[4];
  if (fields?.kind !== "dict") return false;
  return fields.items.some((field) =>
    field.kind === "tuple" && elementTypeOf(field.items[0], textOf, levels - 1)?.objects === true
  );
}
