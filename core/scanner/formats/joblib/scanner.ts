import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { constants, gunzipSync, inflateSync } from "node:zlib";
import { looksLikePickle } from "../pickle/probe.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { type ByteSource, memorySource } from "../../contract/source.ts";

type Compression = "zlib" | "gzip" | "bzip2" | "xz" | "lzma" | "lz4";

const SIGNATURES: readonly (readonly [signature: string, compression: Compression])[] = [
  ["\x1f\x8b", "gzip"],
  ["BZh", "bzip2"],
  ["\xfd7zXZ\x00", "xz"],
  ["\x5d\x00\x00", "lzma"],
  ["\x04\x22\x4d\x18", "lz4"],
];

const NAMED = /\.joblib(?:\.(?:z|gz|bz2|xz|lzma|lz4))?$/i;

/** Compressed bytes that are unpacked to tell what is in them, and the most they may become. */
const PROBED_BYTES = 4096;
const PROBED_UNPACKED = 64 * 1024;

/** The shortest part that is still unpacked where a longer one becomes too much. */
const MIN_PREFIX = 16;

/** The longest checksum at the end: that of gzip, with a length. */
const CHECKSUM_BYTES = 8;

/** More than so many bytes out of one is no compression of weights. */
const MAX_RATIO = 100;

/**
 * Compressed files of joblib: zlib by its content, the others by the name, as they have scanners of
 * their own. What is in them is a pickle, which is scanned as a member.
 */
export const joblibScanner: Scanner = {
  id: "joblib",

  matches({ source, name }: Content): boolean {
    const compression = compressionOf(source);
    if (compression === undefined) return false;
    return NAMED.test(name) || (compression === "zlib" && holdsPickle(source));
  },

  *scan({ source, name }: Content, context: ScanContext): Generator<Check, void, void> {
    const compression = compressionOf(source);
    if (compression === "zlib" || compression === "gzip") {
      yield* scanUnpacked(source, compression, name, context);
    } else {
      yield failed(`Compressed by ${compression ?? "nothing known"}, which is not unpacked`, {
        incomplete: "unsupported_compression",
      });
    }
  },
};

const CHECK = "Joblib Compression";

function failed(message: string, more: Partial<Check>): Check {
  return { name: CHECK, status: "failed", severity: "info", ruleCode: "S902", message, ...more };
}

function compressionOf(source: ByteSource): Compression | undefined {
  const head = source.read(0, 8);
  const text = decodeLatin1(head);
  const listed = SIGNATURES.find(([signature]) => text.startsWith(signature))?.[1];
  return listed ?? (isZlib(head) ? "zlib" : undefined);
}

/** RFC 1950: method 8, a window of at most 32 KiB, a check that makes both bytes a multiple of 31. */
function isZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && method >> 4 <= 7 && (method * 256 + flags) % 31 === 0 &&
    (flags & 0x20) === 0;
}

function holdsPickle(source: ByteSource): boolean {
  const unpacked = inflated(source.read(0, PROBED_BYTES), "zlib", {
    finishFlush: constants.Z_SYNC_FLUSH,
    maxOutputLength: PROBED_UNPACKED,
  });
  if (unpacked === undefined || unpacked === "too_large") return false;
  return looksLikePickle(memorySource(unpacked));
}

function inflated(
  packed: Uint8Array,
  compression: "zlib" | "gzip",
  options: { readonly finishFlush: number; readonly maxOutputLength: number },
): Uint8Array | "too_large" | undefined {
  try {
    return compression === "zlib" ? inflateSync(packed, options) : gunzipSync(packed, options);
  } catch (error) {
    const tooLarge = error instanceof RangeError && "code" in error &&
      error.code === "ERR_BUFFER_TOO_LARGE";
    return tooLarge ? "too_large" : undefined;
  }
}

interface Unpacked {
  readonly bytes: Uint8Array;
  /** Of how many bytes of the file. */
  readonly from: number;
  /** Why it is not all of it. */
  readonly cut?: "unpacked_size" | "malformed_compression" | undefined;
}

/**
 * What is in it, or in a shorter and shorter part of it where that becomes too much or is broken: a
 * loader carries out the instructions before the place that it cannot read.
 */
function unpack(
  source: ByteSource,
  compression: "zlib" | "gzip",
  limit: number,
): Unpacked | undefined {
  if (limit === 0) return { bytes: new Uint8Array(), from: 1, cut: "unpacked_size" };
  const packed = source.read(0, Math.min(source.size, limit));
  let cut: Unpacked["cut"];
  for (const [from, finishFlush] of attempts(packed.length)) {
    // Without its end it becomes too much just the same.
    if (from === packed.length && cut === "unpacked_size") continue;
    const options = { finishFlush, maxOutputLength: limit };
    const bytes = inflated(packed.subarray(0, from), compression, options);
    if (bytes instanceof Uint8Array) return { bytes, from, cut };
    cut = bytes === "too_large" || source.size > limit ? "unpacked_size" : "malformed_compression";
  }
  return undefined;
}

/** How much to unpack, and whether it must have an end: all with it, without it, and less and less. */
function* attempts(size: number): Generator<readonly [number, number], void, void> {
  yield [size, constants.Z_FINISH];
  yield [size, constants.Z_SYNC_FLUSH];
  for (let from = size - CHECKSUM_BYTES; from >= MIN_PREFIX; from = Math.floor(from / 4)) {
    yield [from, constants.Z_SYNC_FLUSH];
  }
}

function* scanUnpacked(
  source: ByteSource,
  compression: "zlib" | "gzip",
  name: string,
  context: ScanContext,
): Generator<Check, void, void> {
  const unpacked = unpack(source, compression, context.limits.maxMemberBytes);
  if (unpacked === undefined) {
    return yield failed(`Cannot be unpacked by ${compression}`, {
      incomplete: "malformed_compression",
    });
  }
  const room = context.reserveUnpacked(unpacked.bytes.length);
  const cut = room < unpacked.bytes.length ? "unpacked_size" : unpacked.cut;
  const bytes = unpacked.bytes.subarray(0, room);
  yield sizeCheck(cut, bytes.length, unpacked.bytes.length / unpacked.from);
  context.scanMember(name.replace(/\.(?:z|gz)$/i, ""), memorySource(bytes));
}

function sizeCheck(cut: Unpacked["cut"], length: number, ratio: number): Check {
  if (cut === undefined) {
    return { name: CHECK, status: "passed", message: `Unpacked into ${length} bytes` };
  }
  const message = `Only the first ${length} bytes are unpacked`;
  if (cut === "malformed_compression") return failed(message, { incomplete: cut });
  const bomb = ratio > MAX_RATIO;
  return failed(message, {
    incomplete: cut,
    operational: true,
    ...(bomb && { severity: "warning", ruleCode: "S410", why: "Unpacks into vastly more" }),
  });
}
