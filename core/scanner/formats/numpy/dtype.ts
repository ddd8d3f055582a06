import type { Literal } from "./literal.ts";

/** The element type of an array. */
export interface Dtype {
  /** Bytes per element; undefined if the type is unknown. */
  readonly itemSize: bigint | undefined;
  /** Whether elements contain Python objects, which NumPy stores as a pickle. */
  readonly hasObject: boolean;
}

/** Bytes of types named by a word or a single letter. */
const NAMED: ReadonlyMap<string, bigint> = new Map([
  ...sized(1n, "? b B bool bool_ int8 uint8 byte ubyte c"),
  ...sized(2n, "h H e int16 uint16 float16 short ushort half bfloat16"),
  ...sized(4n, "i I f int32 uint32 float32 intc uintc single"),
  ...sized(8n, "l L q Q d F p P M m int64 uint64 float64 int uint float double complex64"),
  ...sized(16n, "D g complex128 complex longdouble float128"),
  ...sized(32n, "G complex256 clongdouble"),
  ...sized(0n, "S U V str bytes void"),
]);

/** Type letters that a size follows, with the bytes of its unit. */
const SIZED: ReadonlyMap<string, bigint> = new Map([
  ...["b", "i", "u", "f", "c", "V", "S", "a", "M", "m"].map((x): [string, bigint] => [x, 1n]),
  ["U", 4n],
]);

const DESCRIPTION = /^[<>=|]?([A-Za-z?])([0-9]{0,10})(?:\[[0-9A-Za-z/]{1,20}\])?$/;

/** Fields of one structured type. */
const MAX_FIELDS = 10_000;

/** Parses a type description: a string, a list of fields, or a pair of type and shape. */
export function parseDtype(description: Literal): Dtype {
  switch (description.kind) {
    case "text":
      return simpleType(description.text);
    case "list":
      return structuredType(description.items);
    case "tuple":
      return subarrayType(description.items);
    default:
      return unknownType(description);
  }
}

/** What NumPy calls types that a size follows, by their letters, and the bits of a unit of the size. */
const NAMES: ReadonlyMap<string, readonly [name: string, bits: number]> = new Map([
  ["i", ["int", 8]],
  ["u", ["uint", 8]],
  ["f", ["float", 8]],
  ["c", ["complex", 8]],
  ["S", ["bytes", 8]],
  ["a", ["bytes", 8]],
  ["U", ["str", 32]],
  ["V", ["void", 8]],
]);

/** What NumPy calls a type, such as `float32` for `<f4`; undefined for types that have no such name. */
export function typeName(description: Literal): string | undefined {
  if (description.kind !== "text") {
    const { itemSize } = parseDtype(description);
    return itemSize === undefined ? undefined : `void${8n * itemSize}`;
  }
  const [, letter = "", size = "", unit = ""] =
    /^[<>=|]?([a-zA-Z])(\d{0,10})(\[[^\]]{0,20}\])?$/.exec(description.text) ?? [];
  if (letter === "b" && size === "1") return "bool";
  if (letter === "O") return "object";
  if (letter === "M" || letter === "m") {
    return `${letter === "M" ? "datetime" : "timedelta"}64${unit}`;
  }
  const [name, bits = 0] = NAMES.get(letter) ?? [];
  return name === undefined ? undefined : `${name}${bits * Number(size)}`;
}

/** The number of elements of a shape; undefined if it is invalid or overflows 63 bits. */
export function countElements(shape: Literal): bigint | undefined {
  const dimensions = shape.kind === "tuple" || shape.kind === "list" ? shape.items : [shape];
  let elements = 1n;
  let isEmpty = false;
  for (const dimension of dimensions) {
    if (dimension.kind !== "integer" || dimension.value < 0n) return undefined;
    if (dimension.value === 0n) isEmpty = true;
    else elements *= dimension.value;
    if (elements >= 2n ** 63n) return undefined;
  }
  return isEmpty ? 0n : elements;
}

function simpleType(text: string): Dtype {
  const [, letter, size] = DESCRIPTION.exec(text) ?? [];
  const bare = text.replace(/^[<>=|]/, "");
  const unit = size === undefined || size === "" ? undefined : SIZED.get(letter ?? "");
  const isTime = (letter === "M" || letter === "m") && (size === "" || size === "8");
  const itemSize = isTime ? 8n : unit === undefined ? NAMED.get(bare) : unit * BigInt(size ?? 0);
  return { itemSize, hasObject: itemSize === undefined && mayBeObject(text) };
}

function structuredType(fields: readonly Literal[]): Dtype {
  if (fields.length > MAX_FIELDS) return { itemSize: undefined, hasObject: true };
  const types = fields.map(fieldType);
  const known = types.every(({ itemSize }) => itemSize !== undefined);
  return {
    itemSize: known ? types.reduce((sum, { itemSize }) => sum + (itemSize ?? 0n), 0n) : undefined,
    hasObject: types.some(({ hasObject }) => hasObject),
  };
}

function fieldType(field: Literal): Dtype {
  if (field.kind !== "tuple") return unknownType(field);
  const [, description, shape] = field.items;
  if (description === undefined) return unknownType(field);
  return shape === undefined ? parseDtype(description) : subarray(parseDtype(description), shape);
}

function subarrayType(items: readonly Literal[]): Dtype {
  const [description, shape] = items;
  if (description === undefined || shape === undefined) {
    return unknownType({ kind: "tuple", items });
  }
  return subarray(parseDtype(description), shape);
}

/** An unknown type may still contain objects: NumPy accepts many spellings of them. */
function unknownType(description: Literal): Dtype {
  return { itemSize: undefined, hasObject: stringsOf(description).some(mayBeObject) };
}

function mayBeObject(text: string): boolean {
  return /O|object/.test(text);
}

function stringsOf(literal: Literal): readonly string[] {
  switch (literal.kind) {
    case "text":
      return [literal.text];
    case "list":
    case "tuple":
      return literal.items.flatMap(stringsOf);
    case "dict":
      return literal.entries.flatMap((entry) => entry.flatMap(stringsOf));
    case "integer":
    case "word":
      return [];
  }
}

function subarray({ itemSize, hasObject }: Dtype, shape: Literal): Dtype {
  const elements = countElements(shape);
  const known = itemSize !== undefined && elements !== undefined;
  return { itemSize: known ? itemSize * elements : undefined, hasObject };
}

function sized(size: bigint, names: string): [string, bigint][] {
  return names.split(" ").map((name) => [name, size]);
}
