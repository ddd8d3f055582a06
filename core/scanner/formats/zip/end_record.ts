import type { ByteSource } from "../../contract/source.ts";
import { indexesOf, readSafeUint64, viewOf } from "../../readers/bytes/bytes.ts";

/** An end of central directory record (APPNOTE 4.3.16), with its ZIP64 companion. */
export interface ZipEnd {
  /** Start of the record, or of its ZIP64 record if it has one. */
  readonly position: number;
  /** End of the archive according to this record, including its comment. */
  readonly end: number;
  /** The location in the record itself, or undefined if it refers to ZIP64. */
  readonly plain: DirectoryLocation | undefined;
  /** The location in the ZIP64 record (APPNOTE 4.3.14), or undefined if there is none. */
  readonly zip64: DirectoryLocation | undefined;
  /** Whether a ZIP64 record is announced but missing. */
  readonly zip64Missing: boolean;
}

/** Location of a directory according to an end record. The numbers are untrusted. */
export interface DirectoryLocation {
  readonly entries: number;
  readonly size: number;
  readonly offset: number;
  /** Expected end of the directory: the start of the record that describes it. */
  readonly stop: number;
}

const END_SIGNATURE = Uint8Array.of(0x50, 0x4b, 5, 6);
const END_BYTES = 22;
const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_BYTES = 20;
const ZIP64_SIGNATURE = 0x06064b50;
const ZIP64_BYTES = 56;
const MAX_COMMENT_BYTES = 0xffff;
const MAX_END_RECORDS = 16;

/** Finds the end records in the tail of the content that readers search, last one first. */
export function findZipEnds(source: ByteSource): ZipEnd[] {
  const start = Math.max(0, source.size - END_BYTES - MAX_COMMENT_BYTES);
  const tail = source.read(start, source.size - start);
  return indexesOf(tail, END_SIGNATURE)
    .filter((index) => index + END_BYTES <= tail.length)
    .slice(-MAX_END_RECORDS)
    .reverse()
    .map((index) => readEnd(source, tail.subarray(index, index + END_BYTES), start + index));
}

function readEnd(source: ByteSource, record: Uint8Array, position: number): ZipEnd {
  const view = viewOf(record);
  const plain = {
    entries: view.getUint16(10, true),
    size: view.getUint32(12, true),
    offset: view.getUint32(16, true),
    stop: position,
  };
  const zip64Offset = readLocator(source, position);
  const zip64 = zip64Offset === undefined ? undefined : readZip64(source, position, zip64Offset);
  const announced = zip64Offset !== undefined || refersToZip64(plain);
  return {
    position: zip64?.stop ?? position,
    end: position + END_BYTES + view.getUint16(20, true),
    plain: refersToZip64(plain) ? undefined : plain,
    zip64,
    zip64Missing: zip64 === undefined && announced,
  };
}

/** Whether a field has the value that means "see the ZIP64 record". */
function refersToZip64({ size, offset }: DirectoryLocation): boolean {
  return size === 0xffffffff || offset === 0xffffffff;
}

/** Offset of the ZIP64 record according to its locator; NaN if it exceeds 2^53. */
function readLocator(source: ByteSource, endPosition: number): number | undefined {
  if (endPosition < LOCATOR_BYTES) return undefined;
  const view = viewOf(source.read(endPosition - LOCATOR_BYTES, LOCATOR_BYTES));
  if (view.byteLength < LOCATOR_BYTES || view.getUint32(0, true) !== LOCATOR_SIGNATURE) {
    return undefined;
  }
  return readSafeUint64(view, 8) ?? NaN;
}

/** Reads the ZIP64 record right before its locator, or else at the offset in the locator. */
function readZip64(
  source: ByteSource,
  endPosition: number,
  offset: number,
): DirectoryLocation | undefined {
  const beforeLocator = endPosition - LOCATOR_BYTES - ZIP64_BYTES;
  for (const position of [beforeLocator, offset]) {
    if (!(position >= 0) || position + ZIP64_BYTES > source.size) continue;
    const view = viewOf(source.read(position, ZIP64_BYTES));
    if (view.byteLength < ZIP64_BYTES || view.getUint32(0, true) !== ZIP64_SIGNATURE) continue;
    const [entries, size, directoryOffset] = [32, 40, 48].map((at) => readSafeUint64(view, at));
    if (entries === undefined || size === undefined || directoryOffset === undefined) continue;
    return { entries, size, offset: directoryOffset, stop: position };
  }
  return undefined;
}
