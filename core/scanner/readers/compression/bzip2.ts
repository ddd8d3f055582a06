import { DamagedData, type OutputBuffer, UnsupportedData } from "./output_buffer.ts";

const BLOCK_MAGIC = [0x314159, 0x265359];
const END_MAGIC = [0x177245, 0x385090];

/** Bytes of a block for each level. */
const LEVEL_BYTES = 100_000;
const MAX_CODE_BITS = 20;
const GROUP_SYMBOLS = 50;
const RUN_B = 1;

/**
 * Unpacks bzip2 streams until the data ends. Returns the number of bytes that were read. Checksums are not
 * compared: damage shows in the structure, or is content to be scanned.
 *
 * @throws {DamagedData} when a stream is malformed or cut off.
 * @throws {UnsupportedData} when a block is randomized, as only bzip2 before 0.9.5 did.
 */
export function unpackBzip2(packed: Uint8Array, output: OutputBuffer): number {
  const input = new BitReader(packed);
  let blocks: Uint32Array<ArrayBuffer> | undefined;
  for (let isFirst = true;; isFirst = false) {
    const start = input.position;
    if (!isFirst && packed[start] !== 0x42) return start;
    const level = input.bits(8) === 0x42 && input.bits(8) === 0x5a && input.bits(8) === 0x68
      ? input.bits(8) - 0x30
      : 0;
    if (level < 1 || level > 9) {
      if (!isFirst) return start;
      throw new DamagedData("No bzip2 stream");
    }
    const size = level * LEVEL_BYTES;
    if (blocks === undefined || blocks.length < size) blocks = new Uint32Array(size);
    while (nextIsBlock(input)) unpackBlock(input, blocks, size, output);
    input.bits(16);
    input.bits(16);
    input.align();
  }
}

function nextIsBlock(input: BitReader): boolean {
  const magic = [input.bits(24), input.bits(24)];
  if (magic[0] === BLOCK_MAGIC[0] && magic[1] === BLOCK_MAGIC[1]) return true;
  if (magic[0] === END_MAGIC[0] && magic[1] === END_MAGIC[1]) return false;
  throw new DamagedData("No block");
}

/** Reads bits, the most significant ones first. */
class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #buffer = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The offset of the next whole byte. */
  get position(): number {
    return this.#at - (this.#count >> 3);
  }

  /** Reads up to 24 bits. */
  bits(count: number): number {
    while (this.#count < count) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new DamagedData("The data is cut off");
      this.#buffer = (this.#buffer << 8) | byte;
      this.#count += 8;
    }
    this.#count -= count;
    const value = (this.#buffer >>> this.#count) & ((1 << count) - 1);
    this.#buffer &= (1 << this.#count) - 1;
    return value;
  }

  /** Skips to the next whole byte. */
  align(): void {
    this.#count -= this.#count & 7;
    this.#buffer &= (1 << this.#count) - 1;
  }
}

/** A canonical Huffman code, by lengths: the first code and index of each, and the symbols in order. */
interface HuffmanTable {
  readonly limits: Int32Array;
  readonly bases: Int32Array;
  readonly symbols: Uint16Array;
  readonly minBits: number;
}

function readTable(input: BitReader, symbols: number): HuffmanTable {
  const lengths = new Uint8Array(symbols);
  let length = input.bits(5);
  for (let symbol = 0; symbol < symbols; symbol++) {
    while (input.bits(1) === 1) length += input.bits(1) === 0 ? 1 : -1;
    if (length < 1 || length > MAX_CODE_BITS) throw new DamagedData("A code is too long");
    lengths[symbol] = length;
  }
  return tableOf(lengths);
}

function tableOf(lengths: Uint8Array): HuffmanTable {
  const counts = new Int32Array(MAX_CODE_BITS + 2);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  const limits = new Int32Array(MAX_CODE_BITS + 2).fill(-1);
  const bases = new Int32Array(MAX_CODE_BITS + 2);
  const symbols = new Uint16Array(lengths.length);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= MAX_CODE_BITS; length++) {
    const count = counts[length] ?? 0;
    bases[length] = index - code;
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] === length) symbols[index++] = symbol;
    }
    code += count;
    limits[length] = count > 0 ? code - 1 : -1;
    code <<= 1;
  }
  return { limits, bases, symbols, minBits: lengths.reduce((a, b) => Math.min(a, b), 20) };
}

function readSymbol(input: BitReader, { limits, bases, symbols, minBits }: HuffmanTable): number {
  let code = input.bits(minBits);
  for (let length = minBits; length <= MAX_CODE_BITS; length++) {
    if (code <= (limits[length] ?? -1)) return symbols[code + (bases[length] ?? 0)] ?? 0;
    code = (code << 1) | input.bits(1);
  }
  throw new DamagedData("An unknown code");
}

