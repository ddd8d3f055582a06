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

/** The pages of a database, or undefined if content is none. */
export function pagesOf(source: ByteSource): Pages | undefined {
  const head = source.read(0, HEADER_BYTES);
  if (head.length < HEADER_BYTES || decodeLatin1(head.subarray(0, 16)) !== MAGIC) return undefined;
  const size = viewOf(head).getUint16(16);
  const pageBytes = size === 1 ? MAX_PAGE_BYTES : size;
  const isPowerOf2 = (pageBytes & (pageBytes - 1)) === 0;
  if (pageBytes < MIN_PAGE_BYTES || !isPowerOf2) return undefined;
  return { source, pageBytes, usable: pageBytes - (head[20] ?? 0) };
}

/**
 * The payloads of all records in a database, in the order of its pages: of tables and of indexes, those
 * of removed pages as well. Of a page that is malformed, those that can be read.
 */
export function* payloadsOf(pages: Pages): Generator<PayloadSource, void, void> {
  const { source, pageBytes } = pages;
  for (let page = 0; page * pageBytes < source.size; page++) {
    const bytes = source.read(page * pageBytes, pageBytes);
    const start = page === 0 ? HEADER_BYTES : 0;
    const type = bytes[start] ?? 0;
    if (type !== TABLE_LEAF && type !== INDEX_LEAF && type !== INDEX_INTERIOR) continue;
    yield* cellsOf(pages, page * pageBytes, bytes, start, type);
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
