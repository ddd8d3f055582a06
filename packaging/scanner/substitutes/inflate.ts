/** DEFLATE (RFC 1951), with the failures of zlib. */

import {
  DamagedData,
  type OutputBuffer,
} from "../../../core/scanner/readers/compression/output_buffer.ts";

/** The content is cut off. What was unpacked before is valid. */
export class InputEnded extends Error {
  override readonly name = "InputEnded";
}

/** Unpacks a stream from a position, and returns the position after it. */
export function unpackDeflate(packed: Uint8Array, start: number, output: OutputBuffer): number {
  const bits = new BitReader(packed, start);
  const first = output.length;
  for (let isLast = false; !isLast;) {
    isLast = bits.read(1) === 1;
    switch (bits.read(2)) {
      case 0:
        copyStored(bits, output);
        break;
      case 1:
        unpackBlock(bits, output, first, FIXED);
        break;
      case 2:
        unpackBlock(bits, output, first, readCodes(bits));
        break;
      default:
        throw new DamagedData("Invalid type of block");
    }
  }
  return bits.position;
}

/** Bits, the least significant of each byte first. */
class BitReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #bits = 0;
  #count = 0;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  /** The first byte of which no bit was read. */
  get position(): number {
    return this.#at - (this.#count >> 3);
  }

  /** Reads up to 16 bits. */
  read(count: number): number {
    this.#fill(count);
    if (this.#count < count) throw new InputEnded();
    const value = this.#bits & (1 << count) - 1;
    this.#drop(count);
    return value;
  }

  /** Reads a symbol. */
  symbol({ entries, length }: Code): number {
    this.#fill(length);
    const entry = entries[this.#bits & (1 << length) - 1] ?? 0;
    const used = entry & 15;
    // An invalid code may be the beginning of a valid one.
    if (used > this.#count || used === 0 && this.#count < length) throw new InputEnded();
    if (used === 0) throw new DamagedData("Invalid code");
    this.#drop(used);
    return entry >> 4;
  }

  /** Reads whole bytes, as many as there are. */
  bytes(count: number): Uint8Array {
    const start = this.position;
    this.#at = Math.min(this.#bytes.length, start + count);
    this.#bits = this.#count = 0;
    return this.#bytes.subarray(start, this.#at);
  }

  #fill(count: number): void {
    while (this.#count < count && this.#at < this.#bytes.length) {
      this.#bits |= (this.#bytes[this.#at++] ?? 0) << this.#count;
      this.#count += 8;
    }
  }

  #drop(count: number): void {
    this.#bits >>>= count;
    this.#count -= count;
  }
}

function copyStored(bits: BitReader, output: OutputBuffer): void {
  const header = bits.bytes(4);
  if (header.length < 4) throw new InputEnded();
  const [low = 0, high = 0, notLow = 0, notHigh = 0] = header;
  if ((low ^ notLow) !== 255 || (high ^ notHigh) !== 255) {
    throw new DamagedData("Invalid length of a stored block");
  }
  const length = low | high << 8;
  const stored = bits.bytes(length);
  output.append(stored);
  if (stored.length < length) throw new InputEnded();
}

/** A Huffman code. */
interface Code {
  /** By the next `length` bits: the symbol times 16 plus the length of its code; 0 if it is invalid. */
  readonly entries: Uint16Array;
  /** Bits of the longest code. */
  readonly length: number;
}

interface Codes {
  readonly literals: Code;
  readonly distances: Code;
}

/**
 * The code in which symbols have these lengths.
 *
 * @throws {DamagedData} when there are too many codes; or too few, unless there is only one, of one bit.
 */
