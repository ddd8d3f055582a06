import { GgufCursor, MoreNeeded } from "./gguf_cursor.ts";
import {
  HeaderError,
  MAX_ROWS,
  type ModelHeader,
  type Pair,
  shortened,
  type TensorRow,
  tensorRow,
} from "../preview/header.ts";
import { type FilePrefix, MAX_PREFIX_BYTES } from "../preview/prefix.ts";

/** Types of metadata values by their number, with the bytes of those of fixed size. */
const VALUE_TYPES: readonly (readonly [name: string, bytes: number])[] = [
  ["u8", 1],
  ["i8", 1],
  ["u16", 2],
  ["i16", 2],
  ["u32", 4],
  ["i32", 4],
  ["f32", 4],
  ["bool", 1],
  ["string", 0],
  ["array", 0],
  ["u64", 8],
  ["i64", 8],
  ["f64", 8],
];

/** Types of tensors by their number; the numbers that are missing are not used any more. */
const TENSOR_TYPES: ReadonlyMap<number, string> = new Map(
  ("0 F32,1 F16,2 Q4_0,3 Q4_1,6 Q5_0,7 Q5_1,8 Q8_0,9 Q8_1,10 Q2_K,11 Q3_K,12 Q4_K,13 Q5_K,14 Q6_K," +
    "15 Q8_K,16 IQ2_XXS,17 IQ2_XS,18 IQ3_XXS,19 IQ1_S,20 IQ4_NL,21 IQ3_S,22 IQ2_S,23 IQ4_XS,24 I8," +
    "25 I16,26 I32,27 I64,28 F64,29 IQ1_M,30 BF16,34 TQ1_0,35 TQ2_0,39 MXFP4,40 NVFP4,41 Q1_0")
    .split(",").map((row): [number, string] => {
      const [id = "", name = ""] = row.split(" ");
      return [Number(id), name];
    }),
);

/** Bytes of the first attempt. Headers with a vocabulary have several MiB. */
const FIRST_BYTES = 2 ** 19;
/** Strings and arrays in arrays. The vocabularies of published models have a tenth. */
const MAX_ELEMENTS = 4_000_000n;
const MAX_ARRAY_DEPTH = 4;
/** Where the data begins is a multiple of it, unless the metadata says otherwise. */
const ALIGNMENT = 32;
/** Dimensions of a tensor in the format. */
const MAX_DIMENSIONS = 4;

/** Whether a file begins as GGUF does. */
export function isGguf(head: Uint8Array): boolean {
  return String.fromCharCode(...head.subarray(0, 4)) === "GGUF";
}

/**
 * Reads the header of a GGUF file. Its length is not known before, so it is read again with twice as many
 * bytes until all of it is there.
 *
 * @throws {HeaderError} when it is too long or malformed.
 * @throws {ApiError}
 */
export async function readGguf(prefix: FilePrefix): Promise<ModelHeader> {
  for (let length = FIRST_BYTES;; length *= 2) {
    const bytes = await prefix.upTo(length);
    try {
      return headerOf(bytes, prefix.file.size);
    } catch (error) {
      if (!(error instanceof MoreNeeded)) throw error;
      if (bytes.length === prefix.file.size) throw new HeaderError("The header is cut off");
      if (bytes.length === MAX_PREFIX_BYTES) {
        throw new HeaderError("The header is too long to show");
      }
    }
  }
}

/**
 * The header of a GGUF file, by the first bytes.
 *
 * @param size Of the file, in bytes.
 * @throws {MoreNeeded} when it goes on after them.
 * @throws {HeaderError}
 */
function headerOf(bytes: Uint8Array<ArrayBuffer>, size: number): ModelHeader {
  const cursor = new GgufCursor(bytes);
  const tensorCount = rowsOf(cursor.count(), "tensors");
  const pairCount = rowsOf(cursor.count(), "pairs of metadata");
  const budget = { elements: MAX_ELEMENTS };
  const metadata: Pair[] = [];
  for (let index = 0; index < pairCount; index++) {
    const key = shortened(cursor.text());
    metadata.push({ key, value: shortened(valueOf(cursor, budget)) });
  }
  const tensors = Array.from({ length: tensorCount }, () => tensorOf(cursor));
  const end = Math.ceil(cursor.at / ALIGNMENT) * ALIGNMENT;
  return { tensors: withBytes(tensors, size - end), metadata };
}

interface Placed {
  readonly row: TensorRow;
  /** In the data after the header. */
  readonly offset: number;
}

/** The tensors with the bytes until the next one, padding included. */
function withBytes(tensors: readonly Placed[], dataBytes: number): TensorRow[] {
  const offsets = [...new Set(tensors.map(({ offset }) => offset)), dataBytes].sort((a, b) =>
    a - b
  );
  const next = new Map(offsets.map((offset, index) => [offset, offsets[index + 1]]));
  return tensors.map(({ row, offset }) => ({
    ...row,
    bytes: (next.get(offset) ?? offset) - offset,
  }));
}

function rowsOf(count: bigint, what: string): number {
  if (count > BigInt(MAX_ROWS)) throw new HeaderError(`The header has ${count} ${what}`);
  return Number(count);
}

function tensorOf(cursor: GgufCursor): Placed {
  const name = cursor.text();
  const dimensions = cursor.u32();
  if (dimensions > MAX_DIMENSIONS) throw new HeaderError(`A tensor has ${dimensions} dimensions`);
  const shape = Array.from({ length: dimensions }, () => cursor.count());
  const type = cursor.u32();
  const offset = Number(cursor.u64());
  return {
    row: tensorRow({ name, type: TENSOR_TYPES.get(type) ?? `type ${type}`, shape }),
    offset,
  };
}

function valueOf(cursor: GgufCursor, budget: { elements: bigint }): string {
  const [type] = typeOf(cursor);
  if (type === "string") return cursor.text();
  return type === "array" ? arrayOf(cursor, budget, 1) : String(cursor.number(type));
}

/** Passes an array. Only what it is an array of is shown. */
function arrayOf(cursor: GgufCursor, budget: { elements: bigint }, depth: number): string {
  if (depth > MAX_ARRAY_DEPTH) throw new HeaderError("Arrays are nested too deeply");
  const [type, bytes] = typeOf(cursor);
  const count = cursor.count();
  if (bytes > 0) cursor.skip(count * BigInt(bytes));
  else {
    if (count > budget.elements) throw new HeaderError(`An array has ${count} elements`);
    budget.elements -= count;
    for (let left = count; left > 0n; left--) {
      if (type === "string") cursor.skip(cursor.count());
      else arrayOf(cursor, budget, depth + 1);
    }
  }
  return `${count} × ${type}`;
}

function typeOf(cursor: GgufCursor): readonly [name: string, bytes: number] {
  const number = cursor.u32();
  const type = VALUE_TYPES[number];
  if (type === undefined) throw new HeaderError(`The type of value ${number} is unknown`);
  return type;
}
