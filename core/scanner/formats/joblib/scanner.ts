import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { constants, gunzipSync, inflateSync } from "node:zlib";
import { looksLikePickle } from "../pickle/detect.ts";
import { KIB } from "../../../../schemas/units.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { type ByteSource, memorySource, sourceSlice } from "../../contract/source.ts";

type JoblibCompression = "zlib" | "gzip";

/**
 * The start of a file of joblib before 0.10: `ZF`, and the length of the content in hexadecimal as
 * Python's `int` reads it, filled up with spaces. Python 2 wrote one space more. zlib data follows.
 */
const Z_FILE = /^ZF[\s\dxXa-fA-FL_+-]{19}$/;
const Z_FILE_BYTES = 21;
const SPACE = 0x20;

/** That joblib gave files of arrays as well, although they have the bytes of an array without a header. */
const Z_FILE_SUFFIX = /(?:\.npy)?\.(?:z|gz)$/i;

const NAMED = /\.joblib(?:\.(?:z|gz))?$/i;

/** Compressed bytes that are read to detect a pickle, and the limit on their decompressed size. */
const PROBE_BYTES = 4 * KIB;
const MAX_PROBE_UNPACKED_BYTES = 64 * KIB;

/** Shortest prefix that is tried when longer ones fail. */
const MIN_PREFIX_BYTES = 16;

/** Longest trailer: the checksum and length of gzip. */
const TRAILER_BYTES = 8;

/** Bytes out of one byte. Weights never compress this well. */
const MAX_RATIO = 100;

/**
 * Scans compressed joblib files by scanning the pickle in them as a member. Matches zlib and the files
 * of joblib before 0.10 by their content, and gzip by file name. Other compressions are those of
 * `compressed`.
 */
export const joblibScanner: Scanner = {
  id: "joblib",

  matches({ source, name }: Content): boolean {
    if (zFileData(source) !== undefined) return true;
    const compression = compressionOf(source);
    if (compression === undefined) return false;
    return NAMED.test(name) || (compression === "zlib" && containsPickle(source));
  },

  *scan({ source, name }: Content, context: ScanContext): Generator<Check, void, void> {
    const zFile = zFileData(source);
    if (zFile !== undefined) {
      return yield* scanUnpacked(zFile, "zlib", name.replace(Z_FILE_SUFFIX, ""), context);
    }
    const compression = compressionOf(source);
    if (compression === undefined) return;
    yield* scanUnpacked(source, compression, name.replace(/\.(?:z|gz)$/i, ""), context);
  },
};

const CHECK = "Joblib Compression";

function failed(message: string, more: Partial<Check>): Check {
  return { name: CHECK, status: "failed", severity: "info", ruleCode: "S902", message, ...more };
}

function compressionOf(source: ByteSource): JoblibCompression | undefined {
  const head = source.read(0, 8);
  if (decodeLatin1(head).startsWith("\x1f\x8b")) return "gzip";
  return isZlib(head) ? "zlib" : undefined;
}

/** The zlib data of a file of joblib before 0.10, or undefined for any other content. */
function zFileData(source: ByteSource): ByteSource | undefined {
  const head = source.read(0, Z_FILE_BYTES + 1);
  if (!Z_FILE.test(decodeLatin1(head.subarray(0, Z_FILE_BYTES)))) return undefined;
  const start = head[Z_FILE_BYTES] === SPACE ? Z_FILE_BYTES + 1 : Z_FILE_BYTES;
  return isZlib(source.read(start, 2))
    ? sourceSlice(source, start, Math.max(0, source.size - start))
    : undefined;
}

/** RFC 1950: method 8, a window of up to 32 KiB, a header divisible by 31, no preset dictionary. */
function isZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && method >> 4 <= 7 && (method * 256 + flags) % 31 === 0 &&
    (flags & 0x20) === 0;
}

function containsPickle(source: ByteSource): boolean {
  const unpacked = inflate(source.read(0, PROBE_BYTES), "zlib", {
    finishFlush: constants.Z_SYNC_FLUSH,
    maxOutputLength: MAX_PROBE_UNPACKED_BYTES,
  });
  if (unpacked === undefined || unpacked === "too_large") return false;
  return looksLikePickle(memorySource(unpacked));
}

function inflate(
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
  /** Number of compressed bytes that were read. */
  readonly from: number;
  /** Why the content is not complete. */
  readonly cut?: "unpacked_size" | "malformed_compression" | undefined;
}

/**
 * Decompresses a source. If it is too large or damaged, decompresses ever shorter prefixes, because a
 * loader executes the instructions before the damage. Returns undefined if every attempt fails.
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
    // Data that is too large stays so when it need not be complete.
    if (from === packed.length && cut === "unpacked_size") continue;
    const options = { finishFlush, maxOutputLength: limit };
    const bytes = inflate(packed.subarray(0, from), compression, options);
    if (bytes instanceof Uint8Array) return { bytes, from, cut };
    cut = bytes === "too_large" || source.size > limit ? "unpacked_size" : "malformed_compression";
  }
  return undefined;
}

/** Yields lengths to decompress, and whether the data must be complete: all, then ever less. */
function* attempts(size: number): Generator<readonly [number, number], void, void> {
  yield [size, constants.Z_FINISH];
  yield [size, constants.Z_SYNC_FLUSH];
  for (let from = size - TRAILER_BYTES; from >= MIN_PREFIX_BYTES; from = Math.floor(from / 4)) {
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
    return yield failed(`Cannot be decompressed as ${compression}`, {
      incomplete: "malformed_compression",
    });
  }
  const room = context.reserveUnpacked(unpacked.bytes.length);
  const cut = room < unpacked.bytes.length ? "unpacked_size" : unpacked.cut;
  const bytes = unpacked.bytes.subarray(0, room);
  yield sizeCheck(cut, bytes.length, unpacked.bytes.length / unpacked.from);
  context.scanMember(name, memorySource(bytes));
}

function sizeCheck(cut: Unpacked["cut"], length: number, ratio: number): Check {
  if (cut === undefined) {
    return { name: CHECK, status: "passed", message: `Decompressed to ${length} bytes` };
  }
  const message = `Only the first ${length} bytes were decompressed`;
  if (cut === "malformed_compression") return failed(message, { incomplete: cut });
  const bomb = ratio > MAX_RATIO;
  return failed(message, {
    incomplete: cut,
    operational: true,
    ...(bomb &&
      {
        severity: "warning",
        ruleCode: "S410",
        why: "A small file that decompresses to a huge one exhausts memory",
      }),
  });
}
