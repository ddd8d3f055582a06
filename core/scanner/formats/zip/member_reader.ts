import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Check, Content, ScanContext } from "../../contract/scanner.ts";
import type { Checklist } from "../../contract/checklist.ts";
import { checkLink } from "../archive/entry_path_checks.ts";
import { ArchiveMemberHashes } from "../archive/archive_member_hashes.ts";
import { digestMember, type MemberDigest } from "../archive/read_through.ts";
import type { ZipMember } from "./directory.ts";
import type { ZipCheck } from "./inspection.ts";
import { type OpenedMember, openZipMember } from "./open_member.ts";
import { MIB } from "../../../../schemas/units.ts";

const ENCRYPTED = 0x1 | 0x40;
const TYPE_BITS = 0o170000;
const SYMLINK = 0o120000;
const MOST_TARGET = 4096;
const MOST_RATIO = 100;
const LEAST_BOMB = MIB;
const AES = 99;

/** Whether a member of this many bytes is nothing but weights, and may look like anything. */
export type IsWeights = (member: ZipMember, bytes: number) => boolean;

/** Reads the members of an archive one after the other, checks what they are and offers them. */
export class ZipMemberReader {
  readonly #content: Content;
  readonly #context: ScanContext;
  readonly #checks: Checklist<ZipCheck>;
  readonly #hashes: ArchiveMemberHashes;
  /** Bytes that may be read as they are: those of the archive, once each. */
  #unread: number;

  constructor(
    content: Content,
    context: ScanContext,
    scanner: string,
    checks: Checklist<ZipCheck>,
  ) {
    this.#content = content;
    this.#context = context;
    this.#checks = checks;
    this.#hashes = new ArchiveMemberHashes(content, scanner);
    this.#unread = content.source.size;
  }

  /** Checks a member, and offers it to be scanned unless it is known to be nothing but weights. */
  *read(member: ZipMember, isWeights: IsWeights): Generator<Check, void, void> {
    yield* this.#checkRatio(member);
    if (member.name.endsWith("/") && member.dataSize === 0) return;
    const readable = this.#readable(member.dataSize);
    const opened = this.#open({ ...member, dataSize: readable }, readable < member.dataSize);
    const digest = digestMember(opened.source, this.#context.limits.maxMemberBytes);
    yield* this.#checkContent(member, opened, digest);
    yield* this.#checkSymlink(member, opened);
    this.#hash(member, opened, digest);
    if (!isWeights(member, opened.source.size)) {
      this.#context.scanMember(member.name, opened.source);
    }
  }

  /** Metadata of the file: the hashes of the members. */
  facts(): Record<string, unknown> {
    return this.#hashes.facts();
  }

  /**
   * How many of so many bytes may be read. Members that share their bytes multiply the archive, and
   * are paid for as if they were unpacked.
   */
  #readable(bytes: number): number {
    if (bytes > this.#unread) return this.#context.reserveUnpacked(bytes);
    this.#unread -= bytes;
    return bytes;
  }

  #open(member: ZipMember, limited: boolean): OpenedMember {
    const opened = openZipMember(this.#content.source, member, this.#context);
    return limited ? { ...opened, incomplete: "unpacked_limit" } : opened;
  }

  *#checkRatio({ name, header, dataSize, start }: ZipMember): Generator<Check, void, void> {
    const ratio = Math.round(header.size / Math.max(1, dataSize));
    if (!(header.size >= LEAST_BOMB && ratio > MOST_RATIO)) return;
    yield* this.#checks.emit("Archive Compression Ratio", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(name)} unpacks to ${ratio} times its size`,
      ruleCode: "S410",
      details: { size: header.size, compressed_size: dataSize, ratio, limit: MOST_RATIO },
      position: start,
    });
  }

  *#checkContent(
    member: ZipMember,
    opened: OpenedMember,
    digest: MemberDigest,
  ): Generator<Check, void, void> {
    const right = digest.crc32 === expectedChecksum(member);
    if (!opened.incomplete) yield* this.#checkSize(member, opened.source.size);
    if (right && !opened.incomplete) return;
    if (isEncrypted(member) && !right) return yield* this.#unreadable(member, "encrypted_member");
    if (opened.incomplete) return yield* this.#unreadable(member, opened.incomplete);
    if (expectedChecksum(member) === undefined) return;
    yield* this.#checks.emit("Archive Entry Checksum", {
      severity: "warning",
      message: `The checksum of entry ${quotedExcerpt(member.name)} is not that of its content`,
      ruleCode: "S902",
      why: "Some readers refuse such a member, and with it its scan, where a loader reads it",
      position: member.start,
    });
  }

  *#checkSize(member: ZipMember, size: number): Generator<Check, void, void> {
    if (!member.entry || size === member.header.size || isEncrypted(member)) return;
    yield* this.#checks.emit("Archive Entry Header", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(member.name)} has ${size} bytes, its header says otherwise`,
      ruleCode: "S904",
      details: { size, said: member.header.size },
      position: member.start,
    });
  }

  *#unreadable(member: ZipMember, incomplete: string): Generator<Check, void, void> {
    const encrypted = incomplete === "encrypted_member";
    const limited = incomplete === "unpacked_limit";
    const bomb = member.header.size / Math.max(1, member.dataSize) > MOST_RATIO;
    yield* this.#checks.emit("Archive Entry Content", {
      severity: encrypted ? "warning" : "info",
      message: `Entry ${quotedExcerpt(member.name)} could not be read to its end: ${incomplete}`,
      ruleCode: encrypted ? "S604" : limited ? "S410" : "S902",
      incomplete,
      ...(limited && !bomb && { operational: true }),
      details: { entry: excerpt(member.name), method: member.header.method },
      position: member.start,
    });
  }

  *#checkSymlink(
    { name, entry, start }: ZipMember,
    { source }: OpenedMember,
  ): Generator<Check, void, void> {
    if (!entry || (entry.mode & TYPE_BITS) !== SYMLINK) return;
    const target = new TextDecoder().decode(source.read(0, MOST_TARGET));
    yield* checkLink({ name, target, base: name, position: start }, this.#checks);
  }

  #hash({ name, header }: ZipMember, { source, incomplete }: OpenedMember, digest: MemberDigest) {
    this.#hashes.add({
      name,
      size: incomplete ? (Number.isFinite(header.size) ? header.size : undefined) : source.size,
      whole: !incomplete,
      digest,
      readable: source.size,
    });
  }
}

/** The checksum that the content should have; undefined where the header of an unlisted one has none. */
function expectedChecksum({ header, entry }: ZipMember): number | undefined {
  return !entry && header.crc32 === 0 ? undefined : header.crc32;
}

function isEncrypted({ header, local }: ZipMember): boolean {
  return header.method === AES || ((header.flags | (local?.flags ?? 0)) & ENCRYPTED) !== 0;
}