function unpackBlock(
  input: BitReader,
  block: Uint32Array,
  size: number,
  output: OutputBuffer,
): void {
  input.bits(16);
  input.bits(16);
  if (input.bits(1) === 1) throw new UnsupportedData("A randomized block");
  const origin = input.bits(24);
  const length = readBlock(input, block, size);
  if (origin >= length) throw new DamagedData("A block without its start");
  sortBack(block, length);
  writeBlock(block, length, origin, output);
}

function readUsedBytes(input: BitReader): Uint8Array {
  const rows = input.bits(16);
  const used: number[] = [];
  for (let row = 0; row < 16; row++) {
    if ((rows & (0x8000 >> row)) === 0) continue;
    const columns = input.bits(16);
    for (let column = 0; column < 16; column++) {
      if ((columns & (0x8000 >> column)) !== 0) used.push(row * 16 + column);
    }
  }
  if (used.length === 0) throw new DamagedData("A block without bytes");
  return Uint8Array.from(used);
}

function readSelectors(input: BitReader, tables: number): Uint8Array {
  const selectors = new Uint8Array(input.bits(15));
  const order = Array.from({ length: tables }, (_, index) => index);
  for (let i = 0; i < selectors.length; i++) {
    let position = 0;
    while (input.bits(1) === 1) {
      if (++position >= tables) throw new DamagedData("An unknown table");
    }
    const [table = 0] = order.splice(position, 1);
    order.unshift(table);
    selectors[i] = table;
  }
  return selectors;
}

/** Reads the bytes of a block before they are sorted back. Returns their number. */
function readBlock(input: BitReader, block: Uint32Array, size: number): number {
  const order = readUsedBytes(input);
  const end = order.length + 1;
  const tableCount = input.bits(3);
  if (tableCount < 2 || tableCount > 6) throw new DamagedData("A wrong number of tables");
  const selectors = readSelectors(input, tableCount);
  const tables = Array.from({ length: tableCount }, () => readTable(input, end + 1));
  let length = 0;
  let run = 0;
  let weight = 1;
  for (const selector of selectors) {
    const table = tables[selector];
    if (table === undefined) throw new DamagedData("An unknown table");
    for (let i = 0; i < GROUP_SYMBOLS; i++) {
      const symbol = readSymbol(input, table);
      if (symbol <= RUN_B) {
        run += weight << symbol;
        weight <<= 1;
        if (run > size) throw new DamagedData("A block is too long");
        continue;
      }
      if (length + run + 1 > size && symbol !== end) throw new DamagedData("A block is too long");
      if (length + run > size) throw new DamagedData("A block is too long");
      if (run > 0) {
        block.fill(order[0] ?? 0, length, length + run);
        length += run;
        run = 0;
        weight = 1;
      }
      if (symbol === end) return length;
      const byte = order[symbol - 1] ?? 0;
      order.copyWithin(1, 0, symbol - 1);
      order[0] = byte;
      block[length++] = byte;
    }
  }
  throw new DamagedData("A block without its end");
}

/** Undoes the sorting: stores in the upper bits of each byte the index of the one that follows it. */
function sortBack(block: Uint32Array, length: number): void {
  const starts = new Uint32Array(257);
  for (let i = 0; i < length; i++) {
    const byte = (block[i] ?? 0) & 0xff;
    starts[byte + 1] = (starts[byte + 1] ?? 0) + 1;
  }
  for (let byte = 0; byte < 256; byte++) {
    starts[byte + 1] = (starts[byte + 1] ?? 0) + (starts[byte] ?? 0);
  }
  for (let i = 0; i < length; i++) {
    const byte = (block[i] ?? 0) & 0xff;
    const place = starts[byte] ?? 0;
    starts[byte] = place + 1;
    block[place] = ((block[place] ?? 0) & 0xff) | (i << 8);
  }
}

/** Writes a block, in which four equal bytes are followed by the number of further ones. */
function writeBlock(
  block: Uint32Array,
  length: number,
  origin: number,
  output: OutputBuffer,
): void {
  let next = (block[origin] ?? 0) >>> 8;
  let last = -1;
  let equal = 0;
  for (let i = 0; i < length; i++) {
    const entry = block[next] ?? 0;
    const byte = entry & 0xff;
    next = entry >>> 8;
    if (equal === 4) {
      output.reserve(byte);
      output.bytes.fill(last, output.length, output.length + byte);
      output.length += byte;
      equal = 0;
      last = -1;
      continue;
    }
    equal = byte === last ? equal + 1 : 1;
    last = byte;
    output.reserve(1);
    output.bytes[output.length++] = byte;
  }
}
