import type { ByteSource } from "../../contract/source.ts";
import { Hdf5Attribute } from "./attribute.ts";
import { type Hdf5Bytes, Hdf5Error, Hdf5LimitError } from "./cursor.ts";
import { globalHeapObjects } from "./heap.ts";
import { Dataset, LAYOUT } from "./dataset.ts";
import { isVirtual } from "./layout.ts";
import {
  externalDataFiles,
  hasDenseLinks,
  isDense,
  LINK,
  LINK_INFO,
  readLink,
  SYMBOL_TABLE,
  symbolTableObjects,
} from "./links.ts";
import { type HeaderMessage, readMessages } from "./object_header.ts";
import type { Hdf5File } from "./superblock.ts";
import type { Hdf5Fault, Hdf5Wanted } from "./wanted.ts";
import { MIB } from "../../../../schemas/units.ts";

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

/** Objects of a file. */
export const MAX_OBJECTS = 200_000;
const MAX_EXTERNAL_REFERENCES = 1000;
const MAX_TEXT_BYTES = 64 * MIB;

/** Message types (HDF5 file format, IV.A.2). */
const EXTERNAL_FILES = 0x07;
const ATTRIBUTE = 0x0c;
const ATTRIBUTE_INFO = 0x15;
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
  /** Whether values are in the global heap that a program may take for bytes, such as the arrays of PyTables. */
  #hasSequences = false;
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
    if (this.#hasSequences) this.#try(root, () => this.#heapObjects());
  }

  #object(address: number): void {
    const dataset = new Dataset({
      bytes: this.#bytes,
      wanted: this.#wanted,
      attempt: (at, read) => this.#try(at, read),
      fault: (fault, at) => this.#fault(fault, at),
    });
    try {
      for (const message of readMessages(this.#bytes, address)) {
        this.#try(message.address, () => dataset.add(message));
        this.#try(message.address, () => this.#message(message));
      }
    } finally {
      // Those messages that were read count.
      dataset.read();
      this.#try(address, () => this.#hasSequences ||= dataset.hasSequences);
    }
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
        for (const { address } of symbolTableObjects(this.#bytes, message)) this.#visit(address);
        return;
      case LINK_INFO:
        if (hasDenseLinks(this.#bytes, message)) this.#fault("hdf5_dense_links", message.address);
        return;
      case ATTRIBUTE_INFO:
        if (isDense(this.#bytes, message, 2)) {
          this.#fault("hdf5_dense_attributes", message.address);
        }
        return;
      case EXTERNAL_FILES:
        for (const file of externalDataFiles(this.#bytes, message)) {
          this.#refer("storage", file, message);
        }
        return;
      case LAYOUT:
        if (isVirtual(this.#bytes, message)) this.#refer("virtual dataset", undefined, message);
    }
  }

  #attribute(message: HeaderMessage): void {
    const attribute = new Hdf5Attribute(this.#bytes, message);
    const { name } = attribute;
    const isWanted = this.#wanted.attributes.has(name) && !this.texts.has(name);
    if (!attribute.hasType) return this.#fault("hdf5_shared_message", message.address);
    this.#hasSequences ||= attribute.isSequence;
    const source = attribute.bytes(MAX_TEXT_BYTES);
    if (source === undefined) return;
    const position = this.#bytes.positionOf(message.address);
    this.#wanted.onBytes({ name, source, position });
    if (name === "CLASS") this.#hasSequences ||= this.#isPickledArray(source);
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
