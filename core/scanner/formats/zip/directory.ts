import { KIB } from "../../../../schemas/units.ts";
import type { ByteSource } from "../../contract/source.ts";
import { startsWithBytes } from "../../readers/bytes/bytes.ts";
import { type DirectoryLocation, findZipEnds, type ZipEnd } from "./end_record.ts";
import {
  decodedName,
  LOCAL_HEADER_BYTES,
  MAX_CENTRAL_ENTRY_BYTES,
  readCentralEntry,
  readLocalHeader,
  type ZipEntry,
  type ZipHeader,
} from "./headers.ts";

/** A central directory that at least one ZIP reader would use. */
export interface ZipDirectory {
  readonly start: number;
  /** End of the last entry read, whatever size the end record declares. */
  readonly end: number;
  /** Number of bytes before the archive. Entry offsets count from here. */
  readonly base: number;
  /** Number of entries that the end record declares. */
  readonly declaredEntries: number;
  readonly entries: readonly ZipEntry[];
  /** Whether the directory has more entries than were requested. */
  readonly truncated: boolean;
}

/** A member, as described by its directory entry and its local header. */
export interface ZipMember {
  readonly name: string;
  /** The directory entry, or the local header if no directory lists the member. */
  readonly header: ZipHeader;
  /** The directory entry, or undefined if no directory lists the member. */
  readonly entry: ZipEntry | undefined;
  /** The local header, or undefined if there is none at the offset in the entry. */
  readonly local: ZipHeader | undefined;
  /** Start of the member, including its local header. */
  readonly start: number;
  readonly dataStart: number;
  /** Compressed size in bytes, capped at the end of the archive. */
  readonly dataSize: number;
}

/** The structure of a ZIP archive. */
export interface ZipStructure {
  readonly ends: readonly ZipEnd[];
  /** Directories, starting with the one most readers use. */
  readonly directories: readonly ZipDirectory[];
  readonly members: readonly ZipMember[];
}

const READ_WINDOW_BYTES = 256 * KIB;

/**
 * Reads the central directories of an archive.
 *
 * An archive can have several: through several end records, a ZIP64 record that disagrees with the
 * plain one, or offsets relative either to the archive or to the file.
 *
 * @param maxEntries Limit on the entries of each directory. All directories together hold at most
 *   about twice as many.
 */
export function readZipDirectories(
  source: ByteSource,
  maxEntries: number,
): Pick<ZipStructure, "ends" | "directories"> {
  return new DirectoryReader(source, maxEntries).read();
}

