import type { Reach } from "./reach.ts";
import { type Call, importPath, NONE, type PickleValue, type TextOf } from "./values.ts";

/** The flags of a type whose elements are references: counted, pickled as a list, pointers. */
const REFERENCES = 1 | 2 | 4;
/** What a type with objects has at least: without these, NumPy neither clears nor counts them. */
const OBJECT_FLAGS = 1 | 2 | 8 | 16;
/** From this version of the state on, NumPy takes the flags from it. */
const FLAGS_VERSION = 3;

/** Levels of types within the type of one array. */
const MAX_DEPTH = 8;

/** Makes the type of texts of any length, which has no flags in a pickle. */
const STRING_TYPE = /^numpy\._?core\._internal\._convert_to_stringdtype_kwargs$/;

/** What is known of a type of elements: undefined sizes are those of classes. */
interface Layout {
  readonly size: number | undefined;
  readonly objects: boolean;
}

/**
 * Returns in what the state of `numpy.dtype` is not true, or undefined if it is. NumPy believes it: with
 * wrong flags, numbers of the file become addresses of objects; with fields outside of the element, or
 * over an object, memory is read and written that belongs to others.
 */
export function dtypeLie(
  target: Call,
  state: PickleValue,
  { textOf, reach }: { readonly textOf: TextOf; readonly reach: Reach },
): string | undefined {
  if (importPath(target.callee) !== "numpy.dtype") return "maker";
  const code = codeOf(target.args[0], textOf);
  if (code?.kind === OTHER) return "maker";
  if (state.kind !== "tuple" || state.omitted > 0) return "state";
  if (code?.kind === TIME && state.items.length < TIME_ITEMS) return "unit of time";
  const [version, , base = NONE, names = NONE, fields = NONE, elementSize, , flags] = state.items;
  const size = integerOf(elementSize);
  if (size === undefined || (state.items.length > 7 && integerOf(flags) === undefined)) {
    return "state";
  }
  // Only the size of texts and records is taken from the state, and only records have fields.
  if (isFlexible(code) ? size < 0 : base !== NONE || fields !== NONE) return "size";
  if (fields.kind === "dict" && !reach.spend(fields.items.length)) return "fields";
  if (!areNamed(fields, names, textOf)) return "names of fields";
  const parts = [
    ...base === NONE ? [] : partOfBase(base, size, textOf),
    ...fields === NONE ? [] : partsOfFields(fields, textOf),
  ];
  if (parts.includes(LIE)) return "fields";
  if (parts.some(({ from, to }) => from < 0 || to > size)) return "fields outside of the element";
  if (overlaps(parts)) return "fields that overlap an object";
  const objects = code?.kind === "O" || parts.some(({ objects }) => objects);
  if ((integerOf(version) ?? FLAGS_VERSION) < FLAGS_VERSION) return undefined;
  const stated = integerOf(flags) ?? 0;
  const isTrue = objects ? (stated & OBJECT_FLAGS) === OBJECT_FLAGS : (stated & REFERENCES) === 0;
  return isTrue ? undefined : "flags";
}

interface Part {
  readonly from: number;
  readonly to: number;
  readonly objects: boolean;
}

const LIE: Part = { from: 0, to: 0, objects: false };

/** Make bytes of constants, as pickles of old protocols have them. */
const BYTES_MAKERS: ReadonlySet<string> = new Set(["_codecs.encode", "builtins.bytes"]);

/**
 * Returns in what the state of an array is not true, or undefined if it is. NumPy takes as many objects from
 * its list as the shape says, without a look at the length of the list.
 */
export function arrayLie(state: PickleValue, textOf: TextOf): string | undefined {
  if (state.kind === "call" || state.kind === "unknown") return "state";
  if (state.kind !== "tuple") return undefined;
  // Old states have no version before the shape.
  const [shape, dtype, , data] = state.items.length === 4 ? state.items : state.items.slice(1);
  if (data?.kind === "list") {
    const length = data.items.length + data.omitted;
    return shape?.kind === "tuple" && length >= countOf(shape) ? undefined : "length";
  }
  if (data?.kind !== "call" && data?.kind !== "unknown") return undefined;
  const isBytes = data.kind === "call" && BYTES_MAKERS.has(importPath(data.callee) ?? "");
  return isBytes || layoutOf(dtype, textOf, MAX_DEPTH)?.objects === false ? undefined : "list";
}

/** The number of elements of a shape; NaN if it is not written down. */
function countOf(shape: PickleValue | undefined): number {
  return shape?.kind === "tuple"
    ? shape.items.reduce((product, length) => product * (integerOf(length) ?? NaN), 1)
    : integerOf(shape) ?? NaN;
}

/** An element that is an array, by its type and shape: a lie if these do not have its size. */
function partOfBase(base: PickleValue, size: number, textOf: TextOf): Part[] {
  if (base.kind !== "tuple") return [LIE];
  const [type, shape] = base.items;
  const layout = layoutOf(type, textOf, MAX_DEPTH);
  const count = countOf(shape);
  if (layout === undefined || Number.isNaN(count)) return [LIE];
  if (layout.size !== undefined && layout.size * count !== size) return [LIE];
  return [{ from: 0, to: size, objects: layout.objects }];
}

