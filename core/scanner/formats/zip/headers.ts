import type { ByteSource } from "../../contract/source.ts";
import { KEPT_NAME_BYTES } from "../archive/entry_path.ts";
import { readSafeUint64, viewOf } from "../../readers/bytes/bytes.ts";

/** What both headers of a ZIP member tell of it (APPNOTE 4.3.7, 4.3.12): hostile values. */
export interface ZipHeader {
  /** Where the header lies. */
  readonly position: number;
  readonly headerSize: number;
  /** The bytes of the name, no more of them than matter. */
  readonly rawName: Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  /** The other name that a unicode path field gives it (APPNOTE 4.6.9). */
  readonly unicodeName: string | undefined;
}

/** An entry of the central directory. */
export interface ZipEntry extends ZipHeader {
  /** Where the entry says that the local header lies, counted from the beginning of the archive. */
  readonly localOffset: number;
  /** The Unix mode, from the high half of the external attributes. */
  readonly mode: number;
}

export const LOCAL_SIGNATURE = Uint8Array.of(0x50, 0x4b, 3, 4);
export const CENTRAL_SIZE = 46;
export const LOCAL_SIZE = 30;
const ZIP64_FIELD = 1;
const UNICODE_PATH_FIELD = 0x7075;

/**
 * The entry that lies at an index of bytes of a directory. Its name and what follows may be cut off by
 * the end of the bytes, as readers take it nevertheless.
 *
 * @returns undefined where there is none.
 */
export function readCentralEntry(
  bytes: Uint8Array,
  index: number,
  position: number,
): ZipEntry | undefined {
  if (index + CENTRAL_SIZE > bytes.length) return undefined;
  const view = viewOf(bytes.subarray(index));
  if (view.getUint32(0, true) !== 0x02014b50) return undefined;
  const nameEnd = CENTRAL_SIZE + view.getUint16(28, true);
  const extraEnd = nameEnd + view.getUint16(30, true);
  const headerSize = extraEnd + view.getUint16(32, true);
  const extra = bytes.subarray(index + nameEnd, index + extraEnd);
  const [size, compressedSize, localOffset] = widened(
    [view.getUint32(24, true), view.getUint32(20, true), view.getUint32(42, true)],
    extra,
  );
  return {
    position,
    headerSize,
    rawName: keptName(bytes.subarray(index + CENTRAL_SIZE, index + nameEnd)),
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

/**
 * The local header at a position.
 *
 * @returns undefined where there is none, or none whole.
 */
export function readLocalHeader(source: ByteSource, position: number): ZipHeader | undefined {
  const fixed = viewOf(source.read(position, LOCAL_SIZE));
  if (fixed.byteLength < LOCAL_SIZE || fixed.getUint32(0, true) !== 0x04034b50) return undefined;
  const nameLength = fixed.getUint16(26, true);
  const headerSize = LOCAL_SIZE + nameLength + fixed.getUint16(28, true);
  const header = source.read(position, headerSize);
  if (header.length < headerSize) return undefined;
  const extra = header.subarray(LOCAL_SIZE + nameLength);
  const [size, compressedSize] = widened(
    [fixed.getUint32(22, true), fixed.getUint32(18, true)],
    extra,
  );
  return {
    position,
    headerSize,
    rawName: keptName(header.subarray(LOCAL_SIZE, LOCAL_SIZE + nameLength)),
    flags: fixed.getUint16(6, true),
    method: fixed.getUint16(8, true),
    crc32: fixed.getUint32(14, true),
    compressedSize: compressedSize ?? NaN,
    size: size ?? NaN,
    unicodeName: unicodePath(extra),
  };
}

/** The name of a member as text, whichever of the two encodings it is in. */
export function decodedName(header: ZipHeader): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(header.rawName);
  } catch {
    return new TextDecoder("latin1").decode(header.rawName);
  }
}

/** A copy, so that the rest of the header need not be kept. */
function keptName(name: Uint8Array): Uint8Array {
  return name.slice(0, KEPT_NAME_BYTES);
}

/** Numbers of 32 bits, each replaced where it says so by the next of 64 bits (APPNOTE 4.5.3). */
function widened(numbers: readonly number[], extra: Uint8Array): (number | undefined)[] {
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
    ? new TextDecoder().decode(keptName(field.subarray(5)))
    : undefined;
}

function extraField(extra: Uint8Array, wanted: number): Uint8Array | undefined {
  const view = viewOf(extra);
  let index = 0;
  while (index + 4 <= extra.length) {
    const size = view.getUint16(index + 2, true);
    if (view.getUint16(index, true) === wanted) return extra.subarray(index + 4, index + 4 + size);
    index += 4 + size;
  }
  return undefined;
}
