import { type Hdf5Bytes, Hdf5Error } from "./cursor.ts";
import { readHeapObject } from "./heap.ts";
import type { HeaderMessage } from "./object_header.ts";

/** Classes of datatype messages (HDF5 file format, IV.A.2.d). */
const STRING = 3;
const VARIABLE_LENGTH = 9;

/** An attribute message of version 1 to 3, of whose values only single strings can be read. */
export class Hdf5Attribute {
  readonly name: string;
  /** Whether its datatype is stored elsewhere in the file, so that its value cannot be read. */
  readonly hasSharedType: boolean;
  readonly #bytes: Hdf5Bytes;
  readonly #typeAddress: number;
  readonly #spaceAddress: number;
  readonly #valueAddress: number;

  /** @throws {Hdf5Error} when the message is malformed. */
  constructor(bytes: Hdf5Bytes, { address }: HeaderMessage) {
    const cursor = bytes.at(address);
    const version = cursor.number(1);
    if (version < 1 || version > 3) throw new Hdf5Error(`Attribute of version ${version}`);
    const flags = cursor.number(1);
    const sizes = [cursor.number(2), cursor.number(2), cursor.number(2)] as const;
    if (version === 3) cursor.skip(1);
    const start = cursor.address;
    // Version 1 pads each part to a multiple of eight bytes.
    const [name, type, space] = sizes.map((size) => version === 1 ? (size + 7) & ~7 : size);
    this.name = cursor.nullTerminated(sizes[0]);
    this.hasSharedType = version > 1 && (flags & 1) !== 0;
    this.#bytes = bytes;
    this.#typeAddress = start + (name ?? 0);
    this.#spaceAddress = this.#typeAddress + (type ?? 0);
    this.#valueAddress = this.#spaceAddress + (space ?? 0);
  }

  /**
   * The first `limit` bytes of the value. Returns undefined unless the value is a single string.
   *
   * @throws {Hdf5Error} when the value is outside of the file.
   */
  readText(limit: number): Uint8Array | undefined {
    const type = this.#bytes.at(this.#typeAddress);
    const typeClass = type.number(1) & 0x0f;
    const [flags = 0] = type.take(3);
    const size = type.number(4);
    if (!this.#isSingle()) return undefined;
    const value = this.#bytes.at(this.#valueAddress);
    if (typeClass === STRING) return value.take(Math.min(size, limit));
    if (typeClass !== VARIABLE_LENGTH || (flags & 0x0f) !== 1) return undefined;
    const length = value.number(4);
    const collection = value.offset();
    const index = value.number(4);
    if (collection === undefined || length === 0) return undefined;
    return readHeapObject(this.#bytes, { collection, index }, Math.min(length, limit));
  }

  /** Whether the dataspace is a scalar or has one element. */
  #isSingle(): boolean {
    const cursor = this.#bytes.at(this.#spaceAddress);
    const version = cursor.number(1);
    const rank = cursor.number(1);
    cursor.skip(version === 1 ? 6 : 2);
    for (let dimension = 0; dimension < rank; dimension++) {
      if (cursor.length() !== 1) return false;
    }
    return true;
  }
}
