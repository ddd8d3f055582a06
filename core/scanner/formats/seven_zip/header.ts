import { DamagedData } from "../../readers/compression/output_buffer.ts";
import { SevenZipCursor } from "./cursor.ts";

/** Parts of a 7z header (7zFormat.txt). */
const END = 0x00;
export const HEADER = 0x01;
const ARCHIVE_PROPERTIES = 0x02;
const ADDITIONAL_STREAMS = 0x03;
const MAIN_STREAMS = 0x04;
const FILES = 0x05;
const PACK_INFO = 0x06;
const UNPACK_INFO = 0x07;
const SUBSTREAMS = 0x08;
const SIZES = 0x09;
const CHECKSUMS = 0x0a;
const FOLDERS = 0x0b;
const UNPACK_SIZES = 0x0c;
const STREAM_COUNTS = 0x0d;
const EMPTY_STREAMS = 0x0e;
const NAMES = 0x11;
const ATTRIBUTES = 0x15;
export const ENCODED_HEADER = 0x17;

const MAX_FOLDERS = 100_000;
const MAX_STREAMS = 1_000_000;
const MAX_CODERS = 32;

/** A step of unpacking. */
export interface Coder {
  /** Its method as hexadecimal digits. */
  readonly method: string;
  readonly properties: Uint8Array;
  readonly inputs: number;
  readonly outputs: number;
}

/** Members that are packed together. */
export interface Folder {
  readonly coders: readonly Coder[];
  /** For each coder, the one whose output it reads; undefined for packed data. */
  readonly sources: ReadonlyMap<number, number>;
  readonly packedStreams: number;
  /** Sizes of the outputs of the coders. */
  sizes: readonly number[];
  /** Sizes of the members in it. */
  members: readonly number[];
  hasChecksum: boolean;
}

/** Where the packed data is, and how to unpack it. */
export interface Streams {
  packedAt: number;
  packedSizes: readonly number[];
  folders: readonly Folder[];
}

/** A file or directory in the archive. */
export interface SevenZipFile {
  readonly name: string;
  /** Whether it has data. */
  readonly hasStream: boolean;
  /** Its mode in Unix, or 0. */
  readonly mode: number;
}

/** Reads the streams of an archive or of its header. */
export function readStreams(cursor: SevenZipCursor): Streams {
  const streams: Streams = { packedAt: 0, packedSizes: [], folders: [] };
  for (;;) {
    const part = cursor.byte();
    if (part === END) return streams;
    if (part === PACK_INFO) readPackInfo(cursor, streams);
    else if (part === UNPACK_INFO) streams.folders = readFolders(cursor);
    else if (part === SUBSTREAMS) readSubstreams(cursor, streams.folders);
    else throw new DamagedData(`Unknown part ${part}`);
  }
}

function readPackInfo(cursor: SevenZipCursor, streams: Streams): void {
  streams.packedAt = cursor.number();
  const count = cursor.count(MAX_STREAMS);
  for (let part = cursor.byte(); part !== END; part = cursor.byte()) {
    if (part === SIZES) streams.packedSizes = numbers(cursor, count);
    else if (part === CHECKSUMS) cursor.digests(count);
    else throw new DamagedData(`Unknown part ${part}`);
  }
}

function numbers(cursor: SevenZipCursor, count: number): number[] {
  return Array.from({ length: count }, () => cursor.number());
}

function readFolders(cursor: SevenZipCursor): Folder[] {
  let folders: Folder[] = [];
  for (let part = cursor.byte(); part !== END; part = cursor.byte()) {
    if (part === FOLDERS) {
      const count = cursor.count(MAX_FOLDERS);
      if (cursor.byte() !== 0) throw new DamagedData("External folders");
      folders = Array.from({ length: count }, () => readFolder(cursor));
    } else if (part === UNPACK_SIZES) {
      for (const folder of folders) {
        const outputs = folder.coders.reduce((sum, coder) => sum + coder.outputs, 0);
        folder.sizes = numbers(cursor, outputs);
        folder.members = [sizeOf(folder)];
      }
    } else if (part === CHECKSUMS) {
      const defined = cursor.digests(folders.length);
      folders.forEach((folder, i) => folder.hasChecksum = defined[i] === true);
    } else throw new DamagedData(`Unknown part ${part}`);
  }
  return folders;
}

function readFolder(cursor: SevenZipCursor): Folder {
  const count = cursor.count(MAX_CODERS);
  const coders = Array.from({ length: count }, () => readCoder(cursor));
  const inputs = coders.reduce((sum, coder) => sum + coder.inputs, 0);
  const outputs = coders.reduce((sum, coder) => sum + coder.outputs, 0);
  const sources = new Map<number, number>();
  for (let i = 1; i < outputs; i++) {
    const input = cursor.number();
    sources.set(input, cursor.number());
  }
  const packedStreams = inputs - sources.size;
  if (packedStreams > 1) numbers(cursor, packedStreams);
  return { coders, sources, packedStreams, sizes: [], members: [], hasChecksum: false };
}

