import { crc32 } from "node:zlib";
import { Checklist } from "../../contract/checklist.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { type ByteSource, cutSource, memorySource, sourceSlice } from "../../contract/source.ts";
import { ArchiveMemberHashes, digestMember } from "../archive/archive_member_hashes.ts";
import { ArchiveContents } from "../archive/contents.ts";
import {
  checkDuplicate,
  checkEntryPath,
  checkLink,
  type EntryCheck,
} from "../archive/entry_path_checks.ts";
import { startsWithBytes, viewOf } from "../../readers/bytes/bytes.ts";
import { DamagedData } from "../../readers/compression/output_buffer.ts";
import { limitDetails } from "../compressed/unpack.ts";
import { SevenZipCursor } from "./cursor.ts";
import { type UnpackedFolder, unpackFolder } from "./folder.ts";
import {
  ENCODED_HEADER,
  type Folder,
  HEADER,
  readHeader,
  readStreams,
  type SevenZipFile,
  type SevenZipHeader,
  type Streams,
} from "./header.ts";
import { MIB } from "../../../../schemas/units.ts";

type SevenZipCheck = EntryCheck | "Archive Directory" | "Archive Entry Content";

const PASSED: Readonly<Record<SevenZipCheck, string>> = {
  "Archive Directory": "The header of the archive was read",
  "Archive Entry Path": "All entry names stay inside the archive",
  "Archive Link": "No link points outside the archive",
  "Archive Duplicate Entry": "All entry names are unique",
  "Archive Entry Content": "All entries were read completely",
};

const SIGNATURE = [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c];
const START_BYTES = 32;
const MAX_HEADER_BYTES = 64 * MIB;
/** A header may be packed with its own header packed, and so on. */
const MAX_PACKED_HEADERS = 4;
const FILE_TYPE_MASK = 0o170000;
const SYMLINK_TYPE = 0o120000;
const MAX_LINK_TARGET_BYTES = 4096;

/** Scans 7z archives (scanning 2.7). */
export const sevenZipScanner: Scanner = {
  id: "seven_zip",
  matches: ({ source }: Content) => startsWithBytes(source.read(0, SIGNATURE.length), SIGNATURE),
  *scan(content: Content, context: ScanContext): Generator<Check, void, void> {
    yield* new SevenZipScan(content, context).run();
  },
};

class SevenZipScan {
  readonly #content: Content;
  readonly #context: ScanContext;
  readonly #checks = new Checklist<SevenZipCheck>(PASSED);
  readonly #hashes: ArchiveMemberHashes;
  readonly #contents = new ArchiveContents();
  readonly #names = new Set<string>();

  constructor(content: Content, context: ScanContext) {
    this.#content = content;
    this.#context = context;
    this.#hashes = new ArchiveMemberHashes(content, "seven_zip");
  }

