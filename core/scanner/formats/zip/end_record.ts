import type { ByteSource } from "../../contract/source.ts";
import { indexesOf, readSafeUint64, viewOf } from "../../readers/bytes/bytes.ts";

/** A record that ends a ZIP archive (APPNOTE 4.3.16), with what it says of the directory. */
export interface ZipEnd {
  /** Where the record begins, or its ZIP64 companion where there is one. */
  readonly position: number;
  /** Where the archive ends by this record, its comment included. */
  readonly end: number;
  /** What the record itself says; undefined where it refers to ZIP64. */
  readonly plain: DirectoryLocation | undefined;
  /** What the ZIP64 record says (APPNOTE 4.3.14); undefined where there is none. */
  readonly zip64: DirectoryLocation | undefined;
  /** Whether a ZIP64 record is announced, and is not where it is said to be. */
  readonly zip64Missing: boolean;
}

/** Where a directory lies, as an end record has it: hostile numbers. */
export interface DirectoryLocation {
  readonly entries: number;
  readonly size: number;
  readonly offset: number;
  /** Where the directory ought to stop, which is where the record that tells of it begins. */
  readonly stop: number;
}

const END_SIGNATURE = Uint8Array.of(0x50, 0x4b, 5, 6);
const END_SIZE = 22;
const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_SIZE = 20;
const ZIP64_SIGNATURE = 0x06064b50;
const ZIP64_SIZE = 56;
const MOST_COMMENT = 0xffff;
const MOST_ENDS = 16;

/** The end records in the part of a content where readers look for them, the last one first. */
export function findZipEnds(source: ByteSource): ZipEnd[] {
  const start = Math.max(0, source.size - END_SIZE - MOST_COMMENT);
  const tail = source.read(start, source.size - start);
  return indexesOf(tail, END_SIGNATURE)
    .filter((index) => index + END_SIZE <= tail.length)
    .slice(-MOST_ENDS)
    .reverse()
    .map((index) => readEnd(source, tail, start, index));
}

function readEnd(source: ByteSource, tail: Uint8Array, start: number, index: number): ZipEnd {
  const view = viewOf(tail.subarray(index, index + END_SIZE));
  const position = start + index;
  const plain = {
    entries: view.getUint16(10, true),
    size: view.getUint32(12, true),
    offset: view.getUint32(16, true),
    stop: position,
  };
  const locator = zip64Locator(source, position);
  const zip64 = locator === undefined ? undefined : zip64Place(source, position, locator);
  return {
    position: zip64?.stop ?? position,
    end: position + END_SIZE + view.getUint16(20, true),
    plain: refersToZip64(plain) ? undefined : plain,
    zip64,
    zip64Missing: zip64 === undefined && (locator !== undefined || refersToZip64(plain)),
  };
}

/** Whether a field holds the number that stands for "see ZIP64"; a directory can't be there otherwise. */
function refersToZip64(place: DirectoryLocation): boolean {
  return place.size === 0xffffffff || place.offset === 0xffffffff;
}

/** Where the ZIP64 record is said to be; NaN where the number is beyond all files. */
function zip64Locator(source: ByteSource, endPosition: number): number | undefined {
  if (endPosition < LOCATOR_SIZE) return undefined;
  const view = viewOf(source.read(endPosition - LOCATOR_SIZE, LOCATOR_SIZE));
  if (view.byteLength < LOCATOR_SIZE || view.getUint32(0, true) !== LOCATOR_SIGNATURE) {
    return undefined;
  }
  return readSafeUint64(view, 8) ?? NaN;
}

/** Reads the ZIP64 record right before its locator, or else where the locator says. */
function zip64Place(
  source: ByteSource,
  endPosition: number,
  said: number,
): DirectoryLocation | undefined {
  const usual = endPosition - LOCATOR_SIZE - ZIP64_SIZE;
  for (const position of [usual, said]) {
    if (!(position >= 0) || position + ZIP64_SIZE > source.size) continue;
    const view = viewOf(source.read(position, ZIP64_SIZE));
    if (view.byteLength < ZIP64_SIZE || view.getUint32(0, true) !== ZIP64_SIGNATURE) continue;
    const [entries, size, offset] = [32, 40, 48].map((at) => readSafeUint64(view, at));
    if (entries === undefined || size === undefined || offset === undefined) continue;
    return { entries, size, offset, stop: position };
  }
  return undefined;
}
