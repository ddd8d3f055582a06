import type { ByteSource } from "../../contract/source.ts";
import { Hdf5Bytes, Hdf5Error } from "./cursor.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a);
const FIRST_USER_BLOCK = 512;

/** Where the signature of HDF5 is: at 0, 512, 1024, 2048 and so on; undefined where it is not. */
export function findSignature(source: ByteSource): number | undefined {
  for (let at = 0; at < source.size; at = at === 0 ? FIRST_USER_BLOCK : at * 2) {
    const bytes = source.read(at, SIGNATURE.length);
    if (SIGNATURE.every((byte, index) => bytes[index] === byte)) return at;
  }
  return undefined;
}

/** A file with the address of the header of its root group. */
export interface Hdf5File {
  readonly bytes: Hdf5Bytes;
  readonly root: number;
}

/**
 * Reads the superblock, of version 0 to 3, behind the signature at `base`.
 *
 * @throws {Hdf5Error} where it is none.
 */
export function readSuperblock(source: ByteSource, base: number): Hdf5File {
  const [version = 0, , , , , sizeOfOffsets0 = 0, sizeOfLengths0 = 0] = source.read(base + 8, 7);
  if (version <= 1) {
    const bytes = withSizes(source, base, sizeOfOffsets0, sizeOfLengths0);
    const cursor = bytes.at(version === 0 ? 24 : 28);
    // The base, free space, the end and the driver; then the name of the entry of the root group.
    cursor.skip(5 * bytes.sizeOfOffsets);
    return { bytes, root: rootOf(cursor.offset()) };
  }
  if (version > 3) throw new Hdf5Error(`Superblock of version ${version}`);
  const [sizeOfOffsets = 0, sizeOfLengths = 0] = source.read(base + 9, 2);
  const bytes = withSizes(source, base, sizeOfOffsets, sizeOfLengths);
  const cursor = bytes.at(12);
  cursor.skip(3 * sizeOfOffsets);
  return { bytes, root: rootOf(cursor.offset()) };
}

function withSizes(source: ByteSource, base: number, offsets: number, lengths: number): Hdf5Bytes {
  if (![offsets, lengths].every((size) => [2, 4, 8].includes(size))) {
    throw new Hdf5Error(`Offsets of ${offsets} bytes, lengths of ${lengths}`);
  }
  return new Hdf5Bytes(source, base, offsets, lengths);
}

function rootOf(address: number | undefined): number {
  if (address === undefined) throw new Hdf5Error("No root group");
  return address;
}
