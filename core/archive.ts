/**
 * Writes a ZIP archive as a stream (PKWARE APPNOTE 6.3) in constant memory. The CRC-32 and size of each
 * file are known before its content is read, and the central directory is built from a second pass over
 * the list of files. Stored entries need no data descriptor, so every extractor can read them.
 * See docs/design/downloads.md.
 */

import { KIB } from "../schemas/units.ts";
import type { Chunk, ContentReader } from "./content.ts";
import { paced } from "./event_loop.ts";

/** A file to archive. */
export interface ArchiveEntry {
  /** The path in the archive. Whoever lists the files makes it: core/tree/download.ts. */
  readonly name: string;
  readonly size: number;
  readonly crc32: number;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
  /** Compressed size in bytes if the file was deflated, else null. Known in the second pass only. */
  readonly packedSize: number | null;
}

/** A file to archive, with its content. */
export interface ArchiveMember<Entry extends ArchiveEntry> {
  readonly entry: Entry;
  /** Whether `content` is a raw DEFLATE stream, rather than uncompressed. */
  readonly deflated: boolean;
  readonly content: ContentReader;
}

/** Supplies the files of an archive. */
export interface ArchiveSource<Entry extends ArchiveEntry> {
  /** The files in archive order. Each content is closed before the next file is requested. */
  members(): AsyncIterable<ArchiveMember<Entry>>;
  /** Records the `packedSize` that `entries` must return. */
  setPackedSize(entry: Entry, bytes: number): Promise<void>;
  /** The files again, in the same order, for the central directory. */
  entries(): AsyncIterable<Entry>;
}

const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const DATA_DESCRIPTOR_SIGNATURE = 0x08074b50;
const CENTRAL_HEADER_SIGNATURE = 0x02014b50;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const END_SIGNATURE = 0x06054b50;

const MAX_UINT16 = 0xffff;
const MAX_UINT32 = 0xffffffff;
/** Entries of at least this size use ZIP64. The margin allows for DEFLATE growing random content. */
const MIN_ZIP64_ENTRY_BYTES = 0xff000000;

const DEFLATED = 8;
const STORED = 0;
/** Bit 3: sizes and checksum follow the content. */
const DESCRIPTOR_FLAG = 1 << 3;
/** Bit 11: the name is UTF-8. */
const UTF8_FLAG = 1 << 11;
const VERSION = 20;
const VERSION_ZIP64 = 45;
const MADE_BY_UNIX = 3 << 8;
/** The Unix mode of a regular file, rw-r--r--, in the high half. */
const EXTERNAL_ATTRIBUTES = 0o100644 * 0x10000;

const encoder = new TextEncoder();

/**
 * Yields the bytes of a ZIP archive.
 *
 * @throws {Error} when a stored content does not have the size of its entry, or when a content cannot
 *   be read. The archive is incomplete then.
 */
export function zipStream<Entry extends ArchiveEntry>(
  source: ArchiveSource<Entry>,
): AsyncGenerator<Chunk> {
  return gather(chunksOf(source));
}

async function* chunksOf<Entry extends ArchiveEntry>(
  source: ArchiveSource<Entry>,
): AsyncGenerator<Chunk> {
  for await (const { entry, deflated, content } of paced(source.members())) {
    let packedSize = 0;
    try {
      yield localHeader(entry, deflated);
      for await (const chunk of content) {
        packedSize += chunk.length;
        yield chunk;
      }
    } finally {
      await content.return();
    }
    if (deflated) {
      await source.setPackedSize(entry, packedSize);
      yield dataDescriptor(entry, packedSize);
    } else if (packedSize !== entry.size) {
      throw new Error(`Stored content has ${packedSize} bytes, not ${entry.size}`);
    }
  }
  yield* centralDirectory(source.entries());
}

