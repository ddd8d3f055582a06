import type { ByteSource } from "../../contract/source.ts";
import { type Encoding, encodingOf } from "./encodings.ts";

/** The data of a tensor. */
export interface TensorData {
  /** Undefined if the values are no numbers with a fraction. */
  readonly encoding: Encoding | undefined;
  readonly elements: number;
  readonly source: ByteSource;
}

/**
 * Describes the data of a tensor.
 *
 * @param type The element type, in the spelling of any format.
 */
export function tensorData(
  type: string,
  elements: number,
  source: ByteSource,
  bigEndian = false,
): TensorData {
  const encoding = bigEndian ? undefined : encodingOf(type);
  return { encoding, elements, source };
}
