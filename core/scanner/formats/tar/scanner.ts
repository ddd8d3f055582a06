import { quotedExcerpt } from "../../contract/excerpt.ts";
import { Checklist } from "../../contract/checklist.ts";
import { ArchiveContents } from "../archive/contents.ts";
import {
  checkDuplicate,
  checkEntryPath,
  checkLink,
  type EntryCheck,
} from "../archive/entry_path_checks.ts";
import { ArchiveMemberHashes, digestMember } from "../archive/archive_member_hashes.ts";
import { isTar, tarEntries, type TarEntry, type TarFault } from "./entries.ts";
import { TAR_BLOCK_BYTES } from "./header.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { sourceSlice } from "../../contract/source.ts";
import { trimEnd } from "../../readers/text/trim_end.ts";

type TarCheck = EntryCheck | "Archive Structure" | "Archive Entry Count" | "Archive Special File";

const PASSED: Readonly<Record<TarCheck, string>> = {
  "Archive Structure": "All headers are valid, and no data follows the end of the archive",
  "Archive Entry Count": "The entry count is within the limit",
  "Archive Entry Path": "All entry names stay inside the archive",
  "Archive Link": "No link points outside the archive",
  "Archive Duplicate Entry": "All entry names are unique",
  "Archive Special File": "The archive has no devices or pipes",
};

/** Segments of a path that are searched for links. */
const MAX_PATH_SEGMENTS = 256;

/** Scans TAR archives, including models saved by PyTorch 0.1. */
export const tarScanner: Scanner = {
  id: "tar",
  matches: ({ source }) => isTar(source),
  *scan(content, context) {
    const scan = new TarScan(content, context);
    for (const found of tarEntries(content.source)) {
      yield* "fault" in found ? scan.checkFault(found) : scan.checkEntry(found);
      if (scan.isOverLimit) break;
    }
    yield* scan.finish();
  },
};

class TarScan {
  readonly #content: Content;
  readonly #context: ScanContext;
  readonly #checks = new Checklist<TarCheck>(PASSED);
  readonly #hashes: ArchiveMemberHashes;
  readonly #contents = new ArchiveContents();
  readonly #names = new Set<string>();
  readonly #links = new Set<string>();
  #entryCount = 0;

  constructor(content: Content, context: ScanContext) {
    this.#content = content;
    this.#context = context;
    this.#hashes = new ArchiveMemberHashes(content, "tar");
  }

  /** Whether the archive has more entries than are scanned. */
  get isOverLimit(): boolean {
    return this.#entryCount > this.#context.limits.maxMembers;
  }

  *checkEntry(entry: TarEntry): Generator<Check, void, void> {
    this.#entryCount++;
    if (this.isOverLimit) return yield* this.#entryLimitFinding();
    const { name, kind, position, size } = entry;
    this.#contents.add({ name, size, type: kind });
    yield* checkEntryPath(name, position, this.#checks);
    if (kind !== "folder") yield* checkDuplicate(name, position, this.#names, this.#checks);
    yield* this.#checkKind(entry);
    yield* this.#checkPathThroughLink(entry);
    if (entry.size > 0) this.#submit(entry);
  }

  *checkFault({ fault, position, end }: TarFault): Generator<Check, void, void> {
    const hidden = fault === "data_after_end";
    yield* this.#checks.emit("Archive Structure", {
      severity: hidden ? "warning" : "info",
      message: `The archive has a structural fault at ${position}: ${fault}`,
      ruleCode: hidden ? "S908" : "S902",
      ...(!hidden && { incomplete: fault }),
      details: { start: position, end },
      position,
    });
    if (fault === "truncated_archive") return;
    // Other readers may accept the broken header, with the data of a member after it.
    for (const start of [position, position + TAR_BLOCK_BYTES]) {
      if (start >= end) continue;
      const source = sourceSlice(this.#content.source, start, end - start);
      this.#context.scanMember(`(bytes from ${start})`, source);
    }
  }

  *finish(): Generator<Check, void, void> {
    this.#context.addAssetParts({ contents: this.#contents.listed });
    this.#context.addMetadata({ ...this.#contents.facts(), ...this.#hashes.facts() });
    yield* this.#checks.finish();
  }

  *#entryLimitFinding(): Generator<Check, void, void> {
    const limit = this.#context.limits.maxMembers;
    yield* this.#checks.emit("Archive Entry Count", {
      severity: "warning",
      message: `The archive has more than ${limit} entries`,
      ruleCode: "S410",
      incomplete: "too_many_entries",
      operational: true,
      details: { limit },
    });
  }

  *#checkKind({ name, kind, target, position }: TarEntry): Generator<Check, void, void> {
    switch (kind) {
      case "file":
      case "folder":
        return;
      case "symbolic link":
        this.#links.add(trimSlashes(name));
        return yield* checkLink({ name, target, base: name, position }, this.#checks);
      case "hard link":
        return yield* checkLink({ name, target, base: "", position }, this.#checks);
      case "device":
      case "pipe":
        yield* this.#checks.emit("Archive Special File", {
          severity: "critical",
          message: `Entry ${quotedExcerpt(name)} is a ${kind}, not a file`,
          ruleCode: "S408",
          why: "Unpacking it creates an access point to hardware or to another program",
          position,
        });
    }
  }

  /** Checks for a path through a link: the member is written to the target of the link. */
  *#checkPathThroughLink({ name, position }: TarEntry): Generator<Check, void, void> {
    if (this.#links.size === 0) return;
    const segments = trimSlashes(name).split("/").slice(0, MAX_PATH_SEGMENTS);
    const through = segments.slice(1).some((_, index) =>
      this.#links.has(segments.slice(0, index + 1).join("/"))
    );
    if (!through) return;
    yield* this.#checks.emit("Archive Link", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(name)} is unpacked through a link in the archive`,
      ruleCode: "S406",
      position,
    });
  }

  #submit({ name, dataStart, size }: TarEntry): void {
    const source = sourceSlice(this.#content.source, dataStart, size);
    const digest = digestMember(source, this.#context.limits.maxMemberBytes);
    const whole = source.size === size;
    this.#hashes.add({ name, size, whole, digest, readable: source.size });
    this.#context.scanMember(name, source);
  }
}

function trimSlashes(name: string): string {
  return trimEnd(name.replace(/^(?:\.?\/)+/, ""), /\//);
}
