import { type Hdf5Bytes, type Hdf5Cursor, Hdf5Error } from "./cursor.ts";
import { readHeapObject } from "./heap.ts";
import type { HeaderMessage } from "./object_header.ts";

/** An attribute, of which only a value that is one text is of interest. */
export interface Hdf5Attribute {
  readonly name: string;
  /** Whether its type stands elsewhere in the file, so that its value cannot be read. */
  readonly hasSharedType: boolean;
  /**
   * Reads the text, no more than `limit` bytes of it; undefined where the value is something else.
   *
   * @throws {Hdf5Error} where it lies outside of the file.
   */
  readText(limit: number): Uint8Array | undefined;
}

const STRING = 3;
const VARIABLE_LENGTH = 9;

/**
 * Reads an attribute message of version 1 to 3.
 *
 * @throws {Hdf5Error} where it is none.
 */
export function readAttribute(bytes: Hdf5Bytes, { address }: HeaderMessage): Hdf5Attribute {
  const cursor = bytes.at(address);
  const version = cursor.number(1);
  if (version < 1 || version > 3) throw new Hdf5Error(`Attribute of version ${version}`);
  const flags = cursor.number(1);
  const sizes = [cursor.number(2), cursor.number(2), cursor.number(2)] as const;
  if (version === 3) cursor.skip(1);
  const start = cursor.address;
  // The first version fills each part up to a multiple of eight.
  const [name, type, space] = sizes.map((size) => version === 1 ? (size + 7) & ~7 : size);
  const typeAt = start + (name ?? 0);
  const spaceAt = typeAt + (type ?? 0);
  const valueAt = spaceAt + (space ?? 0);
  return {
    name: cursor.text(sizes[0]).replace(/\0[^]*$/, ""),
    hasSharedType: version > 1 && (flags & 1) !== 0,
    readText: (limit) => readText(bytes, { typeAt, spaceAt, valueAt }, limit),
  };
}

interface Places {
  readonly typeAt: number;
  readonly spaceAt: number;
  readonly valueAt: number;
}

function readText(bytes: Hdf5Bytes, places: Places, limit: number): Uint8Array | undefined {
  const type = bytes.at(places.typeAt);
  const typeClass = type.number(1) & 0x0f;
  const [flags = 0] = type.take(3);
  const size = type.number(4);
  if (!isOne(bytes.at(places.spaceAt))) return undefined;
  const value = bytes.at(places.valueAt);
  if (typeClass === STRING) return value.take(Math.min(size, limit));
  if (typeClass !== VARIABLE_LENGTH || (flags & 0x0f) !== 1) return undefined;
  const length = value.number(4);
  const heap = value.offset();
  const index = value.number(4);
  if (heap === undefined || length === 0) return undefined;
  return readHeapObject(bytes, heap, index, Math.min(length, limit));
}

/** Whether a dataspace is that of one value: a scalar, or one element. */
function isOne(cursor: Hdf5Cursor): boolean {
  const version = cursor.number(1);
  const rank = cursor.number(1);
  cursor.skip(version === 1 ? 6 : 2);
  for (let dimension = 0; dimension < rank; dimension++) {
    if (cursor.length() !== 1) return false;
  }
  return true;
}
