import type { ByteSource } from "../../contract/source.ts";
import { KIB } from "../../../../schemas/units.ts";

/** Enough for many small fields, and little waste when large tensors separate them. */
const WINDOW_BYTES = 16 * KIB;

/** Wraps a source to read ahead, for many small and mostly sequential reads. */
export function readAhead(source: ByteSource): ByteSource {
  let start = 0;
  let window: Uint8Array = new Uint8Array();
  return {
    size: source.size,
    read(offset, length) {
      if (!(length >= 0 && length <= WINDOW_BYTES)) return source.read(offset, length);
      const ahead = offset - start;
      if (ahead >= 0 && ahead + length <= window.length) {
        return window.subarray(ahead, ahead + length);
      }
      window = source.read(offset, WINDOW_BYTES);
      start = offset;
      return window.subarray(0, length);
    },
  };
}
