import type { ByteSource } from "../../contract/source.ts";
import { startsWithBytes } from "../../readers/bytes/bytes.ts";
import {
  CENTRAL_SIZE,
  decodedName,
  LOCAL_SIGNATURE,
  readCentralEntry,
  readLocalHeader,
  type ZipEntry,
  type ZipHeader,
} from "./headers.ts";
import { type DirectoryLocation, findZipEnds, type ZipEnd } from "./end_record.ts";

/** A central directory that one reader or another would go by. */
export interface ZipDirectory {
  readonly start: number;
  /** Where its entries really stop. */
  readonly end: number;
  /** How many bytes lie before the archive, from which its offsets count. */
  readonly base: number;
  /** How many entries are said to be in it. */
  readonly declaredEntries: number;
  readonly entries: readonly ZipEntry[];
  /** Whether there are more entries than were asked for. */
  readonly truncated: boolean;
}

/** A member, as the directory and its local header have it. */
export interface ZipMember {
  readonly name: string;
  /** What the directory says of it; for a member that it does not list, what the local header says. */
  readonly header: ZipHeader;
  /** The entry of the directory; undefined where none lists the member. */
  readonly entry: ZipEntry | undefined;
  /** The local header; undefined where there is none at the place that the entry names. */
  readonly local: ZipHeader | undefined;
  /** Where the member begins, its local header included. */
  readonly start: number;
  readonly dataStart: number;
  /** How many bytes it takes in the archive, or as many as there are. */
  readonly dataSize: number;
}

/** The structure of a ZIP archive. */
export interface ZipStructure {
  readonly ends: readonly ZipEnd[];
  /** The directory that most readers take comes first. */
  readonly directories: readonly ZipDirectory[];
  readonly members: readonly ZipMember[];
}

const WINDOW = 1 << 18;
const MOST_ENTRY = CENTRAL_SIZE + 3 * 0xffff;

/**
 * Reads the directories of an archive, at random and no more than `most` entries of each, and of the
 * later ones fewer where the first have very many. An archive
 * can have several: by several end records, by a ZIP64 record that disagrees, or by offsets that count
 * from its beginning or from that of the file.
 */
export function readZipDirectories(
  source: ByteSource,
  most: number,
): Pick<ZipStructure, "ends" | "directories"> {
  const ends: ZipEnd[] = [];
  const directories: ZipDirectory[] = [];
  let left = 2 * most;
  for (const end of findZipEnds(source)) {
    const primary = directories[0];
    if (primary && ends[0]?.end === source.size && isWithinMember(source, primary, end)) continue;
    const found = directoriesOf(source, end, Math.max(1, Math.min(most, left)));
    if (found.length === 0 && !isEmpty(end)) continue;
    ends.push(end);
    for (const directory of found) {
      if (!directories.some((known) => sameDirectory(known, directory))) {
        directories.push(directory);
        left -= directory.entries.length;
      }
    }
  }
  return { ends, directories };
}

/** Reads the directories and the local headers of an archive, `most` members altogether. */
export function readZipStructure(source: ByteSource, most: number): ZipStructure {
  const { ends, directories } = readZipDirectories(source, most);
  const members: ZipMember[] = [];
  const seen = new Set<string>();
  for (const { entries, base } of directories) {
    for (const entry of entries) {
      const member = memberOf(source, entry, base);
      const identity = `${member.start} ${member.dataSize} ${entry.method} ${member.name}`;
      if (members.length >= most || (entries !== directories[0]?.entries && seen.has(identity))) {
        continue;
      }
      seen.add(identity);
      members.push(member);
    }
  }
  return { ends, directories, members };
}

/** Whether content is a ZIP archive, by its first bytes or by a directory at its end. */
export function isZip(source: ByteSource): boolean {
  const head = source.read(0, 4);
  if (startsWithBytes(head, [0x50, 0x4b, 3, 4]) && readLocalHeader(source, 0)) return true;
  const { ends, directories } = readZipDirectories(source, 1);
  return directories.length > 0 || (ends.length > 0 && startsWithBytes(head, [0x50, 0x4b]));
}

/**
 * Whether an end record lies in a member: it is that of an archive in the archive then, which is
 * looked into as a member. That holds only where all readers agree on the last record.
 */
