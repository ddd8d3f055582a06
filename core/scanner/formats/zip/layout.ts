import type { ByteSource } from "../../contract/source.ts";
import { indexesOf } from "../../readers/bytes/bytes.ts";
import type { ZipMember, ZipStructure } from "./directory.ts";
import { decodedName, LOCAL_SIGNATURE, LOCAL_SIZE, readLocalHeader } from "./headers.ts";
import { MIB } from "../../../../schemas/units.ts";

/** Bytes of an archive from `start` to `end`. */
export interface ZipExtent {
  readonly start: number;
  readonly end: number;
}

/** What an archive holds besides its directory and the members that it lists. */
export interface ZipLayout {
  /** Members that begin within another one. */
  readonly overlapping: readonly ZipMember[];
  /** Members that no directory lists. */
  readonly unlisted: readonly ZipMember[];
  /** Bytes before the first member, behind the end and between, that are not all zero. */
  readonly foreign: readonly ZipExtent[];
}

const CHUNK = MIB;
const MOST_DESCRIPTOR = 24;
const MOST_FOREIGN = 64;
const HAS_DESCRIPTOR = 0x8;

/** Finds what lies in an archive besides what its directory tells of, `most` members at most. */
export function readZipLayout(
  source: ByteSource,
  structure: ZipStructure,
  most: number,
): ZipLayout {
  const { overlapping, gaps } = occupy(source, structure);
  // Where entries were left out, most of what looks like a gap is theirs.
  if (structure.directories.some(({ truncated: cut }) => cut)) {
    return { overlapping, unlisted: [], foreign: [] };
  }
  const unlisted: ZipMember[] = [];
  const foreign: ZipExtent[] = [];
  for (const gap of gaps) {
    const found = unlistedMembers(source, gap, most - unlisted.length);
    unlisted.push(...found);
    const stranger = withoutZeros(source, {
      start: gap.start + gap.descriptor,
      end: found[0]?.start ?? gap.end,
    });
    if (stranger && foreign.length < MOST_FOREIGN) foreign.push(stranger);
  }
  return { overlapping, unlisted, foreign };
}

interface Occupied extends ZipExtent {
  readonly member?: ZipMember;
}

interface Gap extends ZipExtent {
  /** How many of its first bytes may be the data descriptor of the member before. */
  readonly descriptor: number;
}

function occupy(
  source: ByteSource,
  structure: ZipStructure,
): { overlapping: ZipMember[]; gaps: Gap[] } {
  const overlapping: ZipMember[] = [];
  const gaps: Gap[] = [];
  let position = 0;
  let descriptor = 0;
  for (const { start, end, member } of occupied(structure)) {
    if (start > position) gaps.push(gapOf(position, start, descriptor));
    if (start < position && member && end > start) overlapping.push(member);
    if (end >= position) {
      descriptor = member && member.header.flags & HAS_DESCRIPTOR ? MOST_DESCRIPTOR : 0;
    }
    position = Math.max(position, end);
  }
  if (position < source.size) gaps.push(gapOf(position, source.size, descriptor));
  return { overlapping, gaps };
}

function gapOf(start: number, end: number, descriptor: number): Gap {
  return { start, end, descriptor: Math.min(descriptor, end - start) };
}

function occupied({ members, directories, ends }: ZipStructure): Occupied[] {
  return [
    ...members.map((member): Occupied => ({
      start: member.start,
      end: member.dataStart + member.dataSize,
      member,
    })),
    ...directories,
    ...ends.map(({ position, end }): Occupied => ({ start: position, end })),
  ].sort((one, other) => one.start - other.start || one.end - other.end);
}

/** Members whose local headers lie in bytes that the directory does not account for. */
function unlistedMembers(source: ByteSource, gap: ZipExtent, most: number): ZipMember[] {
  const found: ZipMember[] = [];
  for (const position of localSignatures(source, gap)) {
    if (found.length >= most) break;
    const local = readLocalHeader(source, position);
    if (!local || local.rawName.length === 0 || position + local.headerSize > gap.end) continue;
    const dataStart = position + local.headerSize;
    const left = gap.end - dataStart;
    const unknown = local.compressedSize === 0 && (local.flags & HAS_DESCRIPTOR) !== 0;
    const dataSize = unknown || !(local.compressedSize < left) ? left : local.compressedSize;
    const name = decodedName(local);
    found.push({
      name,
      header: local,
      entry: undefined,
      local,
      start: position,
      dataStart,
      dataSize,
    });
  }
  return found;
}

function* localSignatures(source: ByteSource, { start, end }: ZipExtent): Generator<number> {
  const step = CHUNK - LOCAL_SIZE;
  for (let position = start; position < end; position += step) {
    const chunk = source.read(position, Math.min(CHUNK, end - position));
    for (const index of indexesOf(chunk, LOCAL_SIGNATURE)) {
      if (index < step) yield position + index;
    }
  }
}

/** The piece of an extent from its first byte that is not zero on; undefined where all are zero. */
function withoutZeros(source: ByteSource, { start, end }: ZipExtent): ZipExtent | undefined {
  for (let position = start; position < end; position += CHUNK) {
    const chunk = source.read(position, Math.min(CHUNK, end - position));
    const index = chunk.findIndex((byte) => byte !== 0);
    if (index >= 0) return { start: position + index, end };
  }
  return undefined;
}
