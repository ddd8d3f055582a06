import type { Literal } from "./literal.ts";

/** The type of the elements of an array. */
export interface Dtype {
  /** Bytes of an element; undefined where the type is not known. */
  readonly itemSize: bigint | undefined;
  /** Whether elements, or parts of them, are Python objects, which are kept as a pickle. */
  readonly hasObject: boolean;
}

/** Bytes of types that are named by a word or a single letter. */
const NAMED: ReadonlyMap<string, bigint> = new Map([
  ...named(1n, "? b B bool bool_ int8 uint8 byte ubyte c"),
  ...named(2n, "h H e int16 uint16 float16 short ushort half bfloat16"),
  ...named(4n, "i I f int32 uint32 float32 intc uintc single"),
  ...named(8n, "l L q Q d F p P M m int64 uint64 float64 int uint float double complex64"),
  ...named(16n, "D g complex128 complex longdouble float128"),
  ...named(32n, "G complex256 clongdouble"),
  ...named(0n, "S U V str bytes void"),
]);

/** Letters of types whose size follows them, with the bytes that the size counts. */
const SIZED: ReadonlyMap<string, bigint> = new Map([
  ...["b", "i", "u", "f", "c", "V", "S", "a", "M", "m"].map((x): [string, bigint] => [x, 1n]),
  ["U", 4n],
]);

const DESCRIPTION = /^[<>=|]?([A-Za-z?])([0-9]{0,10})(?:\[[0-9A-Za-z/]{1,20}\])?$/;

/** Fields of a structured type, and dimensions of one field. */
const FIELDS = 10_000;

/** The type that a header describes by a text, by a list of fields, or by a type and its shape. */
export function dtypeOf(description: Literal): Dtype {
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

/** The product of the dimensions of a shape; undefined where it is none or overflows 63 bits. */
export function elementsOf(shape: Literal): bigint | undefined {
  const dimensions = shape.kind === "tuple" || shape.kind === "list" ? shape.items : [shape];
  let elements = 1n;
  let zero = false;
  for (const dimension of dimensions) {
    if (dimension.kind !== "integer" || dimension.value < 0n) return undefined;
    if (dimension.value === 0n) zero = true;
    else elements *= dimension.value;
    if (elements >= 2n ** 63n) return undefined;
  }
  return zero ? 0n : elements;
}

function simpleType(text: string): Dtype {
  const [, letter, size] = DESCRIPTION.exec(text) ?? [];
  const bare = text.replace(/^[<>=|]/, "");
  const unit = size === undefined || size === "" ? undefined : SIZED.get(letter ?? "");
  const dated = (letter === "M" || letter === "m") && (size === "" || size === "8");
  const itemSize = dated ? 8n : unit === undefined ? NAMED.get(bare) : unit * BigInt(size ?? 0);
  return { itemSize, hasObject: itemSize === undefined && mayBeObject(text) };
}

function structuredType(fields: readonly Literal[]): Dtype {
  if (fields.length > FIELDS) return { itemSize: undefined, hasObject: true };
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
  return shape === undefined ? dtypeOf(description) : repeated(dtypeOf(description), shape);
}

function subarrayType(items: readonly Literal[]): Dtype {
  const [description, shape] = items;
  if (description === undefined || shape === undefined) {
    return unknownType({ kind: "tuple", items });
  }
  return repeated(dtypeOf(description), shape);
}

/** A type that is not understood may well be of objects, which NumPy lets be spelled in many ways. */
function unknownType(description: Literal): Dtype {
  return { itemSize: undefined, hasObject: textsOf(description).some(mayBeObject) };
}

function mayBeObject(text: string): boolean {
  return /O|object/.test(text);
}

function textsOf(literal: Literal): readonly string[] {
  switch (literal.kind) {
    case "text":
      return [literal.text];
    case "list":
    case "tuple":
      return literal.items.flatMap(textsOf);
    case "dict":
      return literal.entries.flatMap((entry) => entry.flatMap(textsOf));
    case "integer":
    case "word":
      return [];
  }
}

function repeated({ itemSize, hasObject }: Dtype, shape: Literal): Dtype {
  const elements = elementsOf(shape);
  const known = itemSize !== undefined && elements !== undefined;
  return { itemSize: known ? itemSize * elements : undefined, hasObject };
}

function named(size: bigint, names: string): [string, bigint][] {
  return names.split(" ").map((name) => [name, size]);
}
