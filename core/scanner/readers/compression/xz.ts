import { equalBytes } from "../bytes/bytes.ts";
import { undoFilter } from "./filters.ts";
import { unpackLzma2 } from "./lzma.ts";
import { DamagedData, type OutputBuffer, UnsupportedData } from "./output_buffer.ts";

const MAGIC = Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0);
const HEADER_BYTES = 12;
const LZMA2 = 0x21;
/** Bytes of the checksum of a block, by its number. */
const CHECK_BYTES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/**
 * Unpacks `.xz` streams until the data ends. Returns the number of bytes that were read.
 *
 * @throws {DamagedData} when a stream is malformed or cut off.
 * @throws {UnsupportedData} when it uses a filter that is not supported.
 */
export function unpackXz(packed: Uint8Array, output: OutputBuffer): number {
  let at = 0;
  while (at < packed.length) {
    if (at > 0 && packed[at] === 0) {
      at += 1;
      continue;
    }
    if (!equalBytes(packed.subarray(at, at + MAGIC.length), MAGIC)) {
      if (at > 0) return at;
      throw new DamagedData("No xz stream");
    }
    at = unpackStream(packed, at, output);
  }
  return at;
}

function unpackStream(packed: Uint8Array, start: number, output: OutputBuffer): number {
  const checkBytes = CHECK_BYTES[(packed[start + 7] ?? 0) & 0x0f] ?? 0;
  let at = start + HEADER_BYTES;
  for (;;) {
    const size = packed[at];
    if (size === undefined) throw new DamagedData("A stream is cut off");
    if (size === 0) return indexEnd(packed, at);
    at = unpackBlock(packed, at, (size + 1) * 4, output) + checkBytes;
  }
}

function unpackBlock(
  packed: Uint8Array,
  start: number,
  headerBytes: number,
  output: OutputBuffer,
): number {
  const header = new Header(packed, start + 1);
  const flags = header.byte();
  if ((flags & 0x40) !== 0) header.number();
  if ((flags & 0x80) !== 0) header.number();
  const filters = Array.from({ length: (flags & 3) + 1 }, () => {
    const id = header.number();
    return { id, properties: header.bytes(header.number()) };
  });
  if (filters.pop()?.id !== LZMA2) throw new UnsupportedData("A block without LZMA2");
  const before = output.length;
  const end = unpackLzma2(packed, start + headerBytes, output);
  for (const { id, properties } of filters.reverse()) {
    undoFilter(id, properties, output.bytes.subarray(before, output.length));
  }
  const data = end - start - headerBytes;
  return end + (4 - data % 4) % 4;
}

/** The offset after the index at `start` and the footer. */
function indexEnd(packed: Uint8Array, start: number): number {
  const index = new Header(packed, start + 1);
  const records = index.number();
  for (let record = 0; record < records && index.at < packed.length; record++) {
    index.number();
    index.number();
  }
  const size = index.at - start;
  const end = index.at + (4 - size % 4) % 4 + 4 + HEADER_BYTES;
  if (end > packed.length) throw new DamagedData("An index is cut off");
  return end;
}

/** Reads the fields of a header. */
class Header {
  constructor(readonly packed: Uint8Array, public at: number) {}

  byte(): number {
    const byte = this.packed[this.at++];
    if (byte === undefined) throw new DamagedData("A header is cut off");
    return byte;
  }

  bytes(count: number): Uint8Array {
    const bytes = this.packed.subarray(this.at, this.at + count);
    this.at += count;
    return bytes;
  }

  /** A number of up to nine bytes, seven bits in each. */
  number(): number {
    let value = 0;
    for (let i = 0; i < 9; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw new DamagedData("A number is too long");
  }
}
