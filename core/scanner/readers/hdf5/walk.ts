import type { ByteSource } from "../../contract/source.ts";
import { byteElementSize, elementsOf, Hdf5Attribute, numberType } from "./attribute.ts";
import { type Hdf5Bytes, Hdf5Error, Hdf5LimitError } from "./cursor.ts";
import { globalHeapObjects } from "./heap.ts";
import { externalDataFiles, readLink, symbolTableObjects } from "./links.ts";
import { type HeaderMessage, readMessages } from "./object_header.ts";
import type { Hdf5File } from "./superblock.ts";
import { MIB } from "../../../../schemas/units.ts";

/** Why part of a file was not read. */
export type Hdf5Fault =
  | "malformed_hdf5"
  | "hdf5_dense_attributes"
  | "hdf5_dense_links"
  | "hdf5_shared_message"
  | "hdf5_object_limit"
  | "hdf5_read_limit"
  | "hdf5_text_limit";

/** A reference to another file. */
export interface ExternalReference {
  readonly kind: "link" | "storage" | "virtual dataset";
  /** The file name; undefined for a virtual dataset, which stores it elsewhere. */
  readonly file: string | undefined;
  readonly position: number;
}

/** What {@link walkHdf5} found in a file. */
export interface Hdf5Contents {
  /** The texts of the requested attributes, by name. The first attribute of a name wins. */
  readonly texts: ReadonlyMap<string, Uint8Array>;
  readonly external: readonly ExternalReference[];
  /** Each fault, with the position where it first occurred. */
  readonly faults: ReadonlyMap<Hdf5Fault, number>;
  /** The number of objects. */
  readonly objects: number;
}

/** Bytes in a file that a program may take for serialized objects: an attribute or a dataset. */
export interface Hdf5Bytestring {
  /** The name of the attribute; of a dataset, its offset in the source. */
  readonly name: string;
  readonly source: ByteSource;
  /** Of an attribute, the offset of its description. */
  readonly position: number;
}

/** What to read besides the structure of a file. */
export interface Hdf5Wanted {
  /** The names of the attributes whose texts are kept. */
  readonly attributes: ReadonlySet<string>;
  /** Receives every value that consists of bytes. */
  onBytes(value: Hdf5Bytestring): void;
  /** Receives the type, the number of elements and their bytes of every dataset of numbers. */
  onNumbers?(type: string, elements: number, bytes: number): void;
}

const MAX_OBJECTS = 200_000;
const MAX_EXTERNAL_REFERENCES = 1000;
const MAX_TEXT_BYTES = 64 * MIB;

/** Message types (HDF5 file format, IV.A.2). */
const DATASPACE = 0x01;
const LINK_INFO = 0x02;
const DATATYPE = 0x03;
const LINK = 0x06;
const EXTERNAL_FILES = 0x07;
const LAYOUT = 0x08;
const ATTRIBUTE = 0x0c;
const SYMBOL_TABLE = 0x11;
const ATTRIBUTE_INFO = 0x15;
/** Layout classes (IV.A.2.i). */
const COMPACT = 0;
const CONTIGUOUS = 1;
const VIRTUAL = 3;
/** The value of the attribute `CLASS` by which PyTables marks arrays that may hold pickled objects. */
const PICKLED_ARRAY = "VLARRAY";

/**
 * Visits every object of a file that is reachable from its root, and reads what is wanted of it. Never
 * throws on malformed content: `faults` records it.
 */
export function walkHdf5({ bytes, root }: Hdf5File, wanted: Hdf5Wanted): Hdf5Contents {
  const walk = new Walk(bytes, wanted);
  walk.from(root);
  return walk;
}

class Walk implements Hdf5Contents {
  readonly texts = new Map<string, Uint8Array>();
  readonly external: ExternalReference[] = [];
  readonly faults = new Map<Hdf5Fault, number>();
  readonly #bytes: Hdf5Bytes;
  readonly #wanted: Hdf5Wanted;
  #hasPickledArrays = false;
  readonly #seen = new Set<number>();
  readonly #left: number[] = [];

  constructor(bytes: Hdf5Bytes, wanted: Hdf5Wanted) {
    this.#bytes = bytes;
    this.#wanted = wanted;
  }

  get objects(): number {
    return this.#seen.size;
  }

  from(root: number): void {
    this.#visit(root);
    for (let next = this.#left.pop(); next !== undefined; next = this.#left.pop()) {
      this.#try(next, (address) => this.#object(address));
      if (this.faults.has("hdf5_read_limit")) return;
    }
    if (this.#hasPickledArrays) this.#try(root, () => this.#heapObjects());
  }

  #object(address: number): void {
    const types: HeaderMessage[] = [];
    const spaces: HeaderMessage[] = [];
    const layouts: HeaderMessage[] = [];
    try {
      for (const message of readMessages(this.#bytes, address)) {
        if (message.type === DATATYPE && !message.isShared) types.push(message);
        if (message.type === DATASPACE && !message.isShared) spaces.push(message);
        if (message.type === LAYOUT) layouts.push(message);
        this.#try(message.address, () => this.#message(message));
      }
    } finally {
      // The messages are in any order, and those that were read count.
      this.#data(types, spaces, layouts);
    }
  }

  /**
   * Passes on the data of an object that has the messages of a dataset. Of several messages of a type, libraries
   * take one, and any of them may be it.
   */
  #data(
    types: readonly HeaderMessage[],
    [space]: readonly HeaderMessage[],
    layouts: readonly HeaderMessage[],
  ): void {
    const [type] = types;
    if (type === undefined || layouts.length === 0) return;
    if (this.#areBytes(types)) {
      for (const layout of layouts) this.#try(layout.address, () => this.#dataset(layout));
    }
    if (space !== undefined) this.#try(type.address, () => this.#numbers(type, space));
  }

