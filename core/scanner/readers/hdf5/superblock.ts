import type { ByteSource } from "../../contract/source.ts";
import { startsWithBytes } from "../bytes/bytes.ts";
import { Hdf5Bytes, Hdf5Error } from "./cursor.ts";

const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];
const MIN_USER_BLOCK_BYTES = 512;

/** The offset of the HDF5 signature, which is 0, 512, 1024, 2048 and so on; undefined without one. */
export function findSignature(source: ByteSource): number | undefined {
  for (let at = 0; at < source.size; at = at === 0 ? MIN_USER_BLOCK_BYTES : at * 2) {
    if (startsWithBytes(source.read(at, SIGNATURE.length), SIGNATURE)) return at;
  }
  return undefined;
}

/** An HDF5 file and the address of the object header of its root group. */
export interface Hdf5File {
  readonly bytes: Hdf5Bytes;
  readonly root: number;
}

/**
 * Reads the superblock, of version 0 to 3, whose signature is at `base`.
 *
 * @throws {Hdf5Error} when it is malformed.
 */
export function readSuperblock(source: ByteSource, base: number): Hdf5File {
  const [version = 0] = source.read(base + 8, 1);
  if (version > 3) throw new Hdf5Error(`Superblock of version ${version}`);
  const sizesAt = version <= 1 ? 13 : 9;
  const [offset = 0, length = 0] = source.read(base + sizesAt, 2);
  const bytes = new Hdf5Bytes(source, base, { offset, length });
  const cursor = bytes.at([24, 28, 12, 12][version] ?? 0);
  // Versions 0 and 1: the base, free space, end and driver addresses, and the root group's link name.
  // Versions 2 and 3: the base, extension and end addresses.
  cursor.skip((version <= 1 ? 5 : 3) * offset);
  const root = cursor.offset();
  if (root === undefined) throw new Hdf5Error("No root group");
  return { bytes, root };
}
