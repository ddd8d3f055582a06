import type { ByteSource } from "../../contract/source.ts";
import { MAX_KEPT_NAME_BYTES } from "../archive/entry_path.ts";
import { decodeLatin1, readSafeUint64, viewOf } from "../../readers/bytes/bytes.ts";

/**
 * The fields that the local header and the directory entry of a member share (APPNOTE 4.3.7, 4.3.12).
 * All values are untrusted.
 */
export interface ZipHeader {
  /** Start of the header. */
  readonly position: number;
  readonly headerSize: number;
  /** The bytes of the name, cut at `MAX_KEPT_NAME_BYTES`. */
  readonly rawName: Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  /** The name in the Unicode path extra field (APPNOTE 4.6.9), which some readers prefer. */
  readonly unicodeName: string | undefined;
}

/** An entry of the central directory. */
export interface ZipEntry extends ZipHeader {
  /** Declared offset of the local header from the start of the archive. */
  readonly localOffset: number;
  /** The Unix mode, from the high half of the external attributes. */
  readonly mode: number;
}

export const LOCAL_SIGNATURE = Uint8Array.of(0x50, 0x4b, 3, 4);
export const LOCAL_HEADER_BYTES = 30;
const CENTRAL_ENTRY_BYTES = 46;
/** An entry with a name, an extra field and a comment of the largest size. */
export const MAX_CENTRAL_ENTRY_BYTES = CENTRAL_ENTRY_BYTES + 3 * 0xffff;
/** General purpose flag: sizes and checksum follow the data (APPNOTE 4.4.4, bit 3). */
export const DATA_DESCRIPTOR_FLAG = 0x8;
const ZIP64_FIELD = 1;
const UNICODE_PATH_FIELD = 0x7075;

/**
 * Reads a directory entry. The name and the fields after it may be cut off by the end of the bytes:
 * other readers accept such an entry.
 *
 * @param index Start of the entry in `bytes`.
 * @param position Start of the entry in the content.
 * @returns the entry, or undefined if there is none.
 */
export function readCentralEntry(
  bytes: Uint8Array,
  index: number,
  position: number,
): ZipEntry | undefined {
  if (index + CENTRAL_ENTRY_BYTES > bytes.length) return undefined;
  const view = viewOf(bytes.subarray(index));
  if (view.getUint32(0, true) !== 0x02014b50) return undefined;
  const nameEnd = CENTRAL_ENTRY_BYTES + view.getUint16(28, true);
  const extraEnd = nameEnd + view.getUint16(30, true);
  const headerSize = extraEnd + view.getUint16(32, true);
  const extra = bytes.subarray(index + nameEnd, index + extraEnd);
  const [size, compressedSize, localOffset] = widen(
    [view.getUint32(24, true), view.getUint32(20, true), view.getUint32(42, true)],
    extra,
  );
  return {
    position,
    headerSize,
    rawName: copyName(bytes.subarray(index + CENTRAL_ENTRY_BYTES, index + nameEnd)),
    flags: view.getUint16(8, true),
    method: view.getUint16(10, true),
    crc32: view.getUint32(16, true),
    compressedSize: compressedSize ?? NaN,
    size: size ?? NaN,
    localOffset: localOffset ?? NaN,
    mode: view.getUint16(40, true),
    unicodeName: unicodePath(extra),
  };
}

/** Reads the local header at a position. Returns undefined if it is missing or incomplete. */
export function readLocalHeader(source: ByteSource, position: number): ZipHeader | undefined {
  const fixed = viewOf(source.read(position, LOCAL_HEADER_BYTES));
  if (fixed.byteLength < LOCAL_HEADER_BYTES || fixed.getUint32(0, true) !== 0x04034b50) {
    return undefined;
  }
  const nameLength = fixed.getUint16(26, true);
  const headerSize = LOCAL_HEADER_BYTES + nameLength + fixed.getUint16(28, true);
  const header = source.read(position, headerSize);
  if (header.length < headerSize) return undefined;
  const extra = header.subarray(LOCAL_HEADER_BYTES + nameLength);
  const [size, compressedSize] = widen(
    [fixed.getUint32(22, true), fixed.getUint32(18, true)],
    extra,
  );
  return {
    position,
    headerSize,
    rawName: copyName(header.subarray(LOCAL_HEADER_BYTES, LOCAL_HEADER_BYTES + nameLength)),
    flags: fixed.getUint16(6, true),
    method: fixed.getUint16(8, true),
    crc32: fixed.getUint32(14, true),
    compressedSize: compressedSize ?? NaN,
    size: size ?? NaN,
    unicodeName: unicodePath(extra),
  };
}

/** Decodes the name of a member as UTF-8, or as Latin-1 if it is not valid UTF-8. */
export function decodedName(header: ZipHeader): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(header.rawName);
  } catch {
    return decodeLatin1(header.rawName);
  }
}

/** Copies the name, so that the rest of the header can be freed. */
function copyName(name: Uint8Array): Uint8Array {
  return name.slice(0, MAX_KEPT_NAME_BYTES);
}

/** Replaces each 32-bit number that is 0xffffffff by the next 64-bit number (APPNOTE 4.5.3). */
function widen(numbers: readonly number[], extra: Uint8Array): (number | undefined)[] {
  const wide = extraField(extra, ZIP64_FIELD);
  let next = 0;
  return numbers.map((number) => {
    if (number !== 0xffffffff || wide === undefined) return number;
    const at = next;
    next += 8;
    return at + 8 > wide.length ? undefined : readSafeUint64(viewOf(wide), at);
  });
}

function unicodePath(extra: Uint8Array): string | undefined {
  const field = extraField(extra, UNICODE_PATH_FIELD);
  return field && field.length > 5
    ? new TextDecoder().decode(copyName(field.subarray(5)))
    : undefined;
}

function extraField(extra: Uint8Array, id: number): Uint8Array | undefined {
  const view = viewOf(extra);
  let index = 0;
  while (index + 4 <= extra.length) {
    const size = view.getUint16(index + 2, true);
    if (view.getUint16(index, true) === id) return extra.subarray(index + 4, index + 4 + size);
    index += 4 + size;
  }
  return undefined;
}
