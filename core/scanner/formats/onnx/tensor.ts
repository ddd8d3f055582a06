import type { ProtobufReader, ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";

/** A TensorProto without its values. */
export interface Tensor {
  readonly name: string;
  /** The dimensions that count, in order. */
  readonly shape: readonly number[];
  /** Product of the dimensions; undefined if one of them is negative. */
  readonly elements: bigint | undefined;
  readonly dataType: number;
  /** Whether it is a segment of a larger tensor, so its size differs from its shape. */
  readonly segment: boolean;
  /** Declared size of `raw_data`; undefined without it. */
  readonly rawBytes: number | undefined;
  /** Where its elements are, if they are in one piece. */
  readonly elementsAt: ProtobufSpan | undefined;
  readonly external: boolean;
  /** The first 100 entries of `external_data`: location, offset, length, checksum. */
  readonly externalData: readonly (readonly [key: string, value: string])[];
  /** Whether `external_data` has more entries. No known writer produces them. */
  readonly moreExternalData: boolean;
}

const MAX_NAME_BYTES = 1024;
/** More dimensions are not kept. */
const MAX_SHAPE = 65;
/** The fields that may have the elements: those of numbers, and `raw_data`. */
const ELEMENTS: ReadonlySet<number> = new Set([4, 5, 7, 9, 10, 11]);
/** Longer than any path that systems allow. */
const MAX_VALUE_BYTES = 8192;
const MAX_EXTERNAL_ENTRIES = 100;
/** The product of the dimensions saturates here, above the size of any file. */
const MAX_ELEMENTS = 1n << 70n;

/** Reads a TensorProto. Its values are skipped by their length. */
export function readTensor(reader: ProtobufReader, message: ProtobufSpan): Tensor {
  const externalData: [string, string][] = [];
  const found = { name: "", dataType: 0, segment: false, external: false, moreExternalData: false };
  let elements: bigint | undefined = 1n;
  let rawBytes: number | undefined;
  const shape: number[] = [];
  let elementsAt: ProtobufSpan | undefined;
  let pieces = 0;
  for (const field of reader.fields(message)) {
    if (ELEMENTS.has(field.number)) {
      pieces++;
      elementsAt = pieces === 1 && field.kind === "bytes" ? field.span : undefined;
    }
    if (field.number === 1) {
      for (const dim of reader.integers(field)) {
        elements = multiply(elements, BigInt.asIntN(64, dim));
        if (shape.length < MAX_SHAPE) shape.push(Number(BigInt.asIntN(64, dim)));
      }
    } else if (field.kind === "varint") {
      if (field.number === 2) found.dataType = Number(field.value);
      if (field.number === 14) found.external = field.value === 1n;
    } else if (field.kind === "bytes") {
      const { span } = field;
      if (field.number === 3) found.segment = true;
      if (field.number === 8) found.name = reader.text(span, MAX_NAME_BYTES);
      if (field.number === 9) rawBytes = field.size;
      if (field.number === 13) {
        if (externalData.length === MAX_EXTERNAL_ENTRIES) found.moreExternalData = true;
        else externalData.push(readEntry(reader, span));
      }
    }
  }
  return { ...found, shape, elements, rawBytes, elementsAt, externalData };
}

function multiply(elements: bigint | undefined, dim: bigint): bigint | undefined {
  if (elements === undefined || dim < 0n) return undefined;
  const product = elements * dim;
  return product > MAX_ELEMENTS ? MAX_ELEMENTS : product;
}

/** Reads a StringStringEntryProto. */
function readEntry(reader: ProtobufReader, message: ProtobufSpan): [key: string, value: string] {
  let key = "";
  let value = "";
  for (const field of reader.fields(message)) {
    if (field.kind !== "bytes") continue;
    if (field.number === 1) key = reader.text(field.span, MAX_VALUE_BYTES);
    if (field.number === 2) value = reader.text(field.span, MAX_VALUE_BYTES);
  }
  return [key, value];
}

interface DataType {
  readonly name: string;
  readonly bits: bigint;
}

/** TensorProto.DataType by number. */
const DATA_TYPES: ReadonlyMap<number, DataType> = new Map(
  ([
    [1, "float32", 32],
    [2, "uint8", 8],
    [3, "int8", 8],
    [4, "uint16", 16],
    [5, "int16", 16],
    [6, "int32", 32],
    [7, "int64", 64],
    [9, "bool", 8],
    [10, "float16", 16],
    [11, "float64", 64],
    [12, "uint32", 32],
    [13, "uint64", 64],
    [14, "complex64", 64],
    [15, "complex128", 128],
    [16, "bfloat16", 16],
    [17, "float8e4m3fn", 8],
    [18, "float8e4m3fnuz", 8],
    [19, "float8e5m2", 8],
    [20, "float8e5m2fnuz", 8],
    [21, "uint4", 4],
    [22, "int4", 4],
    [23, "float4e2m1", 4],
    [24, "float8e8m0", 8],
    [25, "uint2", 2],
    [26, "int2", 2],
  ] as const).map(([number, name, bits]) => [number, { name, bits: BigInt(bits) }]),
);

/** The name of an element type, such as `float32`; undefined if it is unknown. */
export function dataTypeName(dataType: number): string | undefined {
  return DATA_TYPES.get(dataType)?.name;
}

/** Bytes of all elements; undefined if the type has no fixed size or the shape is invalid. */
export function byteSizeOf({ elements, dataType }: Tensor): bigint | undefined {
  const type = DATA_TYPES.get(dataType);
  return type && elements !== undefined ? (elements * type.bits + 7n) / 8n : undefined;
}
