import {
  areRecords,
  areSequences,
  byteElementSize,
  DATATYPE,
  elementsOf,
  numberType,
} from "./attribute.ts";
import { chunkedLayout, filtersOf, type Hdf5Filter } from "./chunks.ts";
import type { Hdf5Bytes } from "./cursor.ts";
import { storedData } from "./layout.ts";
import { type HeaderMessage, sharedMessage } from "./object_header.ts";
import type { Hdf5Fault, Hdf5Wanted } from "./wanted.ts";

/** Message types (HDF5 file format, IV.A.2). */
export const DATASPACE = 0x01;
export const LAYOUT = 0x08;
export const FILTERS = 0x0b;
const PARTS: ReadonlySet<number> = new Set([DATASPACE, DATATYPE, LAYOUT, FILTERS]);

/** How a dataset is read. */
export interface DatasetReading {
  readonly bytes: Hdf5Bytes;
  readonly wanted: Hdf5Wanted;
  /** Reads something at an address, and records why it cannot be read. */
  attempt(address: number, read: () => void): void;
  fault(fault: Hdf5Fault, address: number): void;
}

/**
 * The messages of an object that make it a dataset. They are in any order. Of several of a type, libraries take
 * one, and any of them may be it.
 */
export class Dataset {
  readonly #reading: DatasetReading;
  readonly #parts = new Map<number, HeaderMessage[]>();

  constructor(reading: DatasetReading) {
    this.#reading = reading;
  }

  /** Whether its values are in the global heap, and no text. */
  get hasSequences(): boolean {
    const { bytes } = this.#reading;
    return this.#of(DATATYPE).some(({ address }) => areSequences(bytes, address));
  }

  /** Adds a message, wherever its data is. Ignores those that no dataset needs. */
  add(message: HeaderMessage): void {
    const { type, address } = message;
    if (!PARTS.has(type)) return;
    const part = message.isShared ? sharedMessage(this.#reading.bytes, message) : message;
    if (part === undefined) return this.#reading.fault("hdf5_shared_message", address);
    this.#parts.set(type, [...this.#of(type), part]);
  }

  /** Passes on what is wanted of its data. */
  read(): void {
    const [type] = this.#of(DATATYPE);
    const layouts = this.#of(LAYOUT);
    if (type === undefined || layouts.length === 0) return;
    const { attempt } = this.#reading;
    for (const size of this.#byteSizes()) {
      for (const layout of layouts) attempt(layout.address, () => this.#data(layout, size));
    }
    const [space] = this.#of(DATASPACE);
    if (space !== undefined) attempt(type.address, () => this.#numbers(type, space));
  }

  #of(type: number): readonly HeaderMessage[] {
    return this.#parts.get(type) ?? [];
  }

  /** The sizes of the elements of those types whose values may be taken for bytes. */
  #byteSizes(): ReadonlySet<number> {
    const { bytes, attempt } = this.#reading;
    const sizes = new Set<number>();
    for (const { address } of this.#of(DATATYPE)) {
      attempt(address, () => {
        const size = byteElementSize(bytes, address);
        if (size !== undefined) sizes.add(size);
      });
    }
    return sizes;
  }

  #numbers(type: HeaderMessage, space: HeaderMessage): void {
    const { bytes, wanted } = this.#reading;
    const number = numberType(bytes, type.address);
    if (number === undefined) return;
    const total = elementsOf(bytes, space.address) * number.bytes;
    if (!Number.isSafeInteger(total)) return;
    wanted.onNumbers?.(number.name, total / number.bytes, total);
  }

  #data(layout: HeaderMessage, elementBytes: number): void {
    const { bytes, wanted } = this.#reading;
    const data = storedData(bytes, layout, elementBytes);
    if (data === undefined) return this.#chunks(layout);
    const source = bytes.slice(data.address, data.bytes);
    const position = bytes.positionOf(data.address);
    wanted.onBytes({ name: `data at ${position}`, source, position });
  }

  #chunks(layout: HeaderMessage): void {
    const { bytes, wanted, attempt, fault } = this.#reading;
    const pipelines: Hdf5Filter[][] = [];
    for (const message of this.#of(FILTERS)) {
      attempt(message.address, () => void pipelines.push(filtersOf(bytes, message)));
    }
    if (pipelines.length === 0) pipelines.push([]);
    const areTables = this.#of(DATATYPE).every(({ address }) => areRecords(bytes, address));
    const position = bytes.positionOf(layout.address);
    const name = `data of the layout at ${position}`;
    for (const filters of pipelines) {
      const chunked = chunkedLayout(bytes, layout);
      if (chunked === undefined) return;
      const { chunks } = chunked;
      const isRead = chunks !== null && wanted.onChunks({ name, position, chunks, filters });
      // Tables are packed in many ways, and their rows rarely begin as a pickle does.
      if (!isRead && !areTables) fault("hdf5_chunks", layout.address);
    }
  }
}
