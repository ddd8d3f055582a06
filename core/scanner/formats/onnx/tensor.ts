import type { ProtobufReader, ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";

/** What is known of a TensorProto without its values. */
export interface Tensor {
  readonly name: string;
  /** Elements by its dimensions; undefined where one of them is negative. */
  readonly elements: bigint | undefined;
  readonly dataType: number;
  /** Whether it is a part of a larger tensor, which its own size says nothing of. */
  readonly segment: boolean;
  /** Bytes that `raw_data` says to have; undefined where there are none. */
  readonly rawBytes: number | undefined;
  readonly external: boolean;
  /** Entries of `external_data`: location, offset, length, checksum; the first hundred. */
  readonly externalData: readonly (readonly [key: string, value: string])[];
  /** Whether there are more of them, which no writer writes. */
  readonly moreExternalData: boolean;
}

const LONGEST_NAME = 1024;
/** Beyond the paths that systems allow. */
const LONGEST_VALUE = 8192;
const EXTERNAL_ENTRIES = 100;
/** More elements than any file has, where the product of dimensions is given up. */
const MOST_ELEMENTS = 1n << 70n;

/** Reads a TensorProto, whose values are passed over by their length. */
export function readTensor(reader: ProtobufReader, message: ProtobufSpan): Tensor {
  const externalData: [string, string][] = [];
  const found = { name: "", dataType: 0, segment: false, external: false, moreExternalData: false };
  let elements: bigint | undefined = 1n;
  let rawBytes: number | undefined;
  for (const field of reader.fields(message)) {
    if (field.number === 1) {
      for (const dim of reader.integers(field)) elements = times(elements, BigInt.asIntN(64, dim));
    } else if (field.kind === "varint") {
      if (field.number === 2) found.dataType = Number(field.value);
      if (field.number === 14) found.external = field.value === 1n;
    } else if (field.kind === "bytes") {
      const { span } = field;
      if (field.number === 3) found.segment = true;
      if (field.number === 8) found.name = reader.text(span, LONGEST_NAME);
      if (field.number === 9) rawBytes = field.size;
      if (field.number === 13) {
        if (externalData.length === EXTERNAL_ENTRIES) found.moreExternalData = true;
        else externalData.push(readEntry(reader, span));
      }
    }
  }
  return { ...found, elements, rawBytes, externalData };
}

function times(elements: bigint | undefined, dim: bigint): bigint | undefined {
  if (elements === undefined || dim < 0n) return undefined;
  const product = elements * dim;
  return product > MOST_ELEMENTS ? MOST_ELEMENTS : product;
}

/** A StringStringEntryProto. */
function readEntry(reader: ProtobufReader, message: ProtobufSpan): [key: string, value: string] {
  let key = "";
  let value = "";
  for (const field of reader.fields(message)) {
    if (field.kind !== "bytes") continue;
    if (field.number === 1) key = reader.text(field.span, LONGEST_VALUE);
    if (field.number === 2) value = reader.text(field.span, LONGEST_VALUE);
  }
  return [key, value];
}

interface DataType {
  readonly name: string;
  readonly bits: bigint;
}

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

/** The name of a type of elements, such as `float32`. */
export function dataTypeName(dataType: number): string | undefined {
  return DATA_TYPES.get(dataType)?.name;
}

/** Bytes that the elements of a tensor take; undefined where its type has no fixed size. */
export function bytesOf({ elements, dataType }: Tensor): bigint | undefined {
  const type = DATA_TYPES.get(dataType);
  return type && elements !== undefined ? (elements * type.bits + 7n) / 8n : undefined;
}
