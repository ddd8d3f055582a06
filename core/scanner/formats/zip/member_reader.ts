import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Check, Content, ScanContext } from "../../contract/scanner.ts";
import type { Checklist } from "../../contract/checklist.ts";
import { cutSource } from "../../contract/source.ts";
import {
  ArchiveMemberHashes,
  digestMember,
  type MemberDigest,
} from "../archive/archive_member_hashes.ts";
import { checkLink } from "../archive/entry_path_checks.ts";
import type { ZipCheck } from "./checks.ts";
import type { ZipMember } from "./directory.ts";
import { SOME_READERS_REFUSE } from "./header_checks.ts";
import { type OpenedMember, openZipMember } from "./open_member.ts";
import { plainArrayBytes } from "../numpy/plain_array.ts";
import { limitDetails } from "../compressed/unpack.ts";
import { MIB } from "../../../../schemas/units.ts";

const ENCRYPTED_FLAGS = 0x1 | 0x40;
const AES_METHOD = 99;
const FILE_TYPE_MASK = 0o170000;
const SYMLINK_TYPE = 0o120000;
const MAX_LINK_TARGET_BYTES = 4096;
const MAX_COMPRESSION_RATIO = 100;
/** Members that declare fewer bytes are not reported as bombs: honest zeros shrink as well. */
const MIN_BOMB_BYTES = 32 * MIB;

const MAX_HASHED_WEIGHTS_BYTES = MIB;

/**
 * Whether a member is nothing but weights. Such a member is not scanned: weights can imitate any
 * format by chance.
 *
 * @param bytes Unpacked size.
 */
export type IsWeights = (member: ZipMember, bytes: number) => boolean;

/** Reads the members of one archive, checks their content and submits it for scanning. */
export class ZipMemberReader {
  readonly #content: Content;
  readonly #context: ScanContext;
  readonly #checks: Checklist<ZipCheck>;
  readonly #hashes: ArchiveMemberHashes;
  readonly #isWeights: IsWeights;
  /** Bytes of the archive that may still be read without charge: its size, once. */
  #unchargedBytes: number;

  constructor(
    content: Content,
    context: ScanContext,
    checks: Checklist<ZipCheck>,
    { scanner, isWeights }: { readonly scanner: string; readonly isWeights?: IsWeights },
  ) {
    this.#content = content;
    this.#context = context;
    this.#checks = checks;
    this.#hashes = new ArchiveMemberHashes(content, scanner);
    this.#isWeights = isWeights ?? (() => false);
    this.#unchargedBytes = content.source.size;
  }

  /** Checks a member and submits it for scanning unless it is nothing but weights. */
  *read(member: ZipMember): Generator<Check, void, void> {
    if (member.name.endsWith("/") && member.dataSize === 0) return;
    const opened = this.#open(member);
    // An array of numbers takes the memory that its header says, and nothing in it can run.
    const isArray = plainArrayBytes(opened.source) === member.header.size;
    if (!isArray) yield* this.#checkRatio(member);
    if (isArray && opened.incomplete === "unpacked_limit") return this.#hashPart(member, opened);
    const isWeights = this.#isWeights(member, opened.source.size);
    const digest = digestMember(opened.source, this.#hashedBytes(isWeights));
    yield* this.#checkContent(member, opened, digest);
    yield* this.#checkSymlink(member, opened);
    this.#hash(member, opened, digest);
    if (!isWeights) this.#context.scanMember(member.name, opened.source);
  }

  /** Of weights, which the hash of the archive covers, only the first MiB is hashed again. */
  #hashedBytes(isWeights: boolean): number {
    const { maxMemberBytes } = this.#context.limits;
    return isWeights ? Math.min(MAX_HASHED_WEIGHTS_BYTES, maxMemberBytes) : maxMemberBytes;
  }

  /** The hashes of the members read, as metadata of the file. */
  facts(): Readonly<Record<string, unknown>> {
    return this.#hashes.facts();
  }

  #open(member: ZipMember): OpenedMember {
    const dataSize = this.#reserve(member.dataSize);
    const opened = openZipMember(this.#content.source, { ...member, dataSize }, this.#context);
    return dataSize < member.dataSize
      ? { source: cutSource(opened.source), incomplete: "unpacked_limit" }
      : opened;
  }

