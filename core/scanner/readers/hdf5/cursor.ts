import { readAhead } from "../bytes/read_ahead.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";

/** Thrown for content that the HDF5 library would reject. */
export class Hdf5Error extends Error {
  override readonly name = "Hdf5Error";
}

/** Thrown when a file needs more reads than any honest one. */
export class Hdf5LimitError extends Hdf5Error {}

/** Reads of one file. Each 1024 bytes of a read count as another one. */
const MAX_READS = 5_000_000;

/** The sizes of the variable-width numbers of a file, in bytes (HDF5 file format, II.A). */
export interface Hdf5Sizes {
  /** The size of an address: 2, 4 or 8. */
  readonly offset: number;
  /** The size of a length: 2, 4 or 8. */
  readonly length: number;
}

/** Reads the bytes of an HDF5 file by their addresses, which count from its signature. */
export class Hdf5Bytes {
  readonly #source: ByteSource;
  readonly #base: number;
  readonly sizes: Hdf5Sizes;
  #readsLeft = MAX_READS;

  /**
   * @param base The offset of the signature in the source.
   * @throws {Hdf5Error} when a size is not 2, 4 or 8.
   */
  constructor(source: ByteSource, base: number, sizes: Hdf5Sizes) {
    if (![sizes.offset, sizes.length].every((size) => [2, 4, 8].includes(size))) {
      throw new Hdf5Error(`Offsets of ${sizes.offset} bytes, lengths of ${sizes.length}`);
    }
    this.#source = readAhead(source);
    this.#base = base;
    this.sizes = sizes;
  }

  /** Bytes from the signature on. */
  get size(): number {
    return this.#source.size - this.#base;
  }

  /** A cursor at an address. */
  at(address: number): Hdf5Cursor {
    return new Hdf5Cursor(this, address);
  }

  /** The offset of an address in the source. */
  positionOf(address: number): number {
    return this.#base + address;
  }

  /**
   * The bytes from an address on, without reading them.
   *
   * @throws {Hdf5Error} when they are outside of the file.
   */
  slice(address: number, length: number): ByteSource {
    if (!(this.#base + address + length <= this.#source.size)) {
      throw new Hdf5Error(`No ${length} bytes at ${address}`);
    }
    return sourceSlice(this.#source, this.#base + address, length);
  }

  /**
   * @throws {Hdf5Error} when the bytes are outside of the file.
   * @throws {Hdf5LimitError} after too many reads. Objects can share their parts, so the size of the
   * file does not bound the reads.
   */
  read(address: number, length: number): Uint8Array {
    this.#readsLeft -= 1 + Math.floor(length / 1024);
    if (this.#readsLeft < 0) throw new Hdf5LimitError("Too many reads");
    if (this.#base + address + length > this.#source.size) {
      throw new Hdf5Error(`No ${length} bytes at ${address}`);
    }
    return this.#source.read(this.#base + address, length);
  }
}

/** Reads the fields of an HDF5 file one after the other. Each method throws as {@link Hdf5Bytes.read}. */
export class Hdf5Cursor {
  readonly #bytes: Hdf5Bytes;
  address: number;

  constructor(bytes: Hdf5Bytes, address: number) {
    this.#bytes = bytes;
    this.address = address;
  }

  /** @throws {Hdf5Error} when the signature does not come next. */
  expect(signature: string): void {
    if (this.text(signature.length) !== signature) {
      throw new Hdf5Error(`No ${signature} at ${this.address}`);
    }
  }

  take(length: number): Uint8Array {
    const bytes = this.#bytes.read(this.address, length);
    this.address += length;
    return bytes;
  }

  text(length: number): string {
    return new TextDecoder().decode(this.take(length));
  }

  /** Text of the given length that ends at its first zero byte, if it has one. */
  nullTerminated(length: number): string {
    return this.text(length).replace(/\0[^]*$/, "");
  }

  skip(length: number): void {
    this.address += length;
  }

  /**
   * Reads an unsigned number of 1, 2, 4 or 8 bytes.
   *
   * @throws {Hdf5Error} when it exceeds 2^53 - 1.
   */
  number(length: number): number {
    return safeNumber(this.#bigNumber(length));
  }

  /**
   * Reads an address. Returns undefined for the undefined address, whose bits are all set.
   *
   * @throws {Hdf5Error} when it exceeds 2^53 - 1.
   */
  offset(): number | undefined {
    const size = this.#bytes.sizes.offset;
    const value = this.#bigNumber(size);
    return value === 2n ** BigInt(8 * size) - 1n ? undefined : safeNumber(value);
  }

  /** Reads a length, as {@link Hdf5Cursor.number} does. */
  length(): number {
    return this.number(this.#bytes.sizes.length);
  }

  #bigNumber(length: number): bigint {
    return this.take(length).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }
}

function safeNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Hdf5Error(`Too large: ${value}`);
  return Number(value);
}