function isWithinMember(source: ByteSource, directory: ZipDirectory, end: ZipEnd): boolean {
  const before = directory.entries.filter((entry) =>
    directory.base + entry.localOffset < end.position
  );
  const last = before.reduce<ZipEntry | undefined>(
    (latest, entry) => latest && latest.localOffset >= entry.localOffset ? latest : entry,
    undefined,
  );
  if (!last) return false;
  const { dataStart, dataSize } = memberOf(source, last, directory.base);
  return dataStart <= end.position && end.end <= dataStart + dataSize;
}

function isEmpty(end: ZipEnd): boolean {
  return end.plain?.entries === 0 && end.plain.size === 0 && end.plain.offset <= end.position;
}

/** The directories that an end record can be taken to tell of, those that most readers take first. */
function directoriesOf(source: ByteSource, end: ZipEnd, most: number): ZipDirectory[] {
  const found: ZipDirectory[] = [];
  for (const place of [end.zip64, end.plain]) {
    if (!place) continue;
    for (const start of startsOf(place, end)) {
      if (found.some((known) => known.start === start)) continue;
      const directory = readDirectory(source, start, place, most);
      if (directory && !found.some((known) => isRest(source, directory, known))) {
        found.push(directory);
      }
    }
  }
  return found;
}

/**
 * Whether what was read is no more than the last entries of a directory: the length of the ZIP64
 * record is just that of its first entries. Members at other places would make it another one.
 */
function isRest(source: ByteSource, directory: ZipDirectory, whole: ZipDirectory): boolean {
  const { start, end, base, entries } = directory;
  return end === whole.end && whole.entries.some(({ position }) => position === start) &&
    !entries.some(({ localOffset }) => readLocalHeader(source, base + localOffset));
}

/** Where a directory may begin: right before its end record, or at the offset as it stands. */
function startsOf(place: DirectoryLocation, end: ZipEnd): number[] {
  return [...new Set([end.position - place.size, place.offset, place.stop - place.size])].filter((
    start,
  ) => start >= 0 && start < end.position);
}

function sameDirectory(one: ZipDirectory, other: ZipDirectory): boolean {
  return one.start === other.start && one.base === other.base;
}

function readDirectory(
  source: ByteSource,
  start: number,
  place: DirectoryLocation,
  most: number,
): ZipDirectory | undefined {
  const entries: ZipEntry[] = [];
  let [position, windowStart, window] = [start, start, source.read(start, WINDOW)];
  let entry = readCentralEntry(window, 0, start);
  while (entry && entries.length < most) {
    entries.push(entry);
    position += entry.headerSize;
    if (position - windowStart > window.length - MOST_ENTRY && window.length === WINDOW) {
      [windowStart, window] = [position, source.read(position, WINDOW)];
    }
    entry = readCentralEntry(window, position - windowStart, position);
  }
  if (entries.length === 0) return undefined;
  const base = start - place.offset;
  const { entries: claimed } = place;
  return {
    start,
    end: position,
    base,
    declaredEntries: claimed,
    entries,
    truncated: entry !== undefined,
  };
}

function memberOf(source: ByteSource, entry: ZipEntry, base: number): ZipMember {
  const [start, local] = locate(source, entry, base);
  const dataStart = start +
    (local?.headerSize ?? LOCAL_SIGNATURE.length + 26 + entry.rawName.length);
  const left = Math.max(0, source.size - dataStart);
  const dataSize = Math.min(left, entry.compressedSize >= 0 ? entry.compressedSize : left);
  return { name: decodedName(entry), header: entry, entry, local, start, dataStart, dataSize };
}

/** Where a local header is: at its offset from the beginning of the archive, or of the file. */
function locate(
  source: ByteSource,
  entry: ZipEntry,
  base: number,
): [number, ZipHeader | undefined] {
  const places = [base + entry.localOffset, entry.localOffset];
  for (const place of places) {
    const local = place >= 0 && place < source.size ? readLocalHeader(source, place) : undefined;
    if (local) return [place, local];
  }
  return [Math.min(source.size, Math.max(0, places.find((place) => place >= 0) ?? 0)), undefined];
}
