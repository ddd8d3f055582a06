import { concatBytes } from "../../readers/bytes/bytes.ts";
import { constants, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";
import type { ScanContext } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { zstdFrames } from "./zstd_frames.ts";

/** A compression that is understood. */
export type Codec = "deflate" | "zlib" | "gzip" | "zstd";

/** What came out of compressed content. */
export interface Unpacked {
  readonly bytes: Uint8Array;
  /** Why that is not all of it: a limit of ours, or the compressed bytes. */
  readonly incomplete: "unpacked_limit" | "corrupt_stream" | undefined;
  /** How many compressed bytes it came out of. */
  readonly packedSize: number;
}

/** The most that one byte of a DEFLATE stream can stand for. */
const MOST_EXPANSION = 1032;
const MOST_TRIES = 24;

/**
 * Unpacks content into memory: whole where the limits allow, else as much of its beginning as they
 * do, or as the damage leaves readable.
 *
 * @param expected how many bytes are said to come out, which may be a lie.
 */
export function unpack(
  codec: Codec,
  compressed: ByteSource,
  expected: number | undefined,
  context: ScanContext,
): Unpacked {
  const most = context.limits.maxMemberBytes;
  const packed = compressed.read(0, Math.min(compressed.size, Math.ceil(most * 1.125) + 65536));
  const possible = codec === "zstd" ? most : Math.min(most, packed.length * MOST_EXPANSION + 1024);
  const likely = Number.isFinite(expected) ? Math.min(possible, expected ?? 0) : possible;
  let bound = context.reserveUnpacked(likely);
  let whole = attempt(codec, packed, bound, true);
  if (whole === "too large" && bound === likely && likely < possible) {
    bound += context.reserveUnpacked(possible - likely);
    whole = attempt(codec, packed, bound, true);
  }
  if (whole instanceof Uint8Array && packed.length === compressed.size) {
    return { bytes: whole, incomplete: undefined, packedSize: packed.length };
  }
  const limited = whole === "too large" || packed.length < compressed.size;
  return {
    ...whole instanceof Uint8Array
      ? { bytes: whole, packedSize: packed.length }
      : beginning(codec, packed, bound),
    incomplete: limited ? "unpacked_limit" : "corrupt_stream",
  };
}

/** Whether the first bytes of content unpack to anything without fault. */
export function beginsAs(codec: Codec, head: Uint8Array): boolean {
  const bytes = attempt(codec, head, Math.max(1, head.length) * MOST_EXPANSION, false);
  return bytes instanceof Uint8Array && bytes.length > 0;
}

/**
 * What the longest readable piece of the compressed bytes gives: a piece that is too long gives
 * nothing at all, neither where more comes out than may nor where it is damaged.
 */
function beginning(
  codec: Codec,
  packed: Uint8Array,
  bound: number,
): Pick<Unpacked, "bytes" | "packedSize"> {
  let best: Uint8Array = new Uint8Array();
  let [readable, unreadable] = [0, packed.length + 1];
  for (let tries = 0; tries < MOST_TRIES && unreadable - readable > 1 + readable / 16; tries++) {
    const length = tries === 0 ? packed.length : Math.floor((readable + unreadable) / 2);
    const bytes = attempt(codec, packed.subarray(0, length), bound, false);
    if (bytes instanceof Uint8Array) [best, readable] = [bytes, length];
    else unreadable = length;
  }
  return { bytes: best, packedSize: readable };
}

function attempt(
  codec: Codec,
  packed: Uint8Array,
  maxOutputLength: number,
  toTheEnd: boolean,
): Uint8Array | "too large" | "damaged" {
  if (maxOutputLength === 0) return "too large";
  const finishFlush = toTheEnd ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  try {
    switch (codec) {
      case "deflate":
        return inflateRawSync(packed, { maxOutputLength, finishFlush });
      case "zlib":
        return inflateSync(packed, { maxOutputLength, finishFlush });
      case "gzip":
        return gunzipSync(packed, { maxOutputLength, finishFlush });
      case "zstd":
        return unpackZstd(packed, maxOutputLength, toTheEnd);
    }
  } catch (error) {
    return isTooLarge(error) ? "too large" : "damaged";
  }
}

/** Frame by frame, as the decoder stops after the first one, and takes what is cut off for whole. */
function unpackZstd(packed: Uint8Array, most: number, toTheEnd: boolean): Uint8Array {
  const frames = zstdFrames(packed);
  const end = frames.at(-1)?.end ?? 0;
  if (toTheEnd && end < packed.length) throw new RangeError("The last frame is cut off");
  const pieces = frames.filter(({ skippable }) => !skippable);
  if (end < packed.length) pieces.push({ start: end, end: packed.length, skippable: false });
  const unpacked: Uint8Array[] = [];
  let left = most;
  for (const { start, end } of pieces) {
    const piece = zstdDecompressSync(packed.subarray(start, end), { maxOutputLength: left + 1 });
    left -= piece.length;
    if (left < 0) throw new BeyondBound();
    unpacked.push(piece);
  }
  return concatBytes(unpacked);
}

class BeyondBound extends Error {
  readonly code = "ERR_BUFFER_TOO_LARGE";
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}
