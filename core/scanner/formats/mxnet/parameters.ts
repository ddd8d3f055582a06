import type { ByteSource } from "../../contract/source.ts";
import { readSafeUint64, viewOf } from "../../readers/bytes/bytes.ts";
import { NumberCursor } from "../../readers/bytes/number_cursor.ts";
import { MalformedError } from "../../readers/malformed.ts";

/** The list of arrays starts with this number, which takes 8 bytes. */
const LIST_MAGIC = 0x112;
const MAX_ARRAYS = 100_000;
const MAX_DIMENSIONS = 64;
const MAX_NAME_BYTES = 256;
/** Arrays of version 1, 2 and 3. In earlier ones, the number of dimensions is in this place. */
const ARRAY_V1 = 0xf993fac8;
const ARRAY_V2 = 0xf993fac9;
const ARRAY_V3 = 0xf993faca;

/** Names and bytes of element types, by number. */
const TYPES: readonly (readonly [string, number])[] = [
  ["float32", 4],
  ["float64", 8],
  ["float16", 2],
  ["uint8", 1],
  ["int32", 4],
  ["int8", 1],
  ["int64", 8],
  ["bool", 1],
  ["int16", 2],
  ["uint16", 2],
  ["uint32", 4],
  ["uint64", 8],
  ["bfloat16", 2],
];

export interface ParameterArray {
  readonly type: string;
  readonly elements: bigint;
}

/** Whether content is a list of arrays. */
export function isParameters(source: ByteSource): boolean {
  const head = source.read(0, 16);
  if (head.length < 16 || head[0] !== (LIST_MAGIC & 0xff) || head[1] !== LIST_MAGIC >> 8) {
    return false;
  }
  const view = viewOf(head);
  return readSafeUint64(view, 0) === LIST_MAGIC && readSafeUint64(view, 8) === 0;
}

/**
 * Reads a list of arrays and their names. Data is skipped.
 *
 * @throws {MalformedError} when the list is cut off, malformed or exceeds a limit.
 */
export function readParameters(
  source: ByteSource,
): { readonly arrays: readonly ParameterArray[]; readonly names: readonly string[] } {
  const cursor = new NumberCursor(source);
  cursor.skip(16);
  const arrays = Array.from({ length: countOf(cursor) }, () => readArray(cursor));
  const names = Array.from(
    { length: countOf(cursor) },
    () => cursor.text(cursor.u64(), MAX_NAME_BYTES),
  );
  if (cursor.bytesLeft > 0) {
    throw new MalformedError("trailing_data", `${cursor.bytesLeft} bytes follow the last name`);
  }
  return { arrays, names };
}

function countOf(cursor: NumberCursor): number {
  const count = cursor.u64();
  if (count <= Math.min(MAX_ARRAYS, cursor.bytesLeft)) return count;
  throw new MalformedError("array_limit", `${count} arrays are too many to read`, true);
}

function readArray(cursor: NumberCursor): ParameterArray {
  const magic = cursor.u32();
  const hasType = magic === ARRAY_V2 || magic === ARRAY_V3;
  if (hasType && cursor.i32() !== 0) {
    throw new MalformedError("sparse_array", "Sparse arrays are not read");
  }
  const dimensions = hasType || magic === ARRAY_V1 ? cursor.u32() : magic;
  if (dimensions > MAX_DIMENSIONS) {
    throw new MalformedError("malformed_array", `An array has ${dimensions} dimensions`);
  }
  let elements = 1n;
  const isLong = hasType || magic === ARRAY_V1;
  for (let index = 0; index < dimensions; index++) {
    elements *= BigInt(Math.max(0, isLong ? cursor.i64() : cursor.u32()));
  }
  // An array without dimensions has no data: MXNet does not store its device and type either.
  if (dimensions === 0 && magic !== ARRAY_V3) return { type: "float32", elements: 0n };
  cursor.skip(8);
  const number = cursor.i32();
  const type = TYPES[number];
  if (type === undefined) {
    throw new MalformedError("unknown_type", `An array has the unknown type ${number}`);
  }
  cursor.skip(Number(elements) * type[1]);
  return { type: type[0], elements };
}
