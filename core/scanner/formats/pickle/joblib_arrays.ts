import { dictEntry, importPath, NONE, type PickleValue, type TextOf } from "./values.ts";

/** The data of an array, which joblib writes between two instructions. */
export interface RawArray {
  /** Number of bytes, without padding. */
  readonly bytes: number;
  /** Whether a padding comes first: a byte with its length, then that many bytes. */
  readonly padded: boolean;
  /** Whether a whole pickle takes the place of the bytes. */
  readonly pickled: boolean;
}

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

/** Levels of record types within the type of one array. */
const MAX_FIELDS_DEPTH = 4;

/**
 * Returns the array data that follows an object that BUILD has just completed.
 *
 * @returns undefined if the object is not an array placeholder. If the length of its data cannot be
 * determined: `unknown` for a type that is not known, or `hidden` for a state that joblib never writes.
 */
export function rawArrayOf(
  value: PickleValue,
  textOf: TextOf,
): RawArray | "unknown" | "hidden" | undefined {
  if (value.kind !== "call" || !isOf(WRAPPERS, value.callee, value.args)) return undefined;
  if (!hasPlainKeys(value.state, textOf)) return "hidden";
  const entry = (key: string) => dictEntry(value.state, key, textOf);
  const alignment = entry("numpy_array_alignment_bytes") ?? NONE;
  if (alignment !== NONE && alignment.kind !== "integer") return "hidden";
  const count = elementsOf(entry("shape"));
  if (count === undefined) return "hidden";
  const type = elementTypeOf(entry("dtype"), textOf, MAX_FIELDS_DEPTH);
  if (type === undefined) return "unknown";
  const bytes = count * type.size;
  if (!Number.isSafeInteger(bytes)) return "unknown";
  return { bytes, padded: alignment.kind === "integer", pickled: type.objects };
}

/** Attributes of a placeholder. Any other could replace one of its methods. */
const ATTRIBUTES: ReadonlySet<string> = new Set(
  "subclass shape order dtype allow_mmap numpy_array_alignment_bytes".split(" "),
);

/** Whether all keys of a state are attributes of a placeholder, written without escapes. */
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
  const path = importPath(callee);
  if (path === undefined) return false;
  if (classes.has(path)) return true;
  const first = args[0];
  return path.startsWith("copyreg.") && first !== undefined && isOf(classes, first, []);
}

/**
 * Returns the file from which an object of joblib before 0.10 loads an array when BUILD has completed
 * it. joblib unpickles the file if it is a pickle.
 *
 * @returns undefined if the object is not such an object, or "" if the file name cannot be determined.
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

/** The signal of a call after which array data may end elsewhere. */
export const ALIASED_ARRAY = {
  name: "Pickle Structure",
  severity: "warning",
  ruleCode: "S902",
  message: "Calls return objects that determine where array data ends",
  why: "Instructions can be hidden in what looks like array data",
} as const;

/** Ordinary functions that return an argument or a part of one, or write through to it. */
const RETURNS_ARGUMENT =
  /^builtins\.(?:max|min|sum)$|^collections\.ChainMap$|^torch\.jit\._pickle\./;

/**
 * Whether a call may return an object that has another name already. Changes under that name are not
 * seen, and the length of an array depends on changes to its type and its placeholder.
 */
export function mayReturnAlias(
  callee: PickleValue,
  args: readonly PickleValue[],
  textOf: TextOf,
): boolean {
  const path = importPath(callee);
  if (path === undefined) return false;
  if (RETURNS_ARGUMENT.test(path)) return true;
  if (path === "numpy.dtype") return args[0]?.kind === "call";
  if (path.endsWith("core.multiarray.scalar")) return mayHoldObjects(args[0], textOf);
  return path.startsWith("copyreg.") && args.some((value) => importPath(value) === "numpy.dtype");
}

function mayHoldObjects(dtype: PickleValue | undefined, textOf: TextOf): boolean {
  const code = dtype?.kind === "call" && dtype.args[0] ? textOf(dtype.args[0]) : undefined;
  return code === undefined || code.includes("O");
}

/** The number of elements of an array; undefined if its shape is not a tuple of integers. */
export function elementsOf(shape: PickleValue | undefined): number | undefined {
  if (shape?.kind !== "tuple" || shape.omitted > 0) return undefined;
  let count = 1;
  for (const length of shape.items) {
    if (length.kind !== "integer" || length.value < 0) return undefined;
    count *= Number(length.value);
  }
  return count;
}

interface ElementType {
  /** Bytes of one element. */
  readonly size: number;
  readonly objects: boolean;
}

/** Returns the type that `numpy.dtype("f8", False, True)` and its state make, if it is known. */
function elementTypeOf(
  dtype: PickleValue | undefined,
  textOf: TextOf,
  levels: number,
): ElementType | undefined {
  if (dtype?.kind !== "call" || importPath(dtype.callee) !== "numpy.dtype") return undefined;
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

/** Whether the state of a type of variable size gives the same size as its code. */
function keepsSize(state: PickleValue | undefined, size: number): boolean {
  if (state === undefined) return true;
  const stated = state.kind === "tuple" ? state.items[5] : undefined;
  return stated?.kind === "integer" && Number(stated.value) === size;
}

/** Whether the flags or a field of a type's state say that its elements contain objects. */
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
