import type { ByteSource } from "../../contract/source.ts";

/** The fields of a header block that are used. All values are untrusted. */
export interface TarHeader {
  readonly name: string;
  readonly type: string;
  /** Size in bytes, or NaN if the field is not a number. */
  readonly size: number;
  readonly target: string;
}

/** Size of a header, and the alignment of headers and data. */
export const TAR_BLOCK_BYTES = 512;

const CHECKSUM_START = 148;
const CHECKSUM_END = 156;
/** Space, and the characters that Python accepts in octal numbers: `+`, `_`, `o` and `O`. */
const NUMBER_SYMBOLS: readonly number[] = [0x20, 0x2b, 0x5f, 0x6f, 0x4f];

/**
 * Reads the header at a position (POSIX ustar; GNU tar for base-256 numbers). A header is recognized
 * by its checksum, since old archives have no signature.
 *
 * @returns the header, or undefined if there is none.
 */
export function readTarHeader(source: ByteSource, position: number): TarHeader | undefined {
  const block = source.read(position, TAR_BLOCK_BYTES);
  if (block.length < TAR_BLOCK_BYTES || !hasChecksum(block)) return undefined;
  const ustar = text(block, 257, 262) === "ustar";
  const type = String.fromCharCode(block[156] || 0x30);
  const prefix = ustar ? text(block, 345, 500) : "";
  const name = text(block, 0, 100);
  if (!ustar && (name === "" || !/^[0-7]$/.test(type))) return undefined;
  return {
    name: prefix && block[262] === 0 ? `${prefix}/${name}` : name,
    type,
    size: parseNumber(block.subarray(124, 136)),
    target: text(block, 157, 257),
  };
}

/** Sums all bytes, with the checksum field as spaces. Some writers sum signed bytes. */
function hasChecksum(block: Uint8Array): boolean {
  if (!isNumberField(block)) return false;
  const declared = parseNumber(block.subarray(CHECKSUM_START, CHECKSUM_END));
  if (!(declared > 0)) return false;
  let unsigned = 0;
  let signed = 0;
  for (let index = 0; index < TAR_BLOCK_BYTES; index++) {
    const inField = index >= CHECKSUM_START && index < CHECKSUM_END;
    const byte = inField ? 0x20 : block[index] ?? 0;
    unsigned += byte;
    signed += byte > 0x7f ? byte - 0x100 : byte;
  }
  return declared === unsigned || declared === signed;
}

/** Whether the checksum field can hold a number. A cheap test that rejects most other blocks. */
function isNumberField(block: Uint8Array): boolean {
  for (let index = CHECKSUM_START; index < CHECKSUM_END; index++) {
    const byte = block[index] ?? 0;
    if (byte === 0) return index > CHECKSUM_START;
    if ((byte < 0x30 || byte > 0x37) && !NUMBER_SYMBOLS.includes(byte)) return false;
  }
  return true;
}

/**
 * Parses octal digits up to the first zero byte, or base 256 if the first bit is set. Accepts the
 * signs, prefixes and underscores that Python's `tarfile` accepts.
 */
function parseNumber(field: Uint8Array): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return base256(field);
  const digits = /^\+?(?:0o)?([0-7_]*)$/i.exec(text(field, 0, field.length).trim())?.[1];
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
