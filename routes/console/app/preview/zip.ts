import { HeaderError } from "./header.ts";
import { MAX_MEMBERS, type Member, type Members, type ReadPart } from "./members.ts";

/** The record at the end of a ZIP, and the longest comment after it. */
const END_BYTES = 22;
const END_MAGIC = 0x06054b50;
const MAX_TAIL = END_BYTES + 0xffff;
/** Where the record of ZIP64 is stated, before the one at the end. */
const LOCATOR_BYTES = 20;
const LOCATOR_MAGIC = 0x07064b50;
const END64_BYTES = 56;
const END64_MAGIC = 0x06064b50;
/** An entry of the directory. */
const ENTRY_BYTES = 46;
const ENTRY_MAGIC = 0x02014b50;
/** Directories are read up to 16 MiB. */
const MAX_DIRECTORY = 16 * 2 ** 20;
/** What stands for a number that is in the extra field. */
const IN_EXTRA = 0xffffffff;
const UTF8_FLAG = 0x800;

/** Where the directory is. */
interface Place {
  readonly start: number;
  readonly bytes: number;
  readonly entries: number;
}

/**
 * Lists the members of a ZIP by the directory at its end.
 *
 * @param size Of the file, in bytes.
 * @throws {HeaderError} when there is none.
 */
export async function readZip(read: ReadPart, size: number): Promise<Members> {
  const { start, bytes, entries } = await findDirectory(read, size);
  if (start + bytes > size) throw new HeaderError("The directory of the archive is cut off");
  const isCut = bytes > MAX_DIRECTORY || entries > MAX_MEMBERS;
  if (bytes === 0) return { members: [], isCut: false };
  const directory = await read(start, start + Math.min(bytes, MAX_DIRECTORY));
  return { members: [...entriesOf(directory)].slice(0, MAX_MEMBERS), isCut };
}

async function findDirectory(read: ReadPart, size: number): Promise<Place> {
  const start = Math.max(0, size - MAX_TAIL - LOCATOR_BYTES);
  const tail = await read(start, size);
  const view = new DataView(tail.buffer);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== END_MAGIC) continue;
    const locator = at - LOCATOR_BYTES;
    if (locator >= 0 && view.getUint32(locator, true) === LOCATOR_MAGIC) {
      return await read64(read, Number(view.getBigUint64(locator + 8, true)), size);
    }
    return {
      entries: view.getUint16(at + 10, true),
      bytes: view.getUint32(at + 12, true),
      start: view.getUint32(at + 16, true),
    };
  }
  throw new HeaderError("The archive has no directory at its end: it is cut off");
}

async function read64(read: ReadPart, start: number, size: number): Promise<Place> {
  if (start + END64_BYTES > size) throw new HeaderError("The end of the archive is malformed");
  const view = new DataView((await read(start, start + END64_BYTES)).buffer);
  if (view.getUint32(0, true) !== END64_MAGIC) {
    throw new HeaderError("The end of the archive is malformed");
  }
  return {
    entries: Number(view.getBigUint64(32, true)),
    bytes: Number(view.getBigUint64(40, true)),
    start: Number(view.getBigUint64(48, true)),
  };
}

function* entriesOf(directory: Uint8Array<ArrayBuffer>): Generator<Member> {
  const view = new DataView(directory.buffer);
  for (let at = 0; at + ENTRY_BYTES <= directory.length;) {
    if (view.getUint32(at, true) !== ENTRY_MAGIC) return;
    const nameBytes = view.getUint16(at + 28, true);
    const extraBytes = view.getUint16(at + 30, true);
    const end = at + ENTRY_BYTES + nameBytes + extraBytes + view.getUint16(at + 32, true);
    if (end > directory.length) return;
    const nameAt = at + ENTRY_BYTES;
    const isUtf8 = (view.getUint16(at + 8, true) & UTF8_FLAG) !== 0;
    const name = new TextDecoder(isUtf8 ? "utf-8" : "latin1")
      .decode(directory.subarray(nameAt, nameAt + nameBytes));
    const [size, packed] = sizesOf(view, at, nameAt + nameBytes, extraBytes);
    yield { name, size, packed };
    at = end;
  }
}

/** The sizes of an entry, unpacked and packed. Large ones are in its extra field. */
function sizesOf(view: DataView, at: number, extraAt: number, extraBytes: number) {
  const size = view.getUint32(at + 24, true);
  const packed = view.getUint32(at + 20, true);
  for (let field = extraAt; field + 4 <= extraAt + extraBytes;) {
    const bytes = view.getUint16(field + 2, true);
    if (view.getUint16(field, true) === 1 && field + 4 + bytes <= extraAt + extraBytes) {
      const large = Array.from(
        { length: Math.floor(bytes / 8) },
        (_, index) => Number(view.getBigUint64(field + 4 + 8 * index, true)),
      );
      const first = size === IN_EXTRA ? large.shift() ?? size : size;
      return [first, packed === IN_EXTRA ? large.shift() ?? packed : packed] as const;
    }
    field += 4 + bytes;
  }
  return [size, packed] as const;
}
