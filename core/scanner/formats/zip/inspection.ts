import { Checklist } from "../../contract/checklist.ts";
import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Check, Content, ScanContext } from "../../contract/scanner.ts";
import { sourceSlice } from "../../contract/source.ts";
import { ArchiveContents } from "../archive/contents.ts";
import { checkDuplicate, checkEntryPath } from "../archive/entry_path_checks.ts";
import { ZIP_PASSED, type ZipCheck } from "./checks.ts";
import { readZipStructure, type ZipMember, type ZipStructure } from "./directory.ts";
import { checkZipHeaders, memberByLocalHeader } from "./header_checks.ts";
import { isHostModel } from "./host_model.ts";
import { readZipLayout, type ZipExtent, type ZipLayout } from "./layout.ts";
import { type IsWeights, ZipMemberReader } from "./member_reader.ts";
import { checkZipStructure } from "./structure_checks.ts";

/** How a scanner inspects a ZIP archive. */
export interface ZipInspectionOptions {
  /** Id of the scanner, for the hash records. */
  readonly scanner: string;
  /**
   * Selects the members that are not scanned.
   *
   * @default every member is scanned
   */
  readonly isWeights?: IsWeights;
}

/**
 * Checks a ZIP archive and submits its content for scanning: the listed members, the members that no
 * directory lists, and the bytes outside all members (scanning 2.7).
 *
 * @returns the members.
 */
export function inspectZip(
  content: Content,
  context: ScanContext,
  options: ZipInspectionOptions,
): Generator<Check, readonly ZipMember[], void> {
  return new ZipInspection(content, context, options).run();
}

class ZipInspection {
  readonly #content: Content;
  readonly #context: ScanContext;
  readonly #checks = new Checklist<ZipCheck>(ZIP_PASSED);
  readonly #reader: ZipMemberReader;

  constructor(content: Content, context: ScanContext, options: ZipInspectionOptions) {
    this.#content = content;
    this.#context = context;
    this.#reader = new ZipMemberReader(content, context, this.#checks, options);
  }

  *run(): Generator<Check, readonly ZipMember[], void> {
    const { source } = this.#content;
    const { maxMembers } = this.#context.limits;
    const structure = readZipStructure(source, maxMembers);
    const layout = this.#layoutOf(structure, maxMembers - structure.members.length);
    yield* checkZipStructure(structure, maxMembers, this.#checks);
    yield* this.#checkLayout(layout, structure.directories.length > 0);
    const members = [...structure.members, ...layout.unlisted];
    yield* this.#checkMembers(members);
    for (const { start, end } of layout.foreign) {
      this.#context.scanMember(`(bytes from ${start})`, sourceSlice(source, start, end - start));
    }
    yield* this.#checks.finish();
    return members;
  }

  #layoutOf(structure: ZipStructure, maxUnlisted: number): ZipLayout {
    const { source } = this.#content;
    const layout = readZipLayout(source, structure, maxUnlisted);
    return { ...layout, foreign: layout.foreign.filter((it) => !isHostModel(source, it)) };
  }

  *#checkMembers(members: readonly ZipMember[]): Generator<Check, void, void> {
    const contents = new ArchiveContents();
    const names = new Set<string>();
    for (const member of members) {
      const { name, start, header } = member;
      contents.add({ name, size: header.size, compressed_size: header.compressedSize });
      for (const path of new Set([name, header.unicodeName ?? name])) {
        yield* checkEntryPath(path, start, this.#checks);
      }
      yield* checkDuplicate(name, start, names, this.#checks);
      yield* checkZipHeaders(member, this.#checks);
      yield* this.#reader.read(member);
      const variant = memberByLocalHeader(member, this.#content.source);
      if (variant) yield* this.#reader.read(variant);
    }
    this.#context.addAssetParts({ contents: contents.listed });
    this.#context.addMetadata({ ...contents.facts(), ...this.#reader.facts() });
  }

  *#checkLayout(
    { overlapping, unlisted, foreign }: ZipLayout,
    hasDirectory: boolean,
  ): Generator<Check, void, void> {
    for (const { name, start } of overlapping) {
      yield* this.#checks.emit("Archive Overlapping Entries", {
        severity: "warning",
        message: `Entry ${quotedExcerpt(name)} overlaps another part of the archive`,
        ruleCode: "S410",
        why: "Overlapping entries unpack to many times the size of the archive",
        position: start,
      });
    }
    for (const { name, start } of hasDirectory ? unlisted : []) {
      yield* this.#checks.emit("Archive Unlisted Entries", {
        severity: "warning",
        message: `The directory does not list entry ${quotedExcerpt(name)}`,
        ruleCode: "S902",
        why: "Readers of the directory miss the member, but streaming readers find it",
        position: start,
      });
    }
    for (const extent of foreign) yield* this.#foreignFinding(extent, hasDirectory);
  }

  *#foreignFinding(
    { start, end }: ZipExtent,
    hasDirectory: boolean,
  ): Generator<Check, void, void> {
    yield* this.#checks.emit("Archive Foreign Data", {
      severity: hasDirectory ? "warning" : "info",
      message: `${end - start} bytes at ${start} belong to no entry of the archive`,
      ruleCode: "S908",
      details: { start, end },
      position: start,
    });
  }
}