  /** Whether one of the types is of bytes. */
  #areBytes(types: readonly HeaderMessage[]): boolean {
    let areBytes = false;
    for (const { address } of types) {
      this.#try(address, () => areBytes ||= byteElementSize(this.#bytes, address) !== undefined);
    }
    return areBytes;
  }

  #numbers(type: HeaderMessage, space: HeaderMessage): void {
    const number = numberType(this.#bytes, type.address);
    if (number === undefined) return;
    const elements = elementsOf(this.#bytes, space.address);
    const { name, bytes } = number;
    if (!Number.isSafeInteger(elements * bytes)) return;
    this.#wanted.onNumbers?.(name, elements, elements * bytes);
  }

  /** Passes on the data of a dataset of bytes that is in one piece. */
  #dataset({ address }: HeaderMessage): void {
    const cursor = this.#bytes.at(address);
    if (cursor.number(1) < 3) return;
    const layout = cursor.number(1);
    if (layout !== COMPACT && layout !== CONTIGUOUS) return;
    const compactSize = layout === COMPACT ? cursor.number(2) : undefined;
    const data = compactSize === undefined ? cursor.offset() : cursor.address;
    if (data === undefined) return;
    const source = this.#bytes.slice(data, compactSize ?? cursor.length());
    const position = this.#bytes.positionOf(data);
    this.#wanted.onBytes({ name: `data at ${position}`, source, position });
  }

  #heapObjects(): void {
    for (const { position, source } of globalHeapObjects(this.#bytes)) {
      this.#wanted.onBytes({ name: `data at ${position}`, source, position });
    }
  }

  #message(message: HeaderMessage): void {
    if (message.isShared) {
      if (message.type === ATTRIBUTE) this.#fault("hdf5_shared_message", message.address);
      return;
    }
    switch (message.type) {
      case ATTRIBUTE:
        return this.#attribute(message);
      case LINK:
        return this.#link(message);
      case SYMBOL_TABLE:
        for (const address of symbolTableObjects(this.#bytes, message)) this.#visit(address);
        return;
      case LINK_INFO:
        if (this.#isDense(message, 8)) this.#fault("hdf5_dense_links", message.address);
        return;
      case ATTRIBUTE_INFO:
        if (this.#isDense(message, 2)) this.#fault("hdf5_dense_attributes", message.address);
        return;
      case EXTERNAL_FILES:
        for (const file of externalDataFiles(this.#bytes, message)) {
          this.#refer("storage", file, message);
        }
        return;
      case LAYOUT:
        if (this.#isVirtual(message)) this.#refer("virtual dataset", undefined, message);
    }
  }

  #attribute(message: HeaderMessage): void {
    const attribute = new Hdf5Attribute(this.#bytes, message);
    const { name } = attribute;
    const isWanted = this.#wanted.attributes.has(name) && !this.texts.has(name);
    if (attribute.hasSharedType) {
      if (isWanted) this.#fault("hdf5_shared_message", message.address);
      return;
    }
    const source = attribute.bytes(MAX_TEXT_BYTES);
    if (source === undefined) return;
    const position = this.#bytes.positionOf(message.address);
    this.#wanted.onBytes({ name, source, position });
    if (name === "CLASS") this.#hasPickledArrays ||= this.#isPickledArray(source);
    if (!isWanted || !attribute.isSingle()) return;
    const text = source.read(0, MAX_TEXT_BYTES);
    if (text.length === MAX_TEXT_BYTES) this.#fault("hdf5_text_limit", message.address);
    this.texts.set(name, text);
  }

  #isPickledArray(source: ByteSource): boolean {
    return new TextDecoder().decode(source.read(0, PICKLED_ARRAY.length)) === PICKLED_ARRAY;
  }

  #link(message: HeaderMessage): void {
    const link = readLink(this.#bytes, message);
    if (link.kind === "object") this.#visit(link.address);
    if (link.kind === "external") this.#refer("link", link.file, message);
  }

  /** Whether the links or attributes of an info message are stored in a heap instead of in messages. */
  #isDense({ address }: HeaderMessage, orderSize: number): boolean {
    const cursor = this.#bytes.at(address + 1);
    if (cursor.number(1) & 1) cursor.skip(orderSize);
    return cursor.offset() !== undefined;
  }

  #isVirtual({ address }: HeaderMessage): boolean {
    const cursor = this.#bytes.at(address);
    return cursor.number(1) >= 3 && cursor.number(1) === VIRTUAL;
  }

  #refer(
    kind: ExternalReference["kind"],
    file: string | undefined,
    { address }: HeaderMessage,
  ): void {
    if (this.external.length === MAX_EXTERNAL_REFERENCES) return;
    this.external.push({ kind, file, position: this.#bytes.positionOf(address) });
  }

  #visit(address: number): void {
    if (this.#seen.has(address)) return;
    if (this.#seen.size === MAX_OBJECTS) return this.#fault("hdf5_object_limit", address);
    this.#seen.add(address);
    this.#left.push(address);
  }

  #try(address: number, read: (address: number) => void): void {
    try {
      read(address);
    } catch (error) {
      if (!(error instanceof Hdf5Error)) throw error;
      this.#fault(error instanceof Hdf5LimitError ? "hdf5_read_limit" : "malformed_hdf5", address);
    }
  }

  #fault(fault: Hdf5Fault, address: number): void {
    if (!this.faults.has(fault)) this.faults.set(fault, this.#bytes.positionOf(address));
  }
}
