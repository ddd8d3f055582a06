import type { ByteSource } from "../../../core/scanner/contract/source.ts";

/** A source that counts its reads and the bytes read. */
export function counted(
  source: ByteSource,
): ByteSource & { readonly bytesRead: number; readonly reads: number } {
  let bytesRead = 0;
  let reads = 0;
  return {
    size: source.size,
    get bytesRead() {
      return bytesRead;
    },
    get reads() {
      return reads;
    },
    read(offset, length) {
      reads += 1;
      const read = source.read(offset, length);
      bytesRead += read.length;
      return read;
    },
  };
}

/** A source of bytes followed by `zeros` zero bytes. */
export function withZeros(head: Uint8Array, zeros: number): ByteSource {
  const size = head.length + zeros;
  return {
    size,
    read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      bytes.set(head.subarray(offset, offset + bytes.length));
      return bytes;
    },
  };
}
