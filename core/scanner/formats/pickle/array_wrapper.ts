import { canonicalPath } from "./policy.ts";
import { dictEntry, NONE, type PickleValue } from "./values.ts";

/** Bytes of an array that joblib puts between two instructions. */
export interface RawArray {
  /** How many they are, behind the padding. */
  readonly bytes: number;
  /** Whether a byte with the length of a padding, and that padding, come first. */
  readonly padded: boolean;
  /** Whether a whole pickle stands there instead. */
  readonly pickled: boolean;
}

type TextOf = (value: PickleValue) => string | undefined;

const WRAPPERS: ReadonlySet<string> = new Set([
  "joblib.numpy_pickle.NumpyArrayWrapper",
  "sklearn.externals.joblib.numpy_pickle.NumpyArrayWrapper",
]);

const FILE_WRAPPERS: ReadonlySet<string> = new Set(
  ["joblib", "sklearn.externals.joblib"].flatMap((joblib) =>
    ["numpy_pickle", "numpy_pickle_compat"].flatMap((module) =>
      ["NDArrayWrapper", "ZNDArrayWrapper"].map((name) => `${joblib}.${module}.${name}`)
    )
  ),
);

/** Types within types of one array. */
const MAX_FIELDS_DEPTH = 4;

/**
 * What follows an object that BUILD has just finished, where that is the stand-in of an array in a
 * file of joblib; `unknown` where its length cannot be told, undefined where it is something else.
 */
export function rawArrayOf(value: PickleValue, textOf: TextOf): RawArray | "unknown" | undefined {
  if (value.kind !== "call" || !isOf(WRAPPERS, value.callee, value.args)) return undefined;
  if (!hasPlainKeys(value.state, textOf)) return "unknown";
  const entry = (key: string) => dictEntry(value.state, key, textOf);
  const count = elementsOf(entry("shape"));
  const type = elementTypeOf(entry("dtype"), textOf, MAX_FIELDS_DEPTH);
  if (count === undefined || type === undefined) return "unknown";
  const bytes = count * type.size;
  if (!Number.isSafeInteger(bytes)) return "unknown";
  const alignment = entry("numpy_array_alignment_bytes") ?? NONE;
  if (alignment !== NONE && alignment.kind !== "integer") return "unknown";
  return { bytes, padded: alignment.kind === "integer", pickled: type.objects };
}

/** Attributes of a stand-in; others would take the place of its methods. */
const ATTRIBUTES: ReadonlySet<string> = new Set(
  "subclass shape order dtype allow_mmap numpy_array_alignment_bytes".split(" "),
);

/** Whether all keys of a state are attributes of a stand-in, written without escapes. */
function hasPlainKeys(state: PickleValue | undefined, textOf: TextOf): boolean {
  if (state?.kind !== "dict" || state.omitted > 0) return false;
  return state.items.every((key, i) =>
    i % 2 === 1 ||
    (key.kind === "text" && key.length === textOf(key)?.length && ATTRIBUTES.has(textOf(key) ?? ""))
  );
}

function isOf(
  classes: ReadonlySet<string>,
  callee: PickleValue,
  args: readonly PickleValue[],
): boolean {
  if (callee.kind !== "import") return false;
  const path = canonicalPath(callee.record.module, callee.record.name);
  if (classes.has(path)) return true;
  const first = args[0];
  return path.startsWith("copyreg.") && first?.kind === "import" && isOf(classes, first, []);
}

/**
 * The file that an object of joblib before 0.10 loads an array from, as a pickle where it is one, when
 * BUILD has finished it; empty where the name cannot be told, undefined where it is something else.
 */
export function arrayFileOf(value: PickleValue, textOf: TextOf): string | undefined {
  if (value.kind !== "call" || !isOf(FILE_WRAPPERS, value.callee, value.args)) return undefined;
  const { state } = value;
  const names = state?.kind === "dict" && state.omitted === 0
    ? state.items.filter((key, i) => i % 2 === 0 && textOf(key) === "filename")
    : [];
  const name = names.length === 1 ? dictEntry(state, "filename", textOf) : undefined;
  return name === undefined ? "" : textOf(name) ?? "";
}

function elementsOf(shape: PickleValue | undefined): number | undefined {
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
  dtype: PickleValue | undefined,
  textOf: TextOf,
  levels: number,
): ElementType | undefined {
  if (dtype?.kind !== "call" || dtype.callee.kind !== "import") return undefined;
  const { module, name } = dtype.callee.record;
  if (canonicalPath(module, name) !== "numpy.dtype") return undefined;
  const code = textOf(dtype.args[0] ?? dtype);
  const match = code === undefined ? null : /^[<>|=]?([a-zA-Z?])(\d{0,9})$/.exec(code);
  if (match === null) return undefined;
  const [, kind = "", digits = ""] = match;
  if (kind === "?" && digits === "") return { size: 1, objects: false };
  if (digits === "") return undefined;
  const size = Number(digits) * (kind === "U" ? 4 : 1);
  if (/[SUVa]/.test(kind) && !keepsSize(dtype.state, size)) return undefined;
  return { size, objects: kind === "O" || holdsObjects(dtype.state, textOf, levels) };
}

/** Whether the state of a type that has no size of its own says the size that its code says. */
function keepsSize(state: PickleValue | undefined, size: number): boolean {
  if (state === undefined) return true;
  const told = state.kind === "tuple" ? state.items[5] : undefined;
  return told?.kind === "integer" && Number(told.value) === size;
}

/** Whether a state says that there are objects in the fields: by its flags or by a field. */
function holdsObjects(state: PickleValue | undefined, textOf: TextOf, levels: number): boolean {
  if (state?.kind !== "tuple" || levels === 0) return false;
  const flags = state.items[7];
  if (flags?.kind === "integer" && (Number(flags.value) & 1) !== 0) return true;
  const fields = state.items[4];
  if (fields?.kind !== "dict") return false;
  return fields.items.some((field) =>
    field.kind === "tuple" && elementTypeOf(field.items[0], textOf, levels - 1)?.objects === true
  );
}
