import { readAhead } from "../bytes/read_ahead.ts";
import type { ByteSource } from "../../contract/source.ts";

/** Content that HDF5 would refuse, where reading it ends. */
export class Hdf5Error extends Error {
  override readonly name = "Hdf5Error";
}

/** More reading than any honest file needs, where it ends too. */
export class Hdf5LimitError extends Hdf5Error {}

/** Reads of one file, each 1024 bytes of one counted as one more. */
const MAX_READS = 5_000_000;

/** Reads the numbers of an HDF5 file; addresses count from its signature. */
export class Hdf5Bytes {
  readonly #source: ByteSource;
  readonly #base: number;
  readonly #sizeOfOffsets: number;
  readonly #sizeOfLengths: number;
  #readsLeft = MAX_READS;

  constructor(source: ByteSource, base: number, sizeOfOffsets: number, sizeOfLengths: number) {
    this.#source = readAhead(source);
    this.#base = base;
    this.#sizeOfOffsets = sizeOfOffsets;
    this.#sizeOfLengths = sizeOfLengths;
  }

  /** A cursor at an address. */
  at(address: number): Hdf5Cursor {
    return new Hdf5Cursor(this, address);
  }

  get sizeOfOffsets(): number {
    return this.#sizeOfOffsets;
  }

  get sizeOfLengths(): number {
    return this.#sizeOfLengths;
  }

  /** Where an address is in the source. */
  positionOf(address: number): number {
    return this.#base + address;
  }

  /**
   * @throws {Hdf5Error} where there are not so many bytes at the address.
   * @throws {Hdf5LimitError} where all objects together have taken too much reading: they may share what
   * they consist of, so that the size of the file is no bound.
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

/** A place in an HDF5 file that reading moves on. */
export class Hdf5Cursor {
  readonly #bytes: Hdf5Bytes;
  address: number;

  constructor(bytes: Hdf5Bytes, address: number) {
    this.#bytes = bytes;
    this.address = address;
  }

  /** @throws {Hdf5Error} where a signature is not there. */
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

  skip(length: number): void {
    this.address += length;
  }

  /** A number of 1, 2, 4 or 8 bytes. */
  number(length: number): number {
    const value = this.#bigNumber(length);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Hdf5Error(`Too large: ${value}`);
    return Number(value);
  }

  /** An address; undefined where all its bits are set, which says that there is nothing. */
  offset(): number | undefined {
    const { sizeOfOffsets } = this.#bytes;
    const value = this.#bigNumber(sizeOfOffsets);
    if (value === 2n ** BigInt(8 * sizeOfOffsets) - 1n) return undefined;
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Hdf5Error(`Too large: ${value}`);
    return Number(value);
  }

  length(): number {
    return this.number(this.#bytes.sizeOfLengths);
  }

  #bigNumber(length: number): bigint {
    return this.take(length).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }
}
