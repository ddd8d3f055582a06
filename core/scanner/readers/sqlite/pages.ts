import type { ByteSource } from "../../contract/source.ts";
import { decodeLatin1, viewOf } from "../bytes/bytes.ts";
import { type Pages, PayloadSource } from "./payload.ts";
import { varintAt } from "./record.ts";

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65536;

/** SQLite has no larger records. */
const MAX_PAYLOAD_BYTES = 2 ** 31 - 1;

/** The types of pages of B-trees (SQLite file format, 1.6). */
const INDEX_INTERIOR = 0x02;
const INDEX_LEAF = 0x0a;
const TABLE_LEAF = 0x0d;

/** The header of a write-ahead log, and of each page in it (SQLite file format, 4.1). */
const LOG_MAGICS: readonly number[] = [0x377f0682, 0x377f0683];
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The most pages of a log that are found by their numbers. Longer chains end there. */
const MAX_NUMBERED_PAGES = 500_000;

/** The pages of a database or of its write-ahead log, or undefined if content is neither. */
export function pagesOf(source: ByteSource): Pages | undefined {
  const head = source.read(0, HEADER_BYTES);
  return databasePages(source, head) ?? logPages(source, head);
}

function logPages(source: ByteSource, head: Uint8Array): Pages | undefined {
  if (head.length < LOG_HEADER_BYTES) return undefined;
  const view = viewOf(head);
  const pageBytes = view.getUint32(8);
  if (!LOG_MAGICS.includes(view.getUint32(0)) || !isPageSize(pageBytes)) return undefined;
  const offsets = new Map<number, number>();
  function* all(): Generator<readonly [number, number], void, void> {
    const step = FRAME_HEADER_BYTES + pageBytes;
    for (let frame = LOG_HEADER_BYTES; frame + step <= source.size; frame += step) {
      const number = viewOf(source.read(frame, 4));
      if (number.byteLength === 4) yield [number.getUint32(0), frame + FRAME_HEADER_BYTES];
    }
  }
  return {
    source,
    pageBytes,
    usable: pageBytes,
    all,
    offsetOf(page) {
      if (offsets.size === 0) {
        for (const [number, offset] of all()) {
          if (offsets.size < MAX_NUMBERED_PAGES) offsets.set(number, offset);
        }
      }
      return offsets.get(page);
    },
  };
}

function isPageSize(bytes: number): boolean {
  return bytes >= MIN_PAGE_BYTES && bytes <= MAX_PAGE_BYTES && (bytes & (bytes - 1)) === 0;
}

function databasePages(source: ByteSource, head: Uint8Array): Pages | undefined {
  if (head.length < HEADER_BYTES || decodeLatin1(head.subarray(0, 16)) !== MAGIC) return undefined;
  const size = viewOf(head).getUint16(16);
  const pageBytes = size === 1 ? MAX_PAGE_BYTES : size;
  if (!isPageSize(pageBytes)) return undefined;
  return {
    source,
    pageBytes,
    usable: pageBytes - (head[20] ?? 0),
    *all() {
      for (let page = 1; (page - 1) * pageBytes < source.size; page++) {
        yield [page, (page - 1) * pageBytes];
      }
    },
    offsetOf: (page) => (page - 1) * pageBytes,
  };
}

/**
 * The payloads of all records in a database, in the order of its pages: of tables and of indexes, those
 * of removed pages as well. Of a page that is malformed, those that can be read.
 */
export function* payloadsOf(pages: Pages): Generator<PayloadSource, void, void> {
  const { source, pageBytes } = pages;
  for (const [page, offset] of pages.all()) {
    const bytes = source.read(offset, pageBytes);
    const start = page === 1 ? HEADER_BYTES : 0;
    const type = bytes[start] ?? 0;
    if (type !== TABLE_LEAF && type !== INDEX_LEAF && type !== INDEX_INTERIOR) continue;
    yield* cellsOf(pages, offset, bytes, start, type);
  }
}

function* cellsOf(
  pages: Pages,
  position: number,
  bytes: Uint8Array,
  start: number,
  type: number,
): Generator<PayloadSource, void, void> {
  const pointers = start + (type === INDEX_INTERIOR ? 12 : 8);
  if (pointers > bytes.length) return;
  const view = viewOf(bytes);
  const cells = view.getUint16(start + 3);
  for (let cell = 0; cell < cells; cell++) {
    const pointer = pointers + 2 * cell;
    if (pointer + 2 > bytes.length) return;
    const at = view.getUint16(pointer) + (type === INDEX_INTERIOR ? 4 : 0);
    const size = varintAt(bytes, at);
    const rowId = type === TABLE_LEAF && size !== undefined ? varintAt(bytes, size.end) : size;
    if (size === undefined || rowId === undefined) continue;
    const local = localBytes(size.value, pages.usable, type === TABLE_LEAF);
    const end = rowId.end + local;
    if (size.value === 0 || size.value > MAX_PAYLOAD_BYTES || end > bytes.length) continue;
    const isWhole = local === size.value;
    if (!isWhole && end + 4 > bytes.length) continue;
    yield new PayloadSource(pages, {
      position: position + rowId.end,
      local,
      size: size.value,
      overflow: isWhole ? 0 : view.getUint32(end),
    });
  }
}

/** How many bytes of a payload are in its cell (SQLite file format, 1.6). */
function localBytes(size: number, usable: number, isTable: boolean): number {
  const most = isTable ? usable - 35 : Math.floor((usable - 12) * 64 / 255) - 23;
  if (size <= most) return size;
  const least = Math.floor((usable - 12) * 32 / 255) - 23;
  const local = least + (size - least) % (usable - 4);
  return local <= most ? local : least;
}
