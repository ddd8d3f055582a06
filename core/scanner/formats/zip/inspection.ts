import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Check, Content, ScanContext } from "../../contract/scanner.ts";
import { sourceSlice } from "../../contract/source.ts";
import { Checklist } from "../../contract/checklist.ts";
import { ArchiveContents } from "../archive/contents.ts";
import { checkDuplicate, checkEntryPath, type EntryCheck } from "../archive/entry_path_checks.ts";
import { readZipStructure, type ZipMember } from "./directory.ts";
import { asLocalHeaderHas, checkZipHeaders } from "./header_checks.ts";
import { readZipLayout, type ZipExtent, type ZipLayout } from "./layout.ts";
import { type IsWeights, ZipMemberReader } from "./member_reader.ts";
import { checkZipStructure } from "./structure_checks.ts";

/** What is checked of every ZIP archive. */
export type ZipCheck =
  | EntryCheck
  | "Archive Directory"
  | "Archive Entry Count"
  | "Archive Entry Header"
  | "Archive Entry Content"
  | "Archive Entry Checksum"
  | "Archive Compression Ratio"
  | "Archive Overlapping Entries"
  | "Archive Unlisted Entries"
  | "Archive Foreign Data";

const PASSED: Readonly<Record<ZipCheck, string>> = {
  "Archive Directory": "The archive has one directory, and all readers find the same",
  "Archive Entry Count": "The number of entries is within the limit, and what the directory says",
  "Archive Entry Path": "All names stay within the archive",
  "Archive Link": "No link points out of the archive",
  "Archive Duplicate Entry": "No name is there twice",
  "Archive Entry Header": "The headers of all entries agree",
  "Archive Entry Content": "All entries could be read",
  "Archive Entry Checksum": "The checksums of all entries are right",
  "Archive Compression Ratio": "No entry unpacks to a multiple that is out of all proportion",
  "Archive Overlapping Entries": "No entry lies in another one",
  "Archive Unlisted Entries": "The directory lists all entries",
  "Archive Foreign Data": "Nothing lies before, behind or between the entries",
};

/**
 * Checks a ZIP archive and offers all of its members to be scanned, those included that no directory
 * lists, and whatever else lies in it (scanning 2.7).
 *
 * @param scanner the name of the scanner that asks.
 * @param isWeights which of the members are not looked into.
 * @returns the members.
 */
export function* inspectZip(
  content: Content,
  context: ScanContext,
  scanner: string,
  isWeights: IsWeights = () => false,
): Generator<Check, readonly ZipMember[], void> {
  const checks = new Checklist<ZipCheck>(PASSED);
  const most = context.limits.maxMembers;
  const structure = readZipStructure(content.source, most);
  const layout = readZipLayout(content.source, structure, most - structure.members.length);
  yield* checkZipStructure(structure, most, checks);
  yield* checkLayout(layout, structure.directories.length > 0, checks);
  const members = [...structure.members, ...layout.unlisted];
  yield* checkMembers(members, { content, context, scanner, checks, isWeights });
  for (const stranger of layout.foreign) offerForeign(stranger, content, context);
  yield* checks.finish();
  return members;
}

interface Inspection {
  readonly content: Content;
  readonly context: ScanContext;
  readonly scanner: string;
  readonly checks: Checklist<ZipCheck>;
  readonly isWeights: IsWeights;
}

function* checkMembers(
  members: readonly ZipMember[],
  { content, context, scanner, checks, isWeights }: Inspection,
): Generator<Check, void, void> {
  const reading = new ZipMemberReader(content, context, scanner, checks);
  const contents = new ArchiveContents();
  const names = new Set<string>();
  for (const member of members) {
    const { name, start, header } = member;
    contents.add({ name, size: header.size, compressed_size: header.compressedSize });
    for (const path of new Set([name, header.unicodeName ?? name])) {
      yield* checkEntryPath(path, start, checks);
    }
    yield* checkDuplicate(name, start, names, checks);
    yield* checkZipHeaders(member, checks);
    yield* reading.read(member, isWeights);
    const other = asLocalHeaderHas(member, content.source);
    if (other) yield* reading.read(other, isWeights);
  }
  context.addAssetParts({ contents: contents.listed });
  context.addMetadata({ ...contents.facts(), ...reading.facts() });
}

function* checkLayout(
  { overlapping, unlisted, foreign }: ZipLayout,
  hasDirectory: boolean,
  checks: Checklist<ZipCheck>,
): Generator<Check, void, void> {
  for (const { name, start } of overlapping) {
    yield* checks.emit("Archive Overlapping Entries", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(name)} shares its bytes with another part of the archive`,
      ruleCode: "S410",
      why: "Entries that share their bytes unpack to a multiple of the archive",
      position: start,
    });
  }
  for (const { name, start } of hasDirectory ? unlisted : []) {
    yield* checks.emit("Archive Unlisted Entries", {
      severity: "warning",
      message: `The directory does not list entry ${quotedExcerpt(name)}`,
      ruleCode: "S902",
      why: "A member that is hidden from readers of the directory is found by readers of streams",
      position: start,
    });
  }
  for (const extent of foreign) yield* foreignFinding(extent, hasDirectory, checks);
}

function* foreignFinding(
  { start, end }: ZipExtent,
  hasDirectory: boolean,
  checks: Checklist<ZipCheck>,
): Generator<Check, void, void> {
  yield* checks.emit("Archive Foreign Data", {
    severity: hasDirectory ? "warning" : "info",
    message: `${end - start} bytes at ${start} belong to no entry of the archive`,
    ruleCode: "S908",
    details: { start, end },
    position: start,
  });
}

function offerForeign({ start, end }: ZipExtent, { source }: Content, context: ScanContext): void {
  context.scanMember(`(bytes from ${start})`, sourceSlice(source, start, end - start));
}
