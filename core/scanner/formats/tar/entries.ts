import { type ByteSource, memorySource } from "../../contract/source.ts";
import { detached } from "../../contract/detached.ts";
import { KEPT_NAME_BYTES } from "../archive/entry_path.ts";
import { paxRecords } from "./pax.ts";
import { readTarHeader, TAR_BLOCK, type TarHeader } from "./header.ts";
import { MIB } from "../../../../schemas/units.ts";

/** What a member of a TAR archive is (POSIX ustar, typeflag). */
export type TarKind = "file" | "hard link" | "symbolic link" | "device" | "folder" | "pipe";

/** A member of a TAR archive, its long names resolved. */
export interface TarEntry {
  readonly name: string;
  readonly kind: TarKind;
  /** What a link points to. */
  readonly target: string;
  /** Where its header lies. */
  readonly position: number;
  readonly dataStart: number;
  /** How many bytes it says that it has; NaN where that is no number. */
  readonly size: number;
}

/** Something in the sequence of members that is not one. */
export interface TarFault {
  readonly fault: "corrupt_header" | "truncated_archive" | "data_after_end";
  readonly position: number;
  /** Where the archive goes on, or ends. */
  readonly end: number;
}

/** Long names and other facts that a member of its own tells of the next one. */
interface Pending {
  name?: string;
  target?: string;
  size?: number;
}

const MOST_NAME = MIB;
const CHUNK = MIB;

/**
 * The members of an archive, in order, with what is wrong between them: after a broken header, and
 * after the end of the archive, the next header is looked for, as other readers do.
 */
export function* tarEntries(source: ByteSource): Generator<TarEntry | TarFault, void, void> {
  let position = 0;
  let pending: Pending = {};
  let common: Pending = {};
  while (position < source.size) {
    const header = readTarHeader(source, position);
    if (!header) {
      const next = nextHeader(source, position);
      const fault = faultBetween(source, position, next);
      if (fault) yield fault;
      position = next;
      continue;
    }
    const dataStart = position + TAR_BLOCK;
    if (isExtension(header)) {
      const told = extension(source, header, dataStart);
      if (header.type === "g") common = { ...common, ...told };
      else pending = { ...pending, ...told };
      position = after(dataStart, header.size);
      continue;
    }
    const entry = entryOf(header, position, { ...common, ...pending });
    yield entry;
    if (dataStart + entry.size > source.size) {
      yield { fault: "truncated_archive", position, end: source.size };
    }
    pending = {};
    position = after(dataStart, entry.size);
  }
}

/** Whether content begins with the header of a TAR archive. */
export function isTar(source: ByteSource): boolean {
  return source.size >= TAR_BLOCK && readTarHeader(source, 0) !== undefined;
}

function after(dataStart: number, size: number): number {
  const blocks = Number.isFinite(size) ? Math.ceil(size / TAR_BLOCK) : 0;
  return dataStart + blocks * TAR_BLOCK;
}

/** Links, devices and folders have no data, whatever their size says; a sparse map is part of it. */
function hasData({ type }: TarHeader): boolean {
  return !"123456".includes(type);
}

function isExtension({ type }: TarHeader): boolean {
  return "LKxgX".includes(type);
}

function extension(source: ByteSource, { type, size }: TarHeader, dataStart: number): Pending {
  if (!(size <= MOST_NAME)) return {};
  const data = source.read(dataStart, size);
  const text = () => new TextDecoder().decode(data).replace(/\0.*$/s, "");
  switch (type) {
    case "L":
      return { name: text() };
    case "K":
      return { target: text() };
    default:
      return ofPax(paxRecords(data));
  }
}

function ofPax(records: ReadonlyMap<string, string>): Pending {
  const name = records.get("GNU.sparse.name") ?? records.get("path");
  const target = records.get("linkpath");
  const size = records.get("size");
  return {
    ...(name !== undefined && { name }),
    ...(target !== undefined && { target }),
    ...(size !== undefined && { size: /^\d{1,15}$/.test(size) ? Number(size) : NaN }),
  };
}

function entryOf(header: TarHeader, position: number, pending: Pending): TarEntry {
  return {
    name: kept(pending.name ?? header.name),
    kind: kindOf(header),
    target: kept(pending.target ?? header.target),
    position,
    dataStart: position + TAR_BLOCK,
    size: hasData(header) ? pending.size ?? header.size : 0,
  };
}

function kept(name: string): string {
  return detached(name.slice(0, KEPT_NAME_BYTES));
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

/** Where the next header lies, or the end of the content. */
function nextHeader(source: ByteSource, position: number): number {
  for (let start = position + TAR_BLOCK; start < source.size; start += CHUNK) {
    const chunk = memorySource(source.read(start, CHUNK));
    for (let index = 0; index < chunk.size; index += TAR_BLOCK) {
      if (readTarHeader(chunk, index)) return start + index;
    }
  }
  return source.size;
}

/** What to say of blocks that are no header: nothing of zeros up to the end, which are the end. */
function faultBetween(source: ByteSource, position: number, next: number): TarFault | undefined {
  const zeros = source.read(position, TAR_BLOCK).every((byte) => byte === 0);
  if (!zeros) return { fault: "corrupt_header", position, end: next };
  if (next < source.size) return { fault: "data_after_end", position, end: next };
  const stranger = firstNotZero(source, position);
  if (stranger === undefined) return undefined;
  return { fault: "data_after_end", position: stranger, end: source.size };
}

function firstNotZero(source: ByteSource, from: number): number | undefined {
  for (let position = from; position < source.size; position += CHUNK) {
    const index = source.read(position, CHUNK).findIndex((byte) => byte !== 0);
    if (index >= 0) return position + index;
  }
  return undefined;
}
