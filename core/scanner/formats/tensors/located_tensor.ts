import type { ListedTensor } from "../../contract/tensor_list.ts";
import type { UnpackContext } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";

/** Bytes of a source. */
export interface ByteRange {
  readonly begin: number;
  readonly end: number;
}

/** A tensor, and where its elements are. */
export interface LocatedTensor extends Omit<ListedTensor, "digest"> {
  /** Undefined if they cannot be read, or are compressed. */
  readonly elements: ByteRange | undefined;
  /** The SHA-256 of elements that are compressed, in lower-case hexadecimal. */
  readonly digest?: string | undefined;
}

/** What a format says of the tensors in a file. */
export interface LocatedTensors {
  readonly format: string;
  readonly tensors: readonly LocatedTensor[];
  /** Why some are missing. */
  readonly problem?: string | undefined;
}

/** Reads where the tensors of a file are. Reads its header only, within limits. */
export type LocateTensors = (source: ByteSource, context: UnpackContext) => LocatedTensors;