  /**
   * Reserves compressed bytes for reading, and returns how many are granted. Overlapping members read
   * more bytes than the archive has; the excess counts as unpacked bytes.
   */
  #reserve(bytes: number): number {
    if (bytes > this.#unchargedBytes) return this.#context.reserveUnpacked(bytes);
    this.#unchargedBytes -= bytes;
    return bytes;
  }

  *#checkRatio({ name, header, dataSize, start }: ZipMember): Generator<Check, void, void> {
    const ratio = Math.round(header.size / Math.max(1, dataSize));
    const least = Math.min(MIN_BOMB_BYTES, this.#context.limits.maxMemberBytes);
    if (!(header.size >= least && ratio > MAX_COMPRESSION_RATIO)) return;
    yield* this.#checks.emit("Archive Compression Ratio", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(name)} unpacks to ${ratio} times its compressed size`,
      ruleCode: "S410",
      details: {
        size: header.size,
        compressed_size: dataSize,
        ratio,
        limit: MAX_COMPRESSION_RATIO,
      },
      position: start,
    });
  }

  *#checkContent(
    member: ZipMember,
    opened: OpenedMember,
    digest: MemberDigest,
  ): Generator<Check, void, void> {
    const checksumMatches = digest.crc32 === expectedChecksum(member);
    if (!opened.incomplete) yield* this.#checkSize(member, opened.source.size);
    if (checksumMatches && !opened.incomplete) return;
    if (isEncrypted(member) && !checksumMatches) {
      return yield* this.#unreadable(member, "encrypted_member");
    }
    if (opened.incomplete) return yield* this.#unreadable(member, opened.incomplete);
    if (expectedChecksum(member) === undefined) return;
    yield* this.#checks.emit("Archive Entry Checksum", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(member.name)} does not match its checksum`,
      ruleCode: "S902",
      why: SOME_READERS_REFUSE,
      position: member.start,
    });
  }

  *#checkSize(member: ZipMember, size: number): Generator<Check, void, void> {
    const { name, entry, header, start } = member;
    if (!entry || size === header.size || isEncrypted(member)) return;
    yield* this.#checks.emit("Archive Entry Header", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(name)} has ${size} bytes, not the size in its header`,
      ruleCode: "S904",
      details: { size, said: header.size },
      position: start,
    });
  }

  *#unreadable(member: ZipMember, incomplete: string): Generator<Check, void, void> {
    const encrypted = incomplete === "encrypted_member";
    const limited = incomplete === "unpacked_limit";
    yield* this.#checks.emit("Archive Entry Content", {
      severity: encrypted ? "warning" : "info",
      message: `Entry ${quotedExcerpt(member.name)} was not read completely: ${incomplete}`,
      ruleCode: encrypted ? "S604" : limited ? "S410" : "S902",
      incomplete,
      ...(limited && { operational: true }),
      details: {
        entry: excerpt(member.name),
        method: member.header.method,
        ...(limited && limitDetails(this.#context.limits)),
      },
      position: member.start,
    });
  }

  *#checkSymlink(
    { name, entry, start }: ZipMember,
    { source }: OpenedMember,
  ): Generator<Check, void, void> {
    if (!entry || (entry.mode & FILE_TYPE_MASK) !== SYMLINK_TYPE) return;
    const target = new TextDecoder().decode(source.read(0, MAX_LINK_TARGET_BYTES));
    yield* checkLink({ name, target, base: name, position: start }, this.#checks);
  }

  /** Records a member of which only the beginning was read. */
  #hashPart(member: ZipMember, opened: OpenedMember): void {
    this.#hash(member, opened, digestMember(opened.source, this.#context.limits.maxMemberBytes));
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

/** The declared checksum, or undefined for an unlisted member whose header leaves it out. */
function expectedChecksum({ header, entry }: ZipMember): number | undefined {
  return !entry && header.crc32 === 0 ? undefined : header.crc32;
}

function isEncrypted({ header, local }: ZipMember): boolean {
  const flags = header.flags | (local?.flags ?? 0);
  return header.method === AES_METHOD || (flags & ENCRYPTED_FLAGS) !== 0;
}
