/**
 * The inner loop of reflected CRCs as a WebAssembly module, assembled here: JavaScript has no whole numbers of 64 bits
 * that are fast.
 *
 * The memory begins with the checksum. A table of numbers of 64 bits follows for each byte of a block, that of the last
 * byte first, and then the blocks. The function `run(end)` of the module adds the blocks up to `end`.
 */

import {
  blockLoop,
  type Code,
  constant,
  constantLong,
  get,
  I32,
  I64,
  loadLong,
  moduleOf,
  OP,
  set,
  storeLong,
} from "../wasm_code.ts";

const LONG_BYTES = 8;
/** How many bytes are added at a time. */
export const AREA_BYTES = 64 * 1024;
export const BLOCK_BYTES = 16;
/** How many tables there are. */
export const SLICES = BLOCK_BYTES;
export const TABLE_VALUES = 256;
const TABLE_BYTES = TABLE_VALUES * LONG_BYTES;
export const TABLES = 64;
/** Where the blocks begin. */
export const START = TABLES + SLICES * TABLE_BYTES;

/** The locals of the function: its parameter, and what follows. */
const END = 0;
const POSITION = 1;
const CRC = 2;
/** The halves of a block. */
const FIRST = 3;
const SECOND = 4;

/** The bytes of the module. */
export function crcModule(): Uint8Array<ArrayBuffer> {
  return moduleOf({
    pages: 2,
    locals: [[1, I32], [3, I64]],
    body: blockLoop({ end: END, position: POSITION, start: START, bytes: BLOCK_BYTES }, {
      first: [...loadLong(constant(0), 0), ...set(CRC)],
      block: [
        ...[...loadLong(get(POSITION), 0), ...get(CRC), OP.xorLong, ...set(FIRST)],
        ...[...loadLong(get(POSITION), LONG_BYTES), ...set(SECOND)],
        ...entryOf(0),
        ...Array.from({ length: BLOCK_BYTES - 1 }, (_, at) => [...entryOf(at + 1), OP.xorLong])
          .flat(),
        ...set(CRC),
      ],
      last: storeLong(constant(0), 0, get(CRC)),
    }),
  });
}

/** What a byte of the block adds. */
function entryOf(at: number): Code {
  const half = get(at < LONG_BYTES ? FIRST : SECOND);
  // The byte, times the size of an entry.
  const shift = 8 * (at % LONG_BYTES) - 3;
  const shifted = shift < 0
    ? [...half, ...constantLong(-shift), OP.shiftLeftLong]
    : [...half, ...constantLong(shift), OP.shiftRightLong];
  const entry = [...shifted, OP.lowerHalf, ...constant(TABLE_BYTES - LONG_BYTES), OP.and];
  return loadLong(entry, TABLES + (SLICES - 1 - at) * TABLE_BYTES);
}