function readCoder(cursor: SevenZipCursor): Coder {
  const flags = cursor.byte();
  const method = cursor.take(flags & 0x0f).toHex();
  const isComplex = (flags & 0x10) !== 0;
  const inputs = isComplex ? cursor.count(MAX_CODERS) : 1;
  const outputs = isComplex ? cursor.count(MAX_CODERS) : 1;
  const properties = (flags & 0x20) === 0 ? new Uint8Array() : cursor.take(cursor.number());
  return { method, properties, inputs, outputs };
}

/** The size of what a folder unpacks to: of the output that no coder reads. */
export function sizeOf({ sizes, sources }: Folder): number {
  const read = new Set(sources.values());
  return sizes.find((_, output) => !read.has(output)) ?? 0;
}

function readSubstreams(cursor: SevenZipCursor, folders: readonly Folder[]): void {
  let counts = folders.map(() => 1);
  for (let part = cursor.byte(); part !== END; part = cursor.byte()) {
    if (part === STREAM_COUNTS) {
      counts = folders.map(() => cursor.count(MAX_STREAMS));
      folders.forEach((folder, i) => folder.members = membersOf(folder, counts[i] ?? 0, () => 0));
    } else if (part === SIZES) {
      folders.forEach((folder, i) =>
        folder.members = membersOf(folder, counts[i] ?? 0, () => cursor.number())
      );
    } else if (part === CHECKSUMS) {
      const known = folders.filter(({ hasChecksum }, i) => counts[i] === 1 && hasChecksum).length;
      cursor.digests(counts.reduce((sum, count) => sum + count, 0) - known);
    } else throw new DamagedData(`Unknown part ${part}`);
  }
}

/** The sizes of the members of a folder. The last one is what remains. */
function membersOf(folder: Folder, count: number, next: () => number): number[] {
  const sizes: number[] = [];
  let left = sizeOf(folder);
  for (let i = 1; i < count; i++) {
    const size = next();
    sizes.push(size);
    left -= size;
  }
  if (count > 0) sizes.push(Math.max(0, left));
  return sizes;
}

/** What the header of an archive contains. */
export interface SevenZipHeader {
  readonly streams: Streams;
  readonly files: readonly SevenZipFile[];
}

/** Reads the header after its mark. */
export function readHeader(cursor: SevenZipCursor): SevenZipHeader {
  let streams: Streams = { packedAt: 0, packedSizes: [], folders: [] };
  let files: SevenZipFile[] = [];
  for (let part = cursor.byte(); part !== END; part = cursor.byte()) {
    if (part === ARCHIVE_PROPERTIES) skipProperties(cursor);
    else if (part === ADDITIONAL_STREAMS) readStreams(cursor);
    else if (part === MAIN_STREAMS) streams = readStreams(cursor);
    else if (part === FILES) files = readFiles(cursor);
    else throw new DamagedData(`Unknown part ${part}`);
  }
  return { streams, files };
}

function skipProperties(cursor: SevenZipCursor): void {
  while (cursor.byte() !== END) cursor.take(cursor.number());
}

function readFiles(cursor: SevenZipCursor): SevenZipFile[] {
  const count = cursor.count(MAX_STREAMS);
  let names: string[] = [];
  let empty: boolean[] = [];
  let modes: number[] = [];
  for (let part = cursor.byte(); part !== END; part = cursor.byte()) {
    const content = cursor.take(cursor.number());
    const inner = new SevenZipCursor(content);
    if (part === EMPTY_STREAMS) empty = inner.bits(count);
    else if (part === NAMES) {
      names = new TextDecoder("utf-16le").decode(content.subarray(1)).split("\0");
    } else if (part === ATTRIBUTES) {
      const defined = inner.optionalBits(count);
      inner.byte();
      modes = defined.map((isDefined) => isDefined ? modeOf(inner.take(4)) : 0);
    }
  }
  return Array.from({ length: count }, (_, i) => ({
    name: names[i] ?? "",
    hasStream: empty[i] !== true,
    mode: modes[i] ?? 0,
  }));
}

/** The upper half of the attributes, which holds the mode if a bit of the lower half says so. */
function modeOf(bytes: Uint8Array): number {
  const isUnix = ((bytes[1] ?? 0) & 0x80) !== 0;
  return isUnix ? (bytes[2] ?? 0) | (bytes[3] ?? 0) << 8 : 0;
}