function codeOf(lengths: readonly number[]): Code {
  const length = Math.max(0, ...lengths);
  const entries = new Uint16Array(1 << length);
  let code = 0;
  for (let bits = 1; bits <= length; bits++) {
    for (const [symbol, its] of lengths.entries()) {
      if (its !== bits) continue;
      if (code >= 1 << bits) throw new DamagedData("Too many codes");
      for (let at = reversed(code, bits); at < entries.length; at += 1 << bits) {
        entries[at] = symbol << 4 | bits;
      }
      code++;
    }
    code <<= 1;
  }
  if (length > 1 && code !== 2 << length) throw new DamagedData("Too few codes");
  return { entries, length: Math.max(1, length) };
}

function reversed(code: number, bits: number): number {
  let value = 0;
  for (let bit = 0; bit < bits; bit++) value |= (code >> bit & 1) << bits - 1 - bit;
  return value;
}

const FIXED: Codes = {
  literals: codeOf([
    ...Array<number>(144).fill(8),
    ...Array<number>(112).fill(9),
    ...Array<number>(24).fill(7),
    ...Array<number>(8).fill(8),
  ]),
  distances: codeOf(Array<number>(32).fill(5)),
};

/** The order in which the lengths of the code of lengths are stored. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END = 256;

function readCodes(bits: BitReader): Codes {
  const literals = bits.read(5) + 257;
  const distances = bits.read(5) + 1;
  const count = bits.read(4) + 4;
  if (literals > 286 || distances > 30) throw new DamagedData("Too many symbols");
  const own = Array<number>(ORDER.length).fill(0);
  for (const symbol of ORDER.slice(0, count)) own[symbol] = bits.read(3);
  const lengths = readLengths(bits, codeOfLengths(own), literals + distances);
  if (lengths[END] === 0) throw new DamagedData("No code for the end of a block");
  return {
    literals: codeOf(lengths.slice(0, literals)),
    distances: codeOf(lengths.slice(literals)),
  };
}

/** The code of lengths: it must be complete. Without any code, zlib takes each bit for a zero. */
function codeOfLengths(lengths: readonly number[]): Code {
  if (lengths.every((it) => it === 0)) return { entries: Uint16Array.of(1, 1), length: 1 };
  const code = codeOf(lengths);
  if (code.entries.includes(0)) throw new DamagedData("Too few codes of lengths");
  return code;
}

/** Lengths of codes, of which symbols from 16 repeat one. */
function readLengths(bits: BitReader, code: Code, count: number): number[] {
  const lengths: number[] = [];
  while (lengths.length < count) {
    const symbol = bits.symbol(code);
    if (symbol < 16) {
      lengths.push(symbol);
      continue;
    }
    const before = symbol === 16 ? lengths.at(-1) : 0;
    if (before === undefined) throw new DamagedData("No length to repeat");
    const times = symbol === 16
      ? 3 + bits.read(2)
      : symbol === 17
      ? 3 + bits.read(3)
      : 11 + bits.read(7);
    if (lengths.length + times > count) throw new DamagedData("Too many lengths");
    for (let time = 0; time < times; time++) lengths.push(before);
  }
  return lengths;
}

const LENGTHS = [
  ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115],
  ...[131, 163, 195, 227, 258],
];
const LENGTH_BITS = [
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
];
const DISTANCES = [
  ...[1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537],
  ...[2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577],
];

function unpackBlock(
  bits: BitReader,
  output: OutputBuffer,
  first: number,
  { literals, distances }: Codes,
): void {
  for (;;) {
    const symbol = bits.symbol(literals);
    if (symbol === END) return;
    if (symbol < END) {
      output.reserve(1);
      output.bytes[output.length++] = symbol;
      continue;
    }
    const base = LENGTHS[symbol - END - 1];
    if (base === undefined) throw new DamagedData("Invalid length");
    const count = base + bits.read(LENGTH_BITS[symbol - END - 1] ?? 0);
    const code = bits.symbol(distances);
    const nearest = DISTANCES[code];
    if (nearest === undefined) throw new DamagedData("Invalid distance");
    const distance = nearest + bits.read(Math.max(0, (code >> 1) - 1));
    if (distance > output.length - first) throw new DamagedData("A distance reaches too far back");
    output.reserve(count);
    output.repeat(distance, count);
  }
}
