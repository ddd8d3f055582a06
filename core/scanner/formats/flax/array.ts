import type { ByteSource } from "../../contract/source.ts";
import { MalformedError } from "../../readers/malformed.ts";
import { readMsgpack } from "../../readers/msgpack/read_msgpack.ts";

/** An array as Flax stores it: a list of shape, type and bytes. */
export interface FlaxArray {
  readonly type: string;
  readonly elements: bigint;
  /** What type and shape require; undefined if the type is unknown. */
  readonly expectedBytes: bigint | undefined;
  readonly bytes: number;
}

const TYPE = /^(?:u?int|float|complex|bfloat)(\d{1,3})$/;

/**
 * Reads the array in an extension. Its bytes are skipped.
 *
 * @throws {MalformedError} when it is not one.
 */
export function readArray(extension: ByteSource): FlaxArray {
  let elements = 1n;
  let type: string | undefined;
  let bytes: number | undefined;
  for (const value of readMsgpack(extension)) {
    if (value.kind === "number" && type === undefined) elements *= BigInt(dimension(value.value));
    else if (value.kind === "text") type ??= String(value.value);
    else if (value.kind === "bytes") bytes ??= value.length;
  }
  if (type === undefined || bytes === undefined) {
    throw new MalformedError("malformed_array", "it has no type or no bytes");
  }
  const size = bytesPerElement(type);
  const expectedBytes = size === undefined ? undefined : elements * BigInt(size);
  return { type, elements, expectedBytes, bytes };
}

function dimension(value: string | number | undefined): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new MalformedError("malformed_array", "a dimension is not a whole number");
}

/** The bytes of an element of a type of NumPy, such as `float32`. */
function bytesPerElement(type: string): number | undefined {
  if (type === "bool" || type.startsWith("float8_")) return 1;
  const bits = Number(TYPE.exec(type)?.[1]);
  return Number.isInteger(bits / 8) && bits > 0 ? bits / 8 : undefined;
}
