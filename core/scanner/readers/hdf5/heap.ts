import { type Hdf5Bytes, Hdf5Error } from "./cursor.ts";

/** Objects that are passed over in one collection, which has no more than 16 bits for them. */
const MAX_OBJECTS = 65_536;

/**
 * The bytes of an object in a collection of the global heap.
 *
 * @throws {Hdf5Error} where the collection does not have it.
 */
export function readHeapObject(
  bytes: Hdf5Bytes,
  collection: number,
  index: number,
  length: number,
): Uint8Array {
  const cursor = bytes.at(collection);
  cursor.expect("GCOL");
  cursor.skip(4);
  const end = collection + cursor.length();
  for (let objects = 0; objects < MAX_OBJECTS && cursor.address < end; objects++) {
    const found = cursor.number(2);
    cursor.skip(6);
    const size = cursor.length();
    if (found === index) return cursor.take(Math.min(size, length));
    if (found === 0) break;
    cursor.skip(Math.ceil(size / 8) * 8);
  }
  throw new Hdf5Error(`No object ${index} in the heap at ${collection}`);
}

const LONGEST_NAME = 4096;

/**
 * A name in a local heap, which ends with a zero.
 *
 * @throws {Hdf5Error} where it is no heap.
 */
export function readLocalName(bytes: Hdf5Bytes, heap: number, offset: number): string {
  const cursor = bytes.at(heap);
  cursor.expect("HEAP");
  cursor.skip(4);
  const size = cursor.length();
  cursor.skip(bytes.sizeOfLengths);
  const segment = cursor.offset();
  if (segment === undefined || offset >= size) throw new Hdf5Error("A name outside of its heap");
  const text = bytes.at(segment + offset).text(Math.min(size - offset, LONGEST_NAME));
  return text.replace(/\0[^]*$/, "");
}
