import { type ByteSource, memorySource } from "../../contract/source.ts";
import { detached } from "../../contract/detached.ts";
import { MAX_KEPT_NAME_BYTES } from "../archive/entry_path.ts";
import { readTarHeader, TAR_BLOCK_BYTES, type TarHeader } from "./header.ts";
import { MIB } from "../../../../schemas/units.ts";

/** The type of a member (POSIX ustar, typeflag). */
export type TarKind = "file" | "hard link" | "symbolic link" | "device" | "folder" | "pipe";

/** A member of a TAR archive, with long names resolved. */
export interface TarEntry {
  readonly name: string;
  readonly kind: TarKind;
  /** The target of a link, or "". */
  readonly target: string;
  /** Start of the header. */
  readonly position: number;
  readonly dataStart: number;
  /** Declared size in bytes, or NaN if it is not a number. */
  readonly size: number;
}

/** A part of the archive that is not a member. */
export interface TarFault {
  readonly fault: "corrupt_header" | "truncated_archive" | "data_after_end";
  readonly position: number;
  /** Start of the next header, or the end of the content. */
  readonly end: number;
}

/** Long names and sizes from extended headers, which override those of the next header. */
interface Overrides {
  name?: string;
  target?: string;
  size?: number;
}

const MAX_EXTENSION_BYTES = MIB;
const MAX_PAX_RECORDS = 1000;
const CHUNK_BYTES = MIB;

/**
 * Iterates over the members of an archive in order, with the faults between them. After a broken header
 * and after the end of the archive it searches for the next header, as other readers do.
 */
export function* tarEntries(source: ByteSource): Generator<TarEntry | TarFault, void, void> {
  let position = 0;
  let pending: Overrides = {};
  let common: Overrides = {};
  while (position < source.size) {
    const header = readTarHeader(source, position);
    if (!header) {
      const next = nextHeader(source, position);
      const fault = faultBetween(source, position, next);
      if (fault) yield fault;
      position = next;
      continue;
    }
    const dataStart = position + TAR_BLOCK_BYTES;
    if (isExtension(header)) {
      const overrides = readExtension(source, header, dataStart);
      if (header.type === "g") common = { ...common, ...overrides };
      else pending = { ...pending, ...overrides };
      position = blockAfter(dataStart, header.size);
      continue;
    }
    const entry = createEntry(header, position, { ...common, ...pending });
    yield entry;
    if (dataStart + entry.size > source.size) {
      yield { fault: "truncated_archive", position, end: source.size };
    }
    pending = {};
    position = blockAfter(dataStart, entry.size);
  }
}

/** Whether content begins with the header of a TAR archive. */
export function isTar(source: ByteSource): boolean {
  return source.size >= TAR_BLOCK_BYTES && readTarHeader(source, 0) !== undefined;
}

/** The first block after the data of a member. */
function blockAfter(dataStart: number, size: number): number {
  const blocks = Number.isFinite(size) ? Math.ceil(size / TAR_BLOCK_BYTES) : 0;
  return dataStart + blocks * TAR_BLOCK_BYTES;
}

/**
 * Whether a member has data. Links, devices, folders and pipes have none, whatever size they declare. A
 * sparse map is part of the data.
 */
function hasData({ type }: TarHeader): boolean {
  return !"123456".includes(type);
}

function isExtension({ type }: TarHeader): boolean {
  return "LKxgX".includes(type);
}

function readExtension(
  source: ByteSource,
  { type, size }: TarHeader,
  dataStart: number,
): Overrides {
  if (!(size <= MAX_EXTENSION_BYTES)) return {};
  const data = source.read(dataStart, size);
  const text = () => new TextDecoder().decode(data).replace(/\0.*$/s, "");
  switch (type) {
    case "L":
      return { name: text() };
    case "K":
      return { target: text() };
    default:
      return paxOverrides(parsePaxRecords(data));
  }
}

function paxOverrides(records: ReadonlyMap<string, string>): Overrides {
  const name = records.get("GNU.sparse.name") ?? records.get("path");
  const target = records.get("linkpath");
  const size = records.get("size");
  return {
    ...(name !== undefined && { name }),
    ...(target !== undefined && { target }),
    ...(size !== undefined && { size: /^\d{1,15}$/.test(size) ? Number(size) : NaN }),
  };
}

/** Parses pax records, `length key=value\n`. The last record of a key wins. */
function parsePaxRecords(data: Uint8Array): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  const decoder = new TextDecoder();
  let index = 0;
  for (let count = 0; count < MAX_PAX_RECORDS && index < data.length; count++) {
    const digits = /^(\d{1,7}) /.exec(decoder.decode(data.subarray(index, index + 8)))?.[1];
    const length = Number(digits);
    if (digits === undefined || length <= digits.length + 1) break;
    const record = decoder.decode(data.subarray(index + digits.length + 1, index + length - 1));
    const equals = record.indexOf("=");
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    index += length;
  }
  return records;
}

function createEntry(header: TarHeader, position: number, overrides: Overrides): TarEntry {
  return {
    name: keptName(overrides.name ?? header.name),
    kind: kindOf(header),
    target: keptName(overrides.target ?? header.target),
    position,
    dataStart: position + TAR_BLOCK_BYTES,
    size: hasData(header) ? overrides.size ?? header.size : 0,
  };
}

/** Cuts a name, and detaches it from the header so that the header can be freed. */
function keptName(name: string): string {
  return detached(name.slice(0, MAX_KEPT_NAME_BYTES));
}

function kindOf({ type }: TarHeader): TarKind {
  switch (type) {
    case "1":
      return "hard link";
    case "2":
      return "symbolic link";
    case "3":
    case "4":
      return "device";
    case "5":
      return "folder";
    case "6":
      return "pipe";
    default:
      return "file";
  }
}

/** The position of the next header, or the end of the content. */
function nextHeader(source: ByteSource, position: number): number {
  for (let start = position + TAR_BLOCK_BYTES; start < source.size; start += CHUNK_BYTES) {
    const chunk = memorySource(source.read(start, CHUNK_BYTES));
    for (let index = 0; index < chunk.size; index += TAR_BLOCK_BYTES) {
      if (readTarHeader(chunk, index)) return start + index;
    }
  }
  return source.size;
}

/** The fault for blocks that are not headers, or undefined for the zero blocks at the end. */
function faultBetween(source: ByteSource, position: number, next: number): TarFault | undefined {
  const zeros = source.read(position, TAR_BLOCK_BYTES).every((byte) => byte === 0);
  if (!zeros) return { fault: "corrupt_header", position, end: next };
  if (next < source.size) return { fault: "data_after_end", position, end: next };
  const foreign = firstNonzero(source, position);
  if (foreign === undefined) return undefined;
  return { fault: "data_after_end", position: foreign, end: source.size };
}

function firstNonzero(source: ByteSource, from: number): number | undefined {
  for (let position = from; position < source.size; position += CHUNK_BYTES) {
    const index = source.read(position, CHUNK_BYTES).findIndex((byte) => byte !== 0);
    if (index >= 0) return position + index;
  }
  return undefined;
}
