import { type ByteSource, memorySource } from "../../contract/source.ts";
import { type Hdf5Bytes, Hdf5Error } from "./cursor.ts";
import { readHeapObject } from "./heap.ts";
import { type HeaderMessage, sharedMessage } from "./object_header.ts";

/** The type of datatype messages (HDF5 file format, IV.A.2). */
export const DATATYPE = 0x03;
/** Their classes (IV.A.2.d). */
const INTEGER = 0;
const FLOAT = 1;
const TIME = 2;
const STRING = 3;
const BIT_FIELD = 4;
const OPAQUE = 5;
const COMPOUND = 6;
const REFERENCE = 7;
const ENUMERATION = 8;
const VARIABLE_LENGTH = 9;

/** The kind of a datatype of variable length whose values are text. */
const TEXT = 1;

/** The flag of numbers whose first byte is the most significant one. */
const BIG_ENDIAN = 1;

/** The flag of integers with a sign. */
const SIGNED = 8;

/** The flag of attributes whose datatype is stored elsewhere. */
const SHARED_TYPE = 1;

/** The type of a dataspace without elements (IV.A.2.b). */
const NULL_SPACE = 2;

/**
 * The size of the elements of a datatype whose values a program may take for bytes as they are: strings of a
 * fixed length, opaque bytes, numbers of one byte, and all that consists of others. Returns undefined for larger
 * numbers, for references, and for values that are elsewhere.
 *
 * @throws {Hdf5Error} when the datatype is outside of the file.
 */
export function byteElementSize(bytes: Hdf5Bytes, address: number): number | undefined {
  const type = bytes.at(address);
  const typeClass = type.number(1) & 0x0f;
  type.skip(3);
  const size = type.number(4);
  switch (typeClass) {
    case INTEGER:
    case BIT_FIELD:
      return size === 1 ? size : undefined;
    case FLOAT:
    case TIME:
    case REFERENCE:
    case VARIABLE_LENGTH:
      return undefined;
    default:
      return size;
  }
}

/**
 * Whether the values of a datatype are records of others.
 *
 * @throws {Hdf5Error} when the datatype is outside of the file.
 */
export function areRecords(bytes: Hdf5Bytes, address: number): boolean {
  return (bytes.at(address).number(1) & 0x0f) === COMPOUND;
}

/**
 * Whether the values of a datatype are elsewhere, in the global heap, and are no text: sequences.
 *
 * @throws {Hdf5Error} when the datatype is outside of the file.
 */
export function areSequences(bytes: Hdf5Bytes, address: number): boolean {
  const [head = 0, flags = 0] = bytes.at(address).take(2);
  return (head & 0x0f) === VARIABLE_LENGTH && (flags & 0x0f) !== TEXT;
}

/** A type of numbers. */
export interface NumberType {
  /** Such as `float32`. */
  readonly name: string;
  /** Of one number. */
  readonly bytes: number;
}

/**
 * The type of the elements of a datatype message, or undefined if they are no numbers.
 *
 * @throws {Hdf5Error} when the datatype is outside of the file.
 */
export function numberType(bytes: Hdf5Bytes, address: number): NumberType | undefined {
  const type = bytes.at(address);
  const typeClass = type.number(1) & 0x0f;
  type.skip(3);
  const size = type.number(4);
  if (typeClass === FLOAT) return { name: `float${8 * size}`, bytes: size };
  if (typeClass === BIT_FIELD) return { name: `uint${8 * size}`, bytes: size };
  // The type of the values follows.
  if (typeClass === ENUMERATION) return integerType(bytes, address + 8);
  return integerType(bytes, address);
}

/** The type of the elements of a dataset. */
export interface ElementType {
  readonly name: string;
  /** Of one element. */
  readonly bytes: number;
  /** Whether the values may be elsewhere in the file, so that the elements do not say what they are. */
  readonly isElsewhere: boolean;
}

const NAMES: ReadonlyMap<number, string> = new Map([
  [STRING, "string"],
  [OPAQUE, "opaque"],
  [VARIABLE_LENGTH, "variable length"],
  [REFERENCE, "reference"],
]);

/**
 * The type of the elements of a datatype message.
 *
 * @throws {Hdf5Error} when the datatype is outside of the file.
 */
