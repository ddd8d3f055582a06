import { quotedExcerpt } from "../../contract/excerpt.ts";
import { Checklist } from "../../contract/checklist.ts";
import { ArchiveContents } from "../archive/contents.ts";
import {
  checkDuplicate,
  checkEntryPath,
  checkLink,
  type EntryCheck,
} from "../archive/entry_path_checks.ts";
import { ArchiveMemberHashes } from "../archive/archive_member_hashes.ts";
import { digestMember } from "../archive/read_through.ts";
import { isTar, tarEntries, type TarEntry, type TarFault } from "./entries.ts";
import { TAR_BLOCK } from "./header.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { sourceSlice } from "../../contract/source.ts";

type TarCheck = EntryCheck | "Archive Structure" | "Archive Entry Count" | "Archive Special File";

const PASSED: Readonly<Record<TarCheck, string>> = {
  "Archive Structure": "All headers of the archive are sound, and nothing follows its end",
  "Archive Entry Count": "The number of entries is within the limit",
  "Archive Entry Path": "All names stay within the archive",
  "Archive Link": "No link points out of the archive",
  "Archive Duplicate Entry": "No name is there twice",
  "Archive Special File": "The archive has no devices and no pipes",
};

/** TAR archives, those included in which PyTorch 0.1 saved models. */
export const tarScanner: Scanner = {
  id: "tar",
  matches: ({ source }) => isTar(source),
  *scan(content, context) {
    const scan = new TarScan(content, context);
    for (const found of tarEntries(content.source)) {
      yield* "fault" in found ? scan.fault(found) : scan.entry(found);
      if (scan.isFull) break;
    }
    yield* scan.rest();
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
  #seen = 0;

  constructor(content: Content, context: ScanContext) {
    this.#content = content;
    this.#context = context;
    this.#hashes = new ArchiveMemberHashes(content, "tar");
  }

  /** Whether no more entries are looked at. */
  get isFull(): boolean {
    return this.#seen > this.#context.limits.maxMembers;
  }

  *entry(entry: TarEntry): Generator<Check, void, void> {
    this.#seen++;
    if (this.isFull) return yield* this.#tooMany();
    const { name, kind, position, size } = entry;
    this.#contents.add({ name, size, type: kind });
    yield* checkEntryPath(name, position, this.#checks);
    if (kind !== "folder") yield* checkDuplicate(name, position, this.#names, this.#checks);
    yield* this.#checkKind(entry);
    yield* this.#checkWayThroughLink(entry);
    if (entry.size > 0) this.#offer(entry);
  }

  *fault({ fault, position, end }: TarFault): Generator<Check, void, void> {
    const hidden = fault === "data_after_end";
    yield* this.#checks.emit("Archive Structure", {
      severity: hidden ? "warning" : "info",
      message: `The archive is not sound at ${position}: ${fault}`,
      ruleCode: hidden ? "S908" : "S902",
      ...(!hidden && { incomplete: fault }),
      details: { start: position, end },
      position,
    });
    if (fault === "truncated_archive") return;
    // What is taken for a broken header may be one to others, with a member behind it.
    for (const start of [position, position + TAR_BLOCK]) {
      if (start >= end) continue;
      const source = sourceSlice(this.#content.source, start, end - start);
      this.#context.scanMember(`(bytes from ${start})`, source);
    }
  }

  *rest(): Generator<Check, void, void> {
    this.#context.addAssetParts({ contents: this.#contents.listed });
    this.#context.addMetadata({ ...this.#contents.facts(), ...this.#hashes.facts() });
    yield* this.#checks.finish();
  }

  *#tooMany(): Generator<Check, void, void> {
    const most = this.#context.limits.maxMembers;
    yield* this.#checks.emit("Archive Entry Count", {
      severity: "warning",
      message: `The archive has more than ${most} entries`,
      ruleCode: "S410",
      incomplete: "too_many_entries",
      details: { limit: most },
    });
  }

  *#checkKind({ name, kind, target, position }: TarEntry): Generator<Check, void, void> {
    switch (kind) {
      case "file":
      case "folder":
        return;
      case "symbolic link":
        this.#links.add(withoutSlash(name));
        return yield* checkLink({ name, target, base: name, position }, this.#checks);
      case "hard link":
        return yield* checkLink({ name, target, base: "", position }, this.#checks);
      case "device":
      case "pipe":
        yield* this.#checks.emit("Archive Special File", {
          severity: "critical",
          message: `Entry ${quotedExcerpt(name)} is a ${kind}, no file`,
          ruleCode: "S408",
          why: "Unpacking it makes an access to hardware or to another program",
          position,
        });
    }
  }

  /** A member whose path goes through a link of the archive is written where the link points to. */
  *#checkWayThroughLink({ name, position }: TarEntry): Generator<Check, void, void> {
    if (this.#links.size === 0) return;
    const segments = withoutSlash(name).split("/").slice(0, 256);
    const through = segments.slice(1).some((_, index) =>
      this.#links.has(segments.slice(0, index + 1).join("/"))
    );
    if (!through) return;
    yield* this.#checks.emit("Archive Link", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(name)} is unpacked through a link of the archive`,
      ruleCode: "S406",
      position,
    });
  }

  #offer({ name, dataStart, size }: TarEntry): void {
    const source = sourceSlice(this.#content.source, dataStart, size);
    const digest = digestMember(source, this.#context.limits.maxMemberBytes);
    const whole = source.size === size;
    this.#hashes.add({ name, size, whole, digest, readable: source.size });
    this.#context.scanMember(name, source);
  }
}

function withoutSlash(name: string): string {
  return name.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, "");
}
