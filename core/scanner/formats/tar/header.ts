import type { ByteSource } from "../../contract/source.ts";

/** The fields of a header block that count: hostile values. */
export interface TarHeader {
  readonly name: string;
  readonly type: string;
  /** NaN where it is no number. */
  readonly size: number;
  readonly target: string;
}

/** Headers are of so many bytes, and everything begins at a multiple of it. */
export const TAR_BLOCK = 512;

const CHECKSUM_START = 148;
const CHECKSUM_END = 156;
/** A space, and what Python reads in numbers: `+`, `_`, `o` and `O`. */
const BESIDE_DIGITS: readonly number[] = [0x20, 0x2b, 0x5f, 0x6f, 0x4f];

/**
 * The header at a position: a block whose checksum is right, which old archives without a signature
 * have as well (POSIX ustar; GNU tar for numbers in base 256).
 */
export function readTarHeader(source: ByteSource, position: number): TarHeader | undefined {
  const block = source.read(position, TAR_BLOCK);
  if (block.length < TAR_BLOCK || !hasChecksum(block)) return undefined;
  const ustar = text(block, 257, 262) === "ustar";
  const type = String.fromCharCode(block[156] || 0x30);
  const prefix = ustar ? text(block, 345, 500) : "";
  const name = text(block, 0, 100);
  if (!ustar && (name === "" || !/^[0-7]$/.test(type))) return undefined;
  return {
    name: prefix && block[262] === 0 ? `${prefix}/${name}` : name,
    type,
    size: number(block.subarray(124, 136)),
    target: text(block, 157, 257),
  };
}

/** The sum of all bytes, those of its own field as spaces; some writers sum signed bytes. */
function hasChecksum(block: Uint8Array): boolean {
  if (!isOctal(block)) return false;
  const said = number(block.subarray(CHECKSUM_START, CHECKSUM_END));
  if (!(said > 0)) return false;
  let unsigned = 0;
  let signed = 0;
  for (let index = 0; index < TAR_BLOCK; index++) {
    const inField = index >= CHECKSUM_START && index < CHECKSUM_END;
    const byte = inField ? 0x20 : block[index] ?? 0;
    unsigned += byte;
    signed += byte > 0x7f ? byte - 0x100 : byte;
  }
  return said === unsigned || said === signed;
}

/** Whether the checksum can be one at all: most bytes that are no header are told by that. */
function isOctal(block: Uint8Array): boolean {
  for (let index = CHECKSUM_START; index < CHECKSUM_END; index++) {
    const byte = block[index] ?? 0;
    if (byte === 0) return index > CHECKSUM_START;
    if ((byte < 0x30 || byte > 0x37) && !BESIDE_DIGITS.includes(byte)) return false;
  }
  return true;
}

/**
 * A number in octal digits up to the first zero, or in base 256 where the first bit is set. Signs,
 * prefixes and underscores are taken as Python takes them, whose `tarfile` opens such archives.
 */
function number(field: Uint8Array): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return base256(field);
  const digits = /^\s*\+?(?:0o)?([0-7_]*)\s*$/i.exec(text(field, 0, field.length))?.[1];
  if (digits === undefined) return NaN;
  return digits === "" ? 0 : parseInt(digits.replaceAll("_", ""), 8);
}

function base256(field: Uint8Array): number {
  let value = BigInt((field[0] ?? 0) & 0x7f);
  for (const byte of field.subarray(1)) value = value << 8n | BigInt(byte);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? NaN : Number(value);
}

function text(block: Uint8Array, start: number, end: number): string {
  const field = block.subarray(start, end);
  const zero = field.indexOf(0);
  return new TextDecoder().decode(zero < 0 ? field : field.subarray(0, zero));
}