/** Reads the directories and local headers of an archive, up to `maxMembers` members in total. */
export function readZipStructure(source: ByteSource, maxMembers: number): ZipStructure {
  const { ends, directories } = readZipDirectories(source, maxMembers);
  const members: ZipMember[] = [];
  const seen = new Set<string>();
  for (const { entries, base } of directories) {
    for (const entry of entries) {
      const member = locateMember(source, entry, base);
      const identity = `${member.start} ${member.dataSize} ${entry.method} ${member.name}`;
      const repeated = entries !== directories[0]?.entries && seen.has(identity);
      if (members.length >= maxMembers || repeated) continue;
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

class DirectoryReader {
  readonly #source: ByteSource;
  readonly #maxEntries: number;
  readonly #ends: ZipEnd[] = [];
  readonly #directories: ZipDirectory[] = [];
  #entriesLeft: number;

  constructor(source: ByteSource, maxEntries: number) {
    this.#source = source;
    this.#maxEntries = maxEntries;
    this.#entriesLeft = 2 * maxEntries;
  }

  read(): Pick<ZipStructure, "ends" | "directories"> {
    for (const end of findZipEnds(this.#source)) {
      if (this.#isNested(end)) continue;
      const found = this.#directoriesOf(end);
      if (found.length === 0 && !isEmptyArchive(end)) continue;
      this.#ends.push(end);
      for (const directory of found) this.#add(directory);
    }
    return { ends: this.#ends, directories: this.#directories };
  }

  #add(directory: ZipDirectory): void {
    const known = this.#directories.some(({ start, base }) =>
      start === directory.start && base === directory.base
    );
    if (known) return;
    this.#directories.push(directory);
    this.#entriesLeft -= directory.entries.length;
  }

  /**
   * Whether an end record belongs to an archive stored as a member, which is scanned on its own. This
   * is decidable only if the archive ends at the end of the file: all readers then agree on the last
   * end record.
   */
  #isNested(end: ZipEnd): boolean {
    const [primary] = this.#directories;
    if (!primary || this.#ends[0]?.end !== this.#source.size) return false;
    const before = primary.entries.filter((entry) =>
      primary.base + entry.localOffset < end.position
    );
    const last = before.reduce<ZipEntry | undefined>(
      (latest, entry) => latest && latest.localOffset >= entry.localOffset ? latest : entry,
      undefined,
    );
    if (!last) return false;
    const { dataStart, dataSize } = locateMember(this.#source, last, primary.base);
    return dataStart <= end.position && end.end <= dataStart + dataSize;
  }

  /** The directories that an end record can refer to, in the order of reader preference. */
  #directoriesOf(end: ZipEnd): ZipDirectory[] {
    const maxEntries = Math.max(1, Math.min(this.#maxEntries, this.#entriesLeft));
    const found: ZipDirectory[] = [];
    for (const location of [end.zip64, end.plain]) {
      if (!location) continue;
      for (const start of possibleStarts(location, end)) {
        if (found.some((known) => known.start === start)) continue;
        const directory = this.#readDirectory(start, location, maxEntries);
        if (directory && !found.some((known) => this.#isTailOf(directory, known))) {
          found.push(directory);
        }
      }
    }
    return found;
  }

  #readDirectory(
    start: number,
    { offset, entries: declaredEntries }: DirectoryLocation,
    maxEntries: number,
  ): ZipDirectory | undefined {
    const entries: ZipEntry[] = [];
    let position = start;
    let windowStart = start;
    let window = this.#source.read(start, READ_WINDOW_BYTES);
    let entry = readCentralEntry(window, 0, start);
    while (entry && entries.length < maxEntries) {
      entries.push(entry);
      position += entry.headerSize;
      const atLastEntry = position - windowStart > window.length - MAX_CENTRAL_ENTRY_BYTES;
      if (atLastEntry && window.length === READ_WINDOW_BYTES) {
        windowStart = position;
        window = this.#source.read(position, READ_WINDOW_BYTES);
      }
      entry = readCentralEntry(window, position - windowStart, position);
    }
    if (entries.length === 0) return undefined;
    const truncated = entry !== undefined;
    return { start, end: position, base: start - offset, declaredEntries, entries, truncated };
  }

  /**
   * Whether a directory is only the tail of another one. This happens when the ZIP64 record is as long
   * as the first entries. If the entries lead to local headers, it is a directory of its own.
   */
  #isTailOf({ start, end, base, entries }: ZipDirectory, whole: ZipDirectory): boolean {
    return end === whole.end && whole.entries.some(({ position }) => position === start) &&
      !entries.some(({ localOffset }) => readLocalHeader(this.#source, base + localOffset));
  }
}

function isEmptyArchive({ plain, position }: ZipEnd): boolean {
  return plain?.entries === 0 && plain.size === 0 && plain.offset <= position;
}

/** Where a directory can start: right before its end record, or at its literal offset. */
function possibleStarts({ size, offset, stop }: DirectoryLocation, end: ZipEnd): number[] {
  return [...new Set([end.position - size, offset, stop - size])]
    .filter((start) => start >= 0 && start < end.position);
}

function locateMember(source: ByteSource, entry: ZipEntry, base: number): ZipMember {
  const [start, local] = findLocalHeader(source, entry, base);
  const dataStart = start + (local?.headerSize ?? LOCAL_HEADER_BYTES + entry.rawName.length);
  const left = Math.max(0, source.size - dataStart);
  const dataSize = Math.min(left, entry.compressedSize >= 0 ? entry.compressedSize : left);
  return { name: decodedName(entry), header: entry, entry, local, start, dataStart, dataSize };
}

/** Looks for a local header at its offset from the start of the archive, then of the file. */
function findLocalHeader(
  source: ByteSource,
  entry: ZipEntry,
  base: number,
): [start: number, local: ZipHeader | undefined] {
  const offsets = [base + entry.localOffset, entry.localOffset];
  for (const offset of offsets) {
    const local = offset >= 0 && offset < source.size ? readLocalHeader(source, offset) : undefined;
    if (local) return [offset, local];
  }
  const expected = offsets.find((offset) => offset >= 0) ?? 0;
  return [Math.min(source.size, Math.max(0, expected)), undefined];
}
