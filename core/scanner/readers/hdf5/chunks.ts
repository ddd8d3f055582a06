import type { ByteSource } from "../../contract/source.ts";
import { type Hdf5Bytes, type Hdf5Cursor, Hdf5Error } from "./cursor.ts";
import type { HeaderMessage } from "./object_header.ts";

/** A filter that changed the chunks of a dataset (HDF5 file format, IV.A.2.l). */
export interface Hdf5Filter {
  readonly id: number;
  /** The first of its parameters: of the shuffle filter, the size of an element. */
  readonly parameter: number;
}

/** A chunk of a dataset, as it is stored. */
export interface Hdf5Chunk {
  readonly source: ByteSource;
  /** A bit for each filter that did not change this chunk. */
  readonly skipped: number;
  /** How many bytes it has without filters, as the layout states it. It may be wrong. */
  readonly statedBytes: number;
  /** Which element of the dataset is its first one, by dimension; left out if the index does not say so. */
  readonly start?: () => readonly number[];
}

/** How a layout has the data of a dataset in chunks. */
export interface ChunkedLayout {
  /** The elements of a chunk, by dimension, and at last the bytes of an element. */
  readonly shape: readonly number[];
  /** Reads the chunks in the order of their index, which is that of data of one dimension. Null if it is not read. */
  readonly chunks: (() => Iterable<Hdf5Chunk>) | null;
}

/** Layout class (IV.A.2.i), and what finds the chunks from version 4 on (VII). */
const CHUNKED = 2;
const SINGLE_CHUNK = 1;
const FIXED_ARRAY = 3;
/** The flag of a layout whose only chunk is filtered. */
const FILTERED_CHUNK = 2;
const MAX_CHUNKS = 100_000;

/**
 * The filters of a message, in the order in which they were applied.
 *
 * @throws {Hdf5Error} when the message is malformed.
 */
export function filtersOf(bytes: Hdf5Bytes, { address }: HeaderMessage): Hdf5Filter[] {
  const cursor = bytes.at(address);
  const version = cursor.number(1);
  const count = cursor.number(1);
  if (version === 1) cursor.skip(6);
  return Array.from({ length: count }, () => {
    const id = cursor.number(2);
    // In version 2, filters of the library itself have no name.
    const nameBytes = version === 1 || id >= 256 ? cursor.number(2) : 0;
    cursor.skip(2);
    const parameters = cursor.number(2);
    cursor.skip(version === 1 ? Math.ceil(nameBytes / 8) * 8 : nameBytes);
    const parameter = parameters > 0 ? bytes.at(cursor.address).number(4) : 0;
    cursor.skip(4 * (version === 1 ? parameters + parameters % 2 : parameters));
    return { id, parameter };
  });
}

/**
 * What a layout message says of chunks. Returns undefined for a layout without chunks.
 *
 * @throws {Hdf5Error} when it is malformed, also while the chunks are read.
 */
export function chunkedLayout(
  bytes: Hdf5Bytes,
  { address }: HeaderMessage,
): ChunkedLayout | undefined {
  const cursor = bytes.at(address);
  const version = cursor.number(1);
  if (version < 3) {
    const rank = cursor.number(1);
    if (cursor.number(1) !== CHUNKED) return undefined;
    cursor.skip(5);
    return treeOf(bytes, cursor, rank);
  }
  if (cursor.number(1) !== CHUNKED) return undefined;
  if (version === 3) return treeOf(bytes, cursor, cursor.number(1));
  const flags = cursor.number(1);
  const rank = cursor.number(1);
  const width = cursor.number(1);
  const shape = Array.from({ length: rank }, () => cursor.number(width));
  const size = productOf(shape);
  switch (cursor.number(1)) {
    case SINGLE_CHUNK: {
      const isFiltered = (flags & FILTERED_CHUNK) !== 0;
      const stored = isFiltered ? cursor.length() : size;
      const skipped = isFiltered ? cursor.number(4) : 0;
      const chunk = cursor.offset();
      const start = () => shape.map(() => 0);
      return {
        shape,
        chunks: () =>
          chunk === undefined
            ? []
            : [{ source: bytes.slice(chunk, stored), skipped, statedBytes: size, start }],
      };
    }
    case FIXED_ARRAY:
      cursor.skip(1);
      return { shape, chunks: arrayChunks(bytes, cursor.offset(), size) };
    default:
      return { shape, chunks: null };
  }
}

