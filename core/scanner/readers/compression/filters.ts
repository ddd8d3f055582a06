import { UnsupportedData } from "./output_buffer.ts";

const DELTA = 0x03;
const X86 = 0x04;

/**
 * Undoes a filter of xz and 7z in place.
 *
 * @throws {UnsupportedData} when it is not known.
 */
export function undoFilter(id: number, properties: Uint8Array, bytes: Uint8Array): void {
  if (id === DELTA) undoDelta((properties[0] ?? 0) + 1, bytes);
  else if (id === X86) undoX86(bytes);
  else throw new UnsupportedData(`Filter ${id}`);
}

function undoDelta(distance: number, bytes: Uint8Array): void {
  for (let i = distance; i < bytes.length; i++) {
    bytes[i] = (bytes[i] ?? 0) + (bytes[i - distance] ?? 0);
  }
}

const MASK_TO_ALLOWED = [true, true, true, false, true, false, false, false];
const MASK_TO_BIT = [0, 1, 2, 2, 3, 3, 3, 3];

/** Converts the absolute targets of calls and jumps in x86 code back to relative ones. */
function undoX86(bytes: Uint8Array): void {
  let previousMask = 0;
  let previous = -1;
  for (let at = 0; at + 4 < bytes.length; at++) {
    if (((bytes[at] ?? 0) & 0xfe) !== 0xe8) continue;
    const gap = at - previous;
    previous = at;
    if (gap > 3) previousMask = 0;
    else {
      previousMask = (previousMask << (gap - 1)) & 7;
      if (previousMask !== 0) {
        const tested = bytes[at + 4 - (MASK_TO_BIT[previousMask] ?? 0)] ?? 0;
        if (!(MASK_TO_ALLOWED[previousMask] ?? false) || isSign(tested)) {
          previousMask = (previousMask << 1) | 1;
          continue;
        }
      }
    }
    if (!isSign(bytes[at + 4] ?? 0)) {
      previousMask = (previousMask << 1) | 1;
      continue;
    }
    writeTarget(bytes, at, relativeTarget(bytes, at, previousMask));
    at += 4;
    previousMask = 0;
  }
}

function isSign(byte: number): boolean {
  return byte === 0 || byte === 0xff;
}

function relativeTarget(bytes: Uint8Array, at: number, mask: number): number {
  let source = (bytes[at + 1] ?? 0) | (bytes[at + 2] ?? 0) << 8 | (bytes[at + 3] ?? 0) << 16 |
    (bytes[at + 4] ?? 0) << 24;
  for (;;) {
    const target = (source - (at + 5)) | 0;
    if (mask === 0) return target;
    const bit = (MASK_TO_BIT[mask] ?? 0) * 8;
    if (!isSign((target >>> (24 - bit)) & 0xff)) return target;
    source = target ^ ((1 << (32 - bit)) - 1);
  }
}

function writeTarget(bytes: Uint8Array, at: number, target: number): void {
  bytes[at + 1] = target;
  bytes[at + 2] = target >> 8;
  bytes[at + 3] = target >> 16;
  bytes[at + 4] = ((target >> 24) & 1) === 0 ? 0 : 0xff;
}