  *run(): Generator<Check, void, void> {
    const header = this.#header();
    if (typeof header === "string") {
      yield* this.#checks.emit("Archive Directory", {
        severity: "info",
        ruleCode: "S902",
        message: `The header of the archive cannot be read: ${header}`,
        incomplete: "malformed_archive",
      });
    } else yield* this.#members(header);
    this.#context.addAssetParts({ contents: this.#contents.listed });
    this.#context.addMetadata({ ...this.#contents.facts(), ...this.#hashes.facts() });
    yield* this.#checks.finish();
  }

  /** The header, or why it cannot be read. */
  #header(): SevenZipHeader | string {
    const { source } = this.#content;
    const start = viewOf(source.read(0, START_BYTES));
    if (start.byteLength < START_BYTES) return "it is cut off";
    if (start.getUint32(8, true) !== crc32(source.read(12, START_BYTES - 12))) {
      return "its position has another checksum";
    }
    const at = START_BYTES + Number(start.getBigUint64(12, true));
    const size = Number(start.getBigUint64(20, true));
    if (at + size < source.size) {
      this.#context.scanMember(
        `(bytes from ${at + size})`,
        sourceSlice(source, at + size, source.size - at - size),
      );
    }
    if (size === 0) return { streams: { packedAt: 0, packedSizes: [], folders: [] }, files: [] };
    if (!(at + size <= source.size)) return "it is cut off";
    if (size > MAX_HEADER_BYTES) return `it has more than ${MAX_HEADER_BYTES} bytes`;
    try {
      return this.#unpackedHeader(source.read(at, size), 0);
    } catch (error) {
      if (error instanceof DamagedData) return error.message;
      throw error;
    }
  }

  #unpackedHeader(bytes: Uint8Array, level: number): SevenZipHeader {
    const cursor = new SevenZipCursor(bytes);
    const mark = cursor.byte();
    if (mark === HEADER) return readHeader(cursor);
    if (mark !== ENCODED_HEADER || level === MAX_PACKED_HEADERS) {
      throw new DamagedData("it has no known mark");
    }
    const streams = readStreams(cursor);
    const [folder] = streams.folders;
    const [packed] = this.#packed(streams);
    if (folder === undefined || packed === undefined) throw new DamagedData("it is not there");
    const { bytes: inner, incomplete } = unpackFolder(folder, packed, this.#context);
    if (incomplete !== undefined) throw new DamagedData(incomplete);
    return this.#unpackedHeader(inner, level + 1);
  }

  /** The packed data of each folder. */
  #packed({ packedAt, packedSizes, folders }: Streams): ByteSource[] {
    let at = START_BYTES + packedAt;
    let stream = 0;
    return folders.map(({ packedStreams }) => {
      const start = at;
      for (let i = 0; i < packedStreams; i++) at += packedSizes[stream++] ?? 0;
      if (!Number.isSafeInteger(at)) throw new DamagedData("a size is too large");
      return sourceSlice(this.#content.source, start, at - start);
    });
  }

  *#members({ streams, files }: SevenZipHeader): Generator<Check, void, void> {
    const packed = this.#packed(streams);
    const named = files.values();
    for (const [index, folder] of streams.folders.entries()) {
      const source = packed[index];
      if (source !== undefined) yield* this.#folder(folder, source, named);
    }
    for (const { name } of named) yield* this.#name(name);
  }

  *#folder(
    folder: Folder,
    packed: ByteSource,
    files: Iterator<SevenZipFile>,
  ): Generator<Check, void, void> {
    const { bytes, incomplete } = unpackFolder(folder, packed, this.#context);
    if (incomplete !== undefined) yield* this.#unreadable(incomplete);
    const whole = memorySource(bytes);
    const source = incomplete === "unpacked_limit" ? cutSource(whole) : whole;
    let at = 0;
    for (const size of folder.members) {
      const file = yield* this.#next(files);
      yield* this.#member(file, sourceSlice(source, at, size), size);
      at += size;
    }
  }

  /** The next file with data. Those without are checked on the way. */
  *#next(files: Iterator<SevenZipFile>): Generator<Check, SevenZipFile, void> {
    for (let next = files.next(); !next.done; next = files.next()) {
      if (next.value.hasStream) return next.value;
      yield* this.#name(next.value.name);
    }
    return { name: "", hasStream: true, mode: 0 };
  }

  *#name(name: string): Generator<Check, void, void> {
    yield* checkEntryPath(name, 0, this.#checks);
    yield* checkDuplicate(name, 0, this.#names, this.#checks);
  }

  *#member(
    { name, mode }: SevenZipFile,
    source: ByteSource,
    size: number,
  ): Generator<Check, void, void> {
    yield* this.#name(name);
    this.#contents.add({ name, size });
    const digest = digestMember(source, this.#context.limits.maxMemberBytes);
    const whole = source.size === size;
    this.#hashes.add({ name, size, whole, digest, readable: source.size });
    if ((mode & FILE_TYPE_MASK) === SYMLINK_TYPE) {
      const target = new TextDecoder().decode(source.read(0, MAX_LINK_TARGET_BYTES));
      yield* checkLink({ name, target, base: name, position: 0 }, this.#checks);
    }
    this.#context.scanMember(name, source);
  }

  *#unreadable(
    incomplete: NonNullable<UnpackedFolder["incomplete"]>,
  ): Generator<Check, void, void> {
    const encrypted = incomplete === "encrypted_member";
    const limited = incomplete === "unpacked_limit";
    yield* this.#checks.emit("Archive Entry Content", {
      severity: encrypted ? "warning" : "info",
      message: `Entries were not read completely: ${incomplete}`,
      ruleCode: encrypted ? "S604" : limited ? "S410" : "S902",
      incomplete,
      ...(limited && { operational: true, details: limitDetails(this.#context.limits) }),
    });
  }
}