/** Whether the fields are those that are named. One may have a title, too, under which it is a second time. */
function areNamed(fields: PickleValue, names: PickleValue, textOf: TextOf): boolean {
  if (fields.kind !== "dict") return names === NONE;
  if (names.kind !== "tuple" || names.omitted > 0) return false;
  const found = new Set<string | undefined>();
  for (let i = 0; i < fields.items.length; i += 2) {
    const name = textOf(fields.items[i] ?? NONE);
    const field = fields.items[i + 1];
    const title = field?.kind === "tuple" ? field.items[2] : undefined;
    if (name === undefined) return false;
    if (title === undefined || textOf(title) !== name) found.add(name);
  }
  const named = new Set(names.items.map(textOf));
  return named.size === names.items.length && named.symmetricDifference(found).size === 0;
}

function partsOfFields(fields: PickleValue, textOf: TextOf): Part[] {
  if (fields.kind !== "dict" || fields.omitted > 0) return [LIE];
  return fields.items.filter((_, i) => i % 2 === 1).map((field) => {
    if (field.kind !== "tuple") return LIE;
    const layout = layoutOf(field.items[0], textOf, MAX_DEPTH);
    const from = integerOf(field.items[1]);
    if (layout === undefined || from === undefined) return LIE;
    return { from, to: from + (layout.size ?? 0), objects: layout.objects };
  });
}

/** Whether an object shares its place with another field. A title names a field a second time. */
function overlaps(parts: readonly Part[]): boolean {
  const sorted = parts.toSorted((a, b) => a.from - b.from || a.to - b.to);
  let last: Part | undefined;
  for (const part of sorted) {
    const isSame = last !== undefined && part.from === last.from && part.to === last.to &&
      part.objects === last.objects;
    const shares = last !== undefined && part.from < last.to && !isSame;
    if (shares && (part.objects || last?.objects === true)) return true;
    if (last === undefined || part.to >= last.to) last = part;
  }
  return false;
}

function layoutOf(
  dtype: PickleValue | undefined,
  textOf: TextOf,
  levels: number,
): Layout | undefined {
  if (dtype?.kind !== "call" || levels === 0) return undefined;
  const maker = importPath(dtype.callee) ?? "";
  if (STRING_TYPE.test(maker)) return { size: undefined, objects: false };
  if (maker !== "numpy.dtype") return undefined;
  const code = codeOf(dtype.args[0], textOf);
  if (code?.kind === OTHER) return undefined;
  const state = dtype.state?.kind === "tuple" ? dtype.state.items : [];
  const stated = integerOf(state[5]) ?? -1;
  const flags = integerOf(state[7]) ?? 0;
  return {
    size: isFlexible(code) && stated >= 0 ? stated : code?.size,
    // A lie of this state has been found when it was set.
    objects: code?.kind === "O" || (flags & REFERENCES) !== 0,
  };
}

/** Classes of records, and of numbers that other packages define. Of any other class, the elements are objects. */
const ELEMENT_CLASS = /^(?:numpy(?:\.rec|\._?core\.records)?\.record|numpy\.void|ml_dtypes\.\w+)$/;

/** Whether a value is a class that names a type of elements which are no objects. */
export function isElementClass(value: PickleValue): boolean {
  return ELEMENT_CLASS.test(importPath(value) ?? "");
}

/** Types of times, whose state has their unit, and texts that name several types, or none that is known. */
const TIME = "time";
const OTHER = "other";

/** Items of the state of a type of times: NumPy reads the last one without a check. */
const TIME_ITEMS = 9;

/** Sizes of types that are named by one letter, at most: some differ between machines. */
const LETTER_BYTES: Readonly<Record<string, number>> = {
  ...{ "?": 1, b: 1, B: 1, c: 1, h: 2, H: 2, e: 2, i: 4, I: 4, f: 4, F: 8, d: 8, l: 8, L: 8 },
  ...{ q: 8, Q: 8, p: 8, P: 8, n: 8, N: 8, D: 16, g: 16, G: 32 },
};

/** Whether the state says how large a type is: one of texts or records. */
function isFlexible(code: Code | undefined): boolean {
  return code === undefined || /^[VUSa]$/.test(code.kind);
}

interface Code {
  /** A letter, a word for numbers, or one of the kinds above. */
  readonly kind: string;
  readonly size: number | undefined;
}

/** The code of a type of elements; undefined for a class of records and for what no code is known of. */
function codeOf(value: PickleValue | undefined, textOf: TextOf): Code | undefined {
  if (value?.kind === "import") {
    if (!isElementClass(value)) return { kind: "O", size: 8 };
    return importPath(value)?.startsWith("ml_dtypes.") ? { kind: "number", size: 2 } : undefined;
  }
  const code = value === undefined ? undefined : textOf(value);
  if (code === undefined) return undefined;
  if (/^[<>|=]?(?:O[48]?|object(?:_|0)?)$/.test(code)) return { kind: "O", size: 8 };
  if (/^[<>|=]?(?:[Mm]8?|(?:datetime|timedelta)64)(?:\[[\w/]+\])?$/.test(code)) {
    return { kind: TIME, size: 8 };
  }
  const [, name, bits = ""] = /^(bool|u?int|float|complex)(\d{0,3})$/.exec(code) ?? [];
  if (name !== undefined) {
    return { kind: "number", size: name === "bool" ? 1 : Math.ceil(Number(bits || "128") / 8) };
  }
  const [, kind, digits = ""] = /^[<>|=]?([a-zA-Z?])(\d{0,9})$/.exec(code) ?? [];
  if (kind === undefined) return { kind: OTHER, size: undefined };
  if (digits === "") return { kind, size: LETTER_BYTES[kind] ?? 0 };
  return { kind, size: Number(digits) * (kind === "U" ? 4 : 1) };
}

function integerOf(value: PickleValue | undefined): number | undefined {
  return value?.kind === "integer" ? Number(value.value) : undefined;
}