export function typeOf(bytes: Hdf5Bytes, address: number): ElementType {
  const type = bytes.at(address);
  const typeClass = type.number(1) & 0x0f;
  const flags = type.number(1);
  type.skip(2);
  const size = type.number(4);
  const number = numberType(bytes, address);
  if (number !== undefined) {
    const order = (flags & BIG_ENDIAN) !== 0 && size > 1 && typeClass !== ENUMERATION
      ? ", big-endian"
      : "";
    return { name: `${number.name}${order}`, bytes: size, isElsewhere: false };
  }
  const isPlain = typeClass === STRING || typeClass === OPAQUE;
  return {
    name: `${NAMES.get(typeClass) ?? "record"} of ${size} bytes`,
    bytes: size,
    isElsewhere: !isPlain,
  };
}

/** The type of a datatype message of integers. */
function integerType(bytes: Hdf5Bytes, address: number): NumberType | undefined {
  const type = bytes.at(address);
  const typeClass = type.number(1) & 0x0f;
  const flags = type.number(1);
  type.skip(2);
  const size = type.number(4);
  if (typeClass !== INTEGER) return undefined;
  return { name: `${(flags & SIGNED) === 0 ? "uint" : "int"}${8 * size}`, bytes: size };
}

/**
 * The number of elements in a dataspace message: 1 for a scalar, 0 for a null dataspace.
 *
 * @throws {Hdf5Error} when the dataspace is outside of the file.
 */
export function elementsOf(bytes: Hdf5Bytes, address: number): number {
  return dimensionsOf(bytes, address)?.reduce((product, it) => product * it, 1) ?? 0;
}

/**
 * The dimensions in a dataspace message: none for a scalar; undefined for a null dataspace.
 *
 * @throws {Hdf5Error} when the dataspace is outside of the file.
 */
export function dimensionsOf(bytes: Hdf5Bytes, address: number): number[] | undefined {
  const cursor = bytes.at(address);
  const version = cursor.number(1);
  const rank = cursor.number(1);
  cursor.skip(1);
  const type = cursor.number(1);
  if (version === 2 && type === NULL_SPACE) return undefined;
  if (version === 1) cursor.skip(4);
  return Array.from({ length: rank }, () => cursor.length());
}

/** An attribute message of version 1 to 3, of whose values only strings and bytes can be read. */
export class Hdf5Attribute {
  readonly name: string;
  readonly #bytes: Hdf5Bytes;
  /** Undefined for a datatype that is in a heap. */
  readonly #typeAddress: number | undefined;
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
    this.#bytes = bytes;
    const typeAddress = start + (name ?? 0);
    const hasSharedType = version > 1 && (flags & SHARED_TYPE) !== 0;
    this.#typeAddress = hasSharedType
      ? sharedMessage(bytes, { type: DATATYPE, address: typeAddress })?.address
      : typeAddress;
    this.#spaceAddress = typeAddress + (type ?? 0);
    this.#valueAddress = this.#spaceAddress + (space ?? 0);
  }

  /** Whether its datatype was found. */
  get hasType(): boolean {
    return this.#typeAddress !== undefined;
  }

  /** Whether its value is elsewhere, and no text. */
  get isSequence(): boolean {
    return this.#typeAddress !== undefined && areSequences(this.#bytes, this.#typeAddress);
  }

  /**
   * The value if it may be taken for bytes ({@link byteElementSize}). At most `limit` bytes of one of variable
   * length are read. Returns undefined for any other value.
   *
   * @throws {Hdf5Error} when the value is outside of the file.
   */
  bytes(limit: number): ByteSource | undefined {
    if (this.#typeAddress === undefined) return undefined;
    const size = byteElementSize(this.#bytes, this.#typeAddress);
    if (size === undefined) return this.#variableLength(this.#typeAddress, limit);
    return this.#bytes.slice(
      this.#valueAddress,
      size * elementsOf(this.#bytes, this.#spaceAddress),
    );
  }

  /**
   * Whether the dataspace is a scalar or has one element.
   *
   * @throws {Hdf5Error} when the dataspace is outside of the file.
   */
  isSingle(): boolean {
    return elementsOf(this.#bytes, this.#spaceAddress) === 1;
  }

  #variableLength(type: number, limit: number): ByteSource | undefined {
    const [head = 0, flags = 0] = this.#bytes.at(type).take(2);
    if ((head & 0x0f) !== VARIABLE_LENGTH || !this.isSingle()) return undefined;
    const isText = (flags & 0x0f) === TEXT;
    // The datatype of the elements comes after the size of the value.
    const base = type + 8;
    if (!isText && byteElementSize(this.#bytes, base) !== 1) return undefined;
    const value = this.#bytes.at(this.#valueAddress);
    const length = value.number(4);
    const collection = value.offset();
    const index = value.number(4);
    if (collection === undefined || length === 0) return undefined;
    return memorySource(
      readHeapObject(this.#bytes, { collection, index }, Math.min(length, limit)),
    );
  }
}
