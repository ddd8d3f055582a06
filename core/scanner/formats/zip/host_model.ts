import type { ByteSource } from "../../contract/source.ts";
import { flatbufferIdentifier } from "../../readers/flatbuffers/flatbuffer.ts";
import type { ZipExtent } from "./layout.ts";

/**
 * Whether the bytes before an archive are a model of TensorFlow Lite: its tools append metadata as a
 * ZIP archive. The scanner of these models reads them.
 */
export function isHostModel(source: ByteSource, { start }: ZipExtent): boolean {
  return start === 0 && flatbufferIdentifier(source) === "TFL3";
}
