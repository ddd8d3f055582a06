import type { ByteSource } from "../../contract/source.ts";

/** Bytes that are read ahead: a page or so of small fields, little where tensors lie between them. */
const WINDOW_BYTES = 16 * 1024;

/** A source that reads ahead, for many small reads that go on mostly forward. */
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