function productOf(numbers: readonly number[]): number {
  return numbers.reduce((product, it) => product * it, 1);
}

/** The chunks in the B-tree whose address comes next, before the lengths of a chunk and of an element. */
function treeOf(bytes: Hdf5Bytes, cursor: Hdf5Cursor, rank: number): ChunkedLayout {
  const root = cursor.offset();
  const shape = Array.from({ length: rank }, () => cursor.number(4));
  const statedBytes = productOf(shape);
  return { shape, chunks: () => treeChunks(bytes, root, { dimensions: rank, statedBytes }) };
}

/** The chunks in a B-tree of the first version (III.A.1), in its order. */
function* treeChunks(
  bytes: Hdf5Bytes,
  root: number | undefined,
  { dimensions, statedBytes }: { readonly dimensions: number; readonly statedBytes: number },
): Generator<Hdf5Chunk, void, void> {
  const left = [root];
  for (let nodes = 0; left.length > 0; nodes++) {
    if (nodes > MAX_CHUNKS) throw new Hdf5Error("Too many nodes in a tree of chunks");
    const node = left.pop();
    if (node === undefined) continue;
    const cursor = bytes.at(node);
    cursor.expect("TREE");
    cursor.skip(1);
    const level = cursor.number(1);
    const entries = cursor.number(2);
    cursor.skip(2 * bytes.sizes.offset);
    const children: (number | undefined)[] = [];
    for (let entry = 0; entry < entries; entry++) {
      const stored = cursor.number(4);
      const skipped = cursor.number(4);
      const start = cursor.address;
      cursor.skip(8 * dimensions);
      const child = cursor.offset();
      if (level > 0) children.push(child);
      else if (child !== undefined) {
        yield {
          source: bytes.slice(child, stored),
          skipped,
          statedBytes,
          start: () => numbersAt(bytes, start, dimensions),
        };
      }
    }
    left.push(...children.reverse());
  }
}

function numbersAt(bytes: Hdf5Bytes, address: number, count: number): number[] {
  const cursor = bytes.at(address);
  return Array.from({ length: count }, () => cursor.number(8));
}

/** What reads the chunks in a fixed array (VII.C). Returns null if it has pages. */
function arrayChunks(
  bytes: Hdf5Bytes,
  header: number | undefined,
  chunkBytes: number,
): (() => Iterable<Hdf5Chunk>) | null {
  if (header === undefined) return () => [];
  const cursor = bytes.at(header);
  cursor.expect("FAHD");
  cursor.skip(1);
  const areFiltered = cursor.number(1) === 1;
  const entryBytes = cursor.number(1);
  const pageBits = cursor.number(1);
  const entries = cursor.length();
  const block = cursor.offset();
  if (block === undefined) return () => [];
  if (entries > Math.min(2 ** pageBits, MAX_CHUNKS)) return null;
  return () => entriesOf(bytes, block, { entries, entryBytes, areFiltered, chunkBytes });
}

/** A number of up to 8 bytes. Sizes of chunks have as many as the largest needs. */
function littleEndian(bytes: Uint8Array): number {
  return bytes.reduceRight((value, byte) => value * 256 + byte, 0);
}

function* entriesOf(
  bytes: Hdf5Bytes,
  block: number,
  array: {
    readonly entries: number;
    readonly entryBytes: number;
    readonly areFiltered: boolean;
    readonly chunkBytes: number;
  },
): Generator<Hdf5Chunk, void, void> {
  const cursor = bytes.at(block);
  cursor.expect("FADB");
  cursor.skip(2 + bytes.sizes.offset);
  for (let entry = 0; entry < array.entries; entry++) {
    const chunk = cursor.offset();
    const sizeBytes = array.entryBytes - bytes.sizes.offset - 4;
    const stored = array.areFiltered ? littleEndian(cursor.take(sizeBytes)) : array.chunkBytes;
    const skipped = array.areFiltered ? cursor.number(4) : 0;
    if (chunk === undefined) continue;
    yield { source: bytes.slice(chunk, stored), skipped, statedBytes: array.chunkBytes };
  }
}
