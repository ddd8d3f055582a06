import { Decompress, ZstdErrorCode } from "fzstd";
import {
  DamagedData,
  type OutputBuffer,
  OutputFull,
} from "../../../core/scanner/readers/compression/output_buffer.ts";
import { viewOf } from "../../../core/scanner/readers/bytes/bytes.ts";

/** As the decoder of the runtime allows: 128 MiB. */
const MAX_WINDOW_BYTES = 2 ** 27;
const MAGIC = 0xfd2f_b528;

/**
 * Unpacks the first frame of Zstandard (RFC 8878). A frame that is cut off counts as whole, as for the
 * decoder of the runtime, which also verifies a checksum: this one does not.
 */
export function unpackZstd(frame: Uint8Array, output: OutputBuffer): void {
  // The decoder reserves the window at once.
  if (windowBytes(frame) > MAX_WINDOW_BYTES) throw new DamagedData("The window is too large");
  const decoder = new Decompress((piece) => output.append(piece));
  try {
    decoder.push(frame, true);
  } catch (error) {
    if (isCutOff(error)) return;
    if (error instanceof OutputFull) throw error;
    throw new DamagedData("The frame is malformed", { cause: error });
  }
}

/** The bytes of a frame that later ones may repeat: those of its window, or all of them. */
function windowBytes(frame: Uint8Array): number {
  const head = viewOf(frame);
  if (head.byteLength < 6) return 0;
  if (head.getUint32(0, true) !== MAGIC) throw new DamagedData("No frame");
  const descriptor = head.getUint8(4);
  if ((descriptor & 0x20) === 0) {
    const window = head.getUint8(5);
    return 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8);
  }
  const start = 5 + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  const size = frame.subarray(start, start + 2 ** (descriptor >> 6));
  return size.reduceRight((sum, byte) => sum * 256 + byte, 0);
}

function isCutOff(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === ZstdErrorCode.UnexpectedEOF;
}
