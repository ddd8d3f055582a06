import type { Hdf5Bytes } from "./cursor.ts";
import type { HeaderMessage } from "./object_header.ts";

/** Layout classes (HDF5 file format, IV.A.2.i). */
const COMPACT = 0;
const CONTIGUOUS = 1;
const VIRTUAL = 3;

/** Data of a dataset that is in one piece. */
export interface StoredData {
  readonly address: number;
  readonly bytes: number;
}

/**
 * Where a layout message says that the data is. Returns undefined for data in chunks, or none.
 *
 * @param elementBytes The size of an element, which the first two versions count in.
 * @throws {Hdf5Error} when the message is malformed.
 */
export function storedData(
  bytes: Hdf5Bytes,
  { address }: HeaderMessage,
  elementBytes: number,
): StoredData | undefined {
  const cursor = bytes.at(address);
  const version = cursor.number(1);
  if (version < 3) {
    const rank = cursor.number(1);
    const layout = cursor.number(1);
    cursor.skip(5);
    if (layout !== COMPACT && layout !== CONTIGUOUS) return undefined;
    const data = layout === CONTIGUOUS ? cursor.offset() : undefined;
    // Some count the bytes of an element as a dimension. To read what follows the data does no harm.
    let size = elementBytes;
    for (let dimension = 0; dimension < rank; dimension++) size *= cursor.number(4);
    if (layout === COMPACT) return { bytes: cursor.number(4), address: cursor.address };
    if (data === undefined) return undefined;
    return { address: data, bytes: Math.min(size, Math.max(0, bytes.size - data)) };
  }
  switch (cursor.number(1)) {
    case COMPACT:
      return { bytes: cursor.number(2), address: cursor.address };
    case CONTIGUOUS: {
      const data = cursor.offset();
      return data === undefined ? undefined : { address: data, bytes: cursor.length() };
    }
    default:
      return undefined;
  }
}

/**
 * Whether a layout message says that the data is in other datasets.
 *
 * @throws {Hdf5Error} when it ends too early.
 */
export function isVirtual(bytes: Hdf5Bytes, { address }: HeaderMessage): boolean {
  const cursor = bytes.at(address);
  return cursor.number(1) >= 3 && cursor.number(1) === VIRTUAL;
}
