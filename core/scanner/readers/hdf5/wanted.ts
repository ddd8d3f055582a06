import type { ByteSource } from "../../contract/source.ts";
import type { Hdf5Chunk, Hdf5Filter } from "./chunks.ts";

/** Why part of a file was not read. */
export type Hdf5Fault =
  | "malformed_hdf5"
  | "hdf5_dense_attributes"
  | "hdf5_dense_links"
  | "hdf5_shared_message"
  | "hdf5_chunks"
  | "hdf5_object_limit"
  | "hdf5_read_limit"
  | "hdf5_text_limit";

/** Bytes in a file that a program may take for serialized objects: an attribute or a dataset. */
export interface Hdf5Bytestring {
  /** The name of the attribute; of a dataset, its offset in the source. */
  readonly name: string;
  readonly source: ByteSource;
  /** Of an attribute, the offset of its description. */
  readonly position: number;
}

/** Bytes in a dataset whose chunks may be compressed. */
export interface Hdf5ChunkedBytes extends Pick<Hdf5Bytestring, "name" | "position"> {
  /** Reads the chunks from the first one on. */
  chunks(): Iterable<Hdf5Chunk>;
  /** What changed the chunks, in the order in which it did. */
  readonly filters: readonly Hdf5Filter[];
}

/** What to read besides the structure of a file. */
export interface Hdf5Wanted {
  /** The names of the attributes whose texts are kept. */
  readonly attributes: ReadonlySet<string>;
  /** Receives every value that consists of bytes. */
  onBytes(value: Hdf5Bytestring): void;
  /** Receives every dataset of bytes in chunks, and returns whether its filters are known. */
  onChunks(value: Hdf5ChunkedBytes): boolean;
  /** Receives the type, the number of elements and their bytes of every dataset of numbers. */
  onNumbers?(type: string, elements: number, bytes: number): void;
}