async function* centralDirectory(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Chunk> {
  let count = 0;
  let size = 0;
  let offset = 0;
  for await (const entry of paced(entries)) {
    const header = centralHeader(entry, offset);
    yield header;
    size += header.length;
    count++;
    offset += entrySize(entry);
  }
  yield endOfDirectory(count, size, offset);
}

/** Number of bytes that an entry takes before the central directory. */
function entrySize(entry: ArchiveEntry): number {
  const deflated = entry.packedSize !== null;
  const descriptor = deflated ? dataDescriptor(entry, 0).length : 0;
  return localHeader(entry, deflated).length + (entry.packedSize ?? entry.size) + descriptor;
}

function localHeader(entry: ArchiveEntry, deflated: boolean): Chunk {
  const name = encoder.encode(entry.name);
  const zip64 = isZip64(entry);
  const size = deflated ? 0 : entry.size;
  const extra = fields(
    ...(zip64 ? [fields([2, 0x0001], [2, 16], [8, size], [8, size])] : []),
    timestamp(entry),
  );
  return fields(
    [4, LOCAL_HEADER_SIGNATURE],
    [2, zip64 ? VERSION_ZIP64 : VERSION],
    [2, deflated ? UTF8_FLAG | DESCRIPTOR_FLAG : UTF8_FLAG],
    [2, deflated ? DEFLATED : STORED],
    [4, dosTime(entry)],
    [4, deflated ? 0 : entry.crc32],
    [4, zip64 ? MAX_UINT32 : size],
    [4, zip64 ? MAX_UINT32 : size],
    [2, name.length],
    [2, extra.length],
    name,
    extra,
  );
}

function dataDescriptor(entry: ArchiveEntry, packedSize: number): Chunk {
  const width = isZip64(entry) ? 8 : 4;
  return fields([4, DATA_DESCRIPTOR_SIGNATURE], [4, entry.crc32], [width, packedSize], [
    width,
    entry.size,
  ]);
}

function centralHeader(entry: ArchiveEntry, offset: number): Chunk {
  const name = encoder.encode(entry.name);
  const deflated = entry.packedSize !== null;
  const packedSize = entry.packedSize ?? entry.size;
  // APPNOTE 4.5.3: only the fields that overflow, in this order.
  const overflowing = [entry.size, packedSize, offset].filter((value) => value >= MAX_UINT32);
  const zip64 = isZip64(entry) || overflowing.length > 0;
  const extra = fields(
    ...(overflowing.length > 0
      ? [fields([2, 0x0001], [2, 8 * overflowing.length], ...overflowing.map(eightBytes))]
      : []),
    timestamp(entry),
  );
  return fields(
    [4, CENTRAL_HEADER_SIGNATURE],
    [2, MADE_BY_UNIX | VERSION_ZIP64],
    [2, zip64 ? VERSION_ZIP64 : VERSION],
    [2, deflated ? UTF8_FLAG | DESCRIPTOR_FLAG : UTF8_FLAG],
    [2, deflated ? DEFLATED : STORED],
    [4, dosTime(entry)],
    [4, entry.crc32],
    [4, Math.min(packedSize, MAX_UINT32)],
    [4, Math.min(entry.size, MAX_UINT32)],
    [2, name.length],
    [2, extra.length],
    [2, 0], // comment
    [2, 0], // disk
    [2, 0], // internal attributes
    [4, EXTERNAL_ATTRIBUTES],
    [4, Math.min(offset, MAX_UINT32)],
    name,
    extra,
  );
}

function endOfDirectory(count: number, size: number, start: number): Chunk {
  const zip64 = count >= MAX_UINT16 || size >= MAX_UINT32 || start >= MAX_UINT32;
  const end = fields(
    [4, END_SIGNATURE],
    [2, 0],
    [2, 0],
    [2, Math.min(count, MAX_UINT16)],
    [2, Math.min(count, MAX_UINT16)],
    [4, Math.min(size, MAX_UINT32)],
    [4, Math.min(start, MAX_UINT32)],
    [2, 0],
  );
  if (!zip64) return end;
  return fields(
    [4, ZIP64_END_SIGNATURE],
    [8, 44],
    [2, MADE_BY_UNIX | VERSION_ZIP64],
    [2, VERSION_ZIP64],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, size],
    [8, start],
    [4, ZIP64_LOCATOR_SIGNATURE],
    [4, 0],
    [8, start + size],
    [4, 1],
    end,
  );
}

function isZip64(entry: ArchiveEntry): boolean {
  return entry.size >= MIN_ZIP64_ENTRY_BYTES;
}

/** The Info-ZIP extended timestamp, in seconds of UTC. DOS time has no time zone. */
function timestamp(entry: ArchiveEntry): Chunk {
  return fields([2, 0x5455], [2, 5], [1, 1], [4, Math.floor(entry.modifiedAt / 1000)]);
}

/** MS-DOS date and time in UTC, clamped to its range of years. */
function dosTime(entry: ArchiveEntry): number {
  const date = new Date(entry.modifiedAt);
  const year = Math.min(Math.max(date.getUTCFullYear(), 1980), 2107);
  const day = ((year - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) |
    (date.getUTCSeconds() >> 1);
  return day * 0x10000 + time;
}

type Field = readonly [width: 1 | 2 | 4 | 8, value: number] | Chunk;

function eightBytes(value: number): Field {
  return [8, value];
}

/** Concatenates little-endian numbers and byte strings. */
function fields(...parts: readonly Field[]): Chunk {
  const length = parts.reduce(
    (sum, part) => sum + (part instanceof Uint8Array ? part.length : part[0]),
    0,
  );
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      bytes.set(part, at);
      at += part.length;
      continue;
    }
    const [width, value] = part;
    if (width === 8) view.setBigUint64(at, BigInt(value), true);
    else if (width === 4) view.setUint32(at, value, true);
    else if (width === 2) view.setUint16(at, value, true);
    else view.setUint8(at, value);
    at += width;
  }
  return bytes;
}

const BUFFER_BYTES = 64 * KIB;

/** Joins small chunks, so that an archive of many tiny files does not cause many tiny writes. */
async function* gather(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  let buffer = new Uint8Array(BUFFER_BYTES);
  let filled = 0;
  for await (const chunk of chunks) {
    if (filled + chunk.length > buffer.length && filled > 0) {
      yield buffer.subarray(0, filled);
      buffer = new Uint8Array(BUFFER_BYTES);
      filled = 0;
    }
    if (chunk.length >= buffer.length) {
      yield chunk;
    } else {
      buffer.set(chunk, filled);
      filled += chunk.length;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
