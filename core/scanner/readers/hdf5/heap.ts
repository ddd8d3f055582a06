import { Buffer } from "node:buffer";
import { MIB } from "../../../../schemas/units.ts";
import type { ByteSource } from "../../contract/source.ts";
import { type Hdf5Bytes, Hdf5Error, Hdf5LimitError } from "./cursor.ts";

/** Objects in one collection, whose indexes have 16 bits. */
const MAX_OBJECTS = 65_536;

/** The ID of an object in the global heap (HDF5 file format, III.E). */
export interface HeapId {
  /** The address of the collection. */
  readonly collection: number;
  readonly index: number;
}

/**
 * The first `limit` bytes of an object in the global heap.
 *
 * @throws {Hdf5Error} when the collection is malformed or does not contain the object.
 */
export function readHeapObject(
  bytes: Hdf5Bytes,
  { collection, index }: HeapId,
  limit: number,
): Uint8Array {
  const cursor = bytes.at(collection);
  cursor.expect("GCOL");
  cursor.skip(4);
  const end = collection + cursor.length();
  for (let objects = 0; objects < MAX_OBJECTS && cursor.address < end; objects++) {
    const found = cursor.number(2);
    cursor.skip(6);
    const size = cursor.length();
    if (found === index) return cursor.take(Math.min(size, limit));
    if (found === 0) break;
    cursor.skip(Math.ceil(size / 8) * 8);
  }
  throw new Hdf5Error(`No object ${index} in the heap at ${collection}`);
}

/** A value in the global heap. */
export interface HeapObject {
  /** Its offset in the source. */
  readonly position: number;
  readonly source: ByteSource;
}

const COLLECTION = "GCOL";
const COLLECTION_HEADER_BYTES = 8;
const SEARCHED_BYTES = MIB;

/**
 * Searches the bytes of a file for collections of the global heap, whose addresses are in the data of
 * datasets, and yields the objects in them. A malformed collection ends where it cannot be read.
 *
 * @throws {Hdf5LimitError} after too many reads.
 */
export function* globalHeapObjects(bytes: Hdf5Bytes): Generator<HeapObject, void, void> {
  const overlap = COLLECTION.length - 1;
  for (let start = 0; start < bytes.size; start += SEARCHED_BYTES) {
    const length = Math.min(SEARCHED_BYTES + overlap, bytes.size - start);
    const found = Buffer.from(bytes.read(start, length)).toString("latin1");
    for (let at = found.indexOf(COLLECTION); at >= 0; at = found.indexOf(COLLECTION, at + 1)) {
      yield* objectsIn(bytes, start + at);
    }
  }
}

function* objectsIn(bytes: Hdf5Bytes, collection: number): Generator<HeapObject, void, void> {
  const cursor = bytes.at(collection + COLLECTION_HEADER_BYTES);
  try {
    const end = collection + cursor.length();
    for (let objects = 0; objects < MAX_OBJECTS && cursor.address < end; objects++) {
      const index = cursor.number(2);
      cursor.skip(6);
      const size = cursor.length();
      if (index === 0) return;
      yield {
        position: bytes.positionOf(cursor.address),
        source: bytes.slice(cursor.address, size),
      };
      cursor.skip(Math.ceil(size / 8) * 8);
    }
  } catch (error) {
    if (!(error instanceof Hdf5Error) || error instanceof Hdf5LimitError) throw error;
    // These bytes are not a collection, or end early; there may be others.
  }
}

/** A name is read up to this length. */
export const MAX_NAME_BYTES = 4096;

/**
 * The name at `offset` in the local heap at the address `heap`.
 *
 * @throws {Hdf5Error} when the heap is malformed or does not contain the name.
 */
export function readLocalName(bytes: Hdf5Bytes, heap: number, offset: number): string {
  const cursor = bytes.at(heap);
  cursor.expect("HEAP");
  cursor.skip(4);
  const size = cursor.length();
  cursor.skip(bytes.sizes.length);
  const segment = cursor.offset();
  if (segment === undefined || offset >= size) throw new Hdf5Error("A name outside of its heap");
  return bytes.at(segment + offset).nullTerminated(Math.min(size - offset, MAX_NAME_BYTES));
}
