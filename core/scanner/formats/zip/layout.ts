import type { ByteSource } from "../../contract/source.ts";
import { indexesOf } from "../../readers/bytes/bytes.ts";
import type { ZipMember, ZipStructure } from "./directory.ts";
import {
  DATA_DESCRIPTOR_FLAG,
  decodedName,
  LOCAL_HEADER_BYTES,
  LOCAL_SIGNATURE,
  readLocalHeader,
} from "./headers.ts";
import { MIB } from "../../../../schemas/units.ts";

/** A range of bytes, from `start` up to but not including `end`. */
export interface ZipExtent {
  readonly start: number;
  readonly end: number;
}

/** The parts of an archive outside its directories and their members, and what overlaps. */
export interface ZipLayout {
  /** Members that start inside another part of the archive. */
  readonly overlapping: readonly ZipMember[];
  /** Members found by their local headers only. */
  readonly unlisted: readonly ZipMember[];
  /** Ranges before, between and after the members that are not all zero. */
  readonly foreign: readonly ZipExtent[];
}

const CHUNK_BYTES = MIB;
const MAX_DESCRIPTOR_BYTES = 24;
const MAX_FOREIGN_EXTENTS = 64;

/** Finds unlisted members (at most `maxUnlisted`), foreign data and overlaps in an archive. */
export function readZipLayout(
  source: ByteSource,
  structure: ZipStructure,
  maxUnlisted: number,
): ZipLayout {
  const { overlapping, gaps } = findGaps(source, structure);
  // The members of a truncated directory are unknown, so most of the gaps belong to them.
  if (structure.directories.some(({ truncated }) => truncated)) {
    return { overlapping, unlisted: [], foreign: [] };
  }
  const unlisted: ZipMember[] = [];
  const foreign: ZipExtent[] = [];
  for (const gap of gaps) {
    const found = unlistedMembers(source, gap, maxUnlisted - unlisted.length);
    unlisted.push(...found);
    const extent = withoutZeros(source, {
      start: gap.start + gap.descriptor,
      end: found[0]?.start ?? gap.end,
    });
    if (extent && foreign.length < MAX_FOREIGN_EXTENTS) foreign.push(extent);
  }
  return { overlapping, unlisted, foreign };
}

interface Part extends ZipExtent {
  readonly member?: ZipMember;
}

interface Gap extends ZipExtent {
  /** Length of the leading bytes that may be the data descriptor of the member before the gap. */
  readonly descriptor: number;
}

function findGaps(
  source: ByteSource,
  structure: ZipStructure,
): { overlapping: ZipMember[]; gaps: Gap[] } {
  const overlapping: ZipMember[] = [];
  const gaps: Gap[] = [];
  let position = 0;
  let descriptor = 0;
  for (const { start, end, member } of partsOf(structure)) {
    if (start > position) gaps.push(createGap(position, start, descriptor));
    if (start < position && member && end > start) overlapping.push(member);
    if (end >= position) {
      descriptor = member && member.header.flags & DATA_DESCRIPTOR_FLAG ? MAX_DESCRIPTOR_BYTES : 0;
    }
    position = Math.max(position, end);
  }
  if (position < source.size) gaps.push(createGap(position, source.size, descriptor));
  return { overlapping, gaps };
}

function createGap(start: number, end: number, descriptor: number): Gap {
  return { start, end, descriptor: Math.min(descriptor, end - start) };
}

function partsOf({ members, directories, ends }: ZipStructure): Part[] {
  return [
    ...members.map((member): Part => ({
      start: member.start,
      end: member.dataStart + member.dataSize,
      member,
    })),
    ...directories,
    ...ends.map(({ position, end }): Part => ({ start: position, end })),
  ].sort((one, other) => one.start - other.start || one.end - other.end);
}

/** Finds members by their local headers in a range that no directory accounts for. */
function unlistedMembers(source: ByteSource, gap: ZipExtent, limit: number): ZipMember[] {
  const found: ZipMember[] = [];
  for (const position of localSignatures(source, gap)) {
    if (found.length >= limit) break;
    const local = readLocalHeader(source, position);
    if (!local || local.rawName.length === 0 || position + local.headerSize > gap.end) continue;
    const dataStart = position + local.headerSize;
    const left = gap.end - dataStart;
    const sizeUnknown = local.compressedSize === 0 && (local.flags & DATA_DESCRIPTOR_FLAG) !== 0;
    const dataSize = sizeUnknown || !(local.compressedSize < left) ? left : local.compressedSize;
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
  const step = CHUNK_BYTES - LOCAL_HEADER_BYTES;
  for (let position = start; position < end; position += step) {
    const chunk = source.read(position, Math.min(CHUNK_BYTES, end - position));
    for (const index of indexesOf(chunk, LOCAL_SIGNATURE)) {
      if (index < step) yield position + index;
    }
  }
}

/** The range from its first nonzero byte on, or undefined if all bytes are zero. */
function withoutZeros(source: ByteSource, { start, end }: ZipExtent): ZipExtent | undefined {
  for (let position = start; position < end; position += CHUNK_BYTES) {
    const chunk = source.read(position, Math.min(CHUNK_BYTES, end - position));
    const index = chunk.findIndex((byte) => byte !== 0);
    if (index >= 0) return { start: position + index, end };
  }
  return undefined;
}
