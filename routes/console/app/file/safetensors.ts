import {
  HeaderError,
  MAX_ROWS,
  type ModelHeader,
  type Pair,
  shortened,
  tensorRow,
} from "../preview/header.ts";
import { type FilePrefix, MAX_PREFIX_BYTES } from "../preview/prefix.ts";

/** Bytes of the length of the header, which precedes it. */
const LENGTH_BYTES = 8;
const METADATA = "__metadata__";

/** Whether a file looks like safetensors: the length of a header that fits, and an object in JSON. */
export function isSafetensors(head: Uint8Array<ArrayBuffer>, size: number): boolean {
  const length = headerLength(head);
  return length !== undefined && length >= 2n && length <= BigInt(size - LENGTH_BYTES) &&
    head[LENGTH_BYTES] === "{".charCodeAt(0);
}

/**
 * Reads the header of a safetensors file.
 *
 * @throws {HeaderError} when it is too long or malformed.
 * @throws {ApiError}
 */
export async function readSafetensors(prefix: FilePrefix): Promise<ModelHeader> {
  const length = Number(headerLength(await prefix.upTo(LENGTH_BYTES)) ?? 0n);
  if (LENGTH_BYTES + length > MAX_PREFIX_BYTES) {
    throw new HeaderError(`The header has ${length} bytes, too many to show`);
  }
  const bytes = await prefix.upTo(LENGTH_BYTES + length);
  return headerOf(new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length)));
}

/** The header of a safetensors file, by its text. @throws {HeaderError} */
export function headerOf(text: string): ModelHeader {
  const entries = Object.entries(parsed(text));
  const metadata: Pair[] = [];
  const tensors = [];
  for (const [name, value] of entries.slice(0, MAX_ROWS)) {
    if (name === METADATA) metadata.push(...pairsOf(value));
    else tensors.push(tensorOf(name, value));
  }
  const isCut = entries.length > MAX_ROWS;
  return {
    tensors,
    metadata,
    ...(isCut && { remark: `Only the first ${MAX_ROWS} of ${entries.length} tensors are shown` }),
  };
}

function tensorOf(name: string, value: unknown) {
  const { dtype, shape, data_offsets: offsets }: {
    dtype?: unknown;
    shape?: unknown;
    data_offsets?: unknown;
  } = isObject(value) ? value : {};
  const isShape = Array.isArray(shape) &&
    shape.every((length) => Number.isSafeInteger(length) && length >= 0);
  if (typeof dtype !== "string" || !isShape) {
    throw new HeaderError(`The tensor “${shortened(name)}” has no type or no shape`);
  }
  return tensorRow({ name, type: dtype, shape: shape.map(BigInt), bytes: lengthOf(offsets) });
}

/** How much lies between two offsets, if that is what they are. */
function lengthOf(offsets: unknown): number | undefined {
  if (!Array.isArray(offsets)) return undefined;
  const length = Number(offsets[1]) - Number(offsets[0]);
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined;
}

/** The keys and values of an object, as a table. */
function pairsOf(value: unknown): Pair[] {
  if (!isObject(value)) return [];
  return Object.entries(value).slice(0, MAX_ROWS).map(([key, it]) => ({
    key: shortened(key),
    value: shortened(typeof it === "string" ? it : JSON.stringify(it) ?? ""),
  }));
}

function parsed(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HeaderError("The header is not JSON");
  }
  if (!isObject(value)) throw new HeaderError("The header is not an object in JSON");
  return value;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function headerLength(head: Uint8Array<ArrayBuffer>): bigint | undefined {
  if (head.length < LENGTH_BYTES) return undefined;
  return new DataView(head.buffer).getBigUint64(0, true);
}
