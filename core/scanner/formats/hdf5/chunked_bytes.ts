import type { ScanContext, UnpackContext } from "../../contract/scanner.ts";
import { type ByteSource, cutSource, memorySource, sourceSlice } from "../../contract/source.ts";
import { concatBytes } from "../../readers/bytes/bytes.ts";
import type { Hdf5Chunk, Hdf5Filter } from "../../readers/hdf5/chunks.ts";
import type { Hdf5ChunkedBytes } from "../../readers/hdf5/wanted.ts";
import { type Codec, unpack, unpackedHead } from "../compressed/unpack.ts";
import { isActivePickle } from "../pickle/detect.ts";

/** Filters that change the order of bytes, or add a checksum. */
const SHUFFLE = 2;
const FLETCHER32 = 3;
const CHECKSUM_BYTES = 4;
/** Filters that compress, as they are registered. */
const CODECS: ReadonlyMap<number, Codec> = new Map([
  [1, "zlib"],
  [307, "bzip2"],
  [32001, "blosc"],
  [32015, "zstd"],
]);
/** How much of a chunk is unpacked to see how it begins, and to how much. */
const HEAD_BYTES = 4096;
const MAX_HEAD_BYTES = 65_536;

/** @param statedBytes What the layout states that it unpacks to. */
type Unpacker = (codec: Codec, packed: ByteSource, statedBytes: number) => ByteSource;

/**
 * The content of a dataset in chunks, if it begins as a pickle that does more than build plain values. Returns
 * undefined if it does not, and null if it has a filter that is not known, or what it begins with cannot be unpacked.
 */
export function chunkedPickle(
  { chunks, filters }: Hdf5ChunkedBytes,
  context: ScanContext,
): ByteSource | null | undefined {
  if (!areKnown(filters)) return null;
  const whole = unpackerOf(context);
  const isShuffled = filters.some(({ id, parameter }) => id === SHUFFLE && parameter > 1);
  const head = isShuffled ? whole : unpackerOfHeads(whole);
  const beginning = beginningOf(chunks, (chunk) => unfiltered(chunk, filters, head));
  if (!isActivePickle(beginning)) return beginning.isCut === true ? null : undefined;
  const parts: Uint8Array[] = [];
  let left = context.limits.maxMemberBytes;
  for (const chunk of chunks()) {
    const source = unfiltered(chunk, filters, whole);
    const part = source.read(0, Math.min(source.size, left));
    parts.push(part);
    left -= part.length;
    if (source.isCut || part.length < source.size) {
      return cutSource(memorySource(concatBytes(parts)));
    }
  }
  return memorySource(concatBytes(parts));
}

/** Whether {@link unfilteredChunk} knows all filters. */
export function areKnown(filters: readonly Hdf5Filter[]): boolean {
  return filters.every(({ id }) => id === SHUFFLE || id === FLETCHER32 || CODECS.has(id));
}

/** The content of a chunk without its filters. It is cut if not all of it can be unpacked. */
export function unfilteredChunk(
  chunk: Hdf5Chunk,
  filters: readonly Hdf5Filter[],
  context: UnpackContext,
): ByteSource {
  return unfiltered(chunk, filters, unpackerOf(context));
}

function unpackerOf(context: UnpackContext): Unpacker {
  return (codec, packed, statedBytes) => {
    const { bytes, incomplete } = unpack(codec, packed, statedBytes, context);
    const source = memorySource(bytes);
    return incomplete === undefined ? source : cutSource(source);
  };
}

/** What the first chunks begin with: as many of them as are needed to see what it is, and can be unpacked. */
function beginningOf(
  chunks: () => Iterable<Hdf5Chunk>,
  open: (chunk: Hdf5Chunk) => ByteSource,
): ByteSource {
  const parts: Uint8Array[] = [];
  let left = HEAD_BYTES;
  for (const chunk of chunks()) {
    const content = open(chunk);
    const part = content.read(0, Math.min(content.size, MAX_HEAD_BYTES));
    parts.push(part);
    left -= part.length;
    if (left <= 0) break;
    if (content.isCut === true) return cutSource(memorySource(concatBytes(parts)));
  }
  return memorySource(concatBytes(parts));
}

/** Unpacks what a chunk begins with, if its codec can: datasets of images have many large ones. */
function unpackerOfHeads(whole: Unpacker): Unpacker {
  return (codec, packed, statedBytes) => {
    if (codec !== "zlib") return whole(codec, packed, statedBytes);
    const head = unpackedHead(codec, packed.read(0, HEAD_BYTES), MAX_HEAD_BYTES);
    return head instanceof Uint8Array ? memorySource(head) : whole(codec, packed, statedBytes);
  };
}

/** The content of a chunk before its filters, the last of which was applied last. */
function unfiltered(
  { source, skipped, statedBytes }: Hdf5Chunk,
  filters: readonly Hdf5Filter[],
  unpackWith: Unpacker,
): ByteSource {
  let content = source;
  for (const [index, { id, parameter }] of [...filters.entries()].reverse()) {
    if ((skipped >>> index & 1) !== 0) continue;
    const codec = CODECS.get(id);
    if (codec !== undefined) content = unpackWith(codec, content, statedBytes);
    else if (id === SHUFFLE) content = unshuffled(content, parameter);
    else content = sourceSlice(content, 0, Math.max(0, content.size - CHECKSUM_BYTES));
  }
  return content;
}

/** Puts the bytes of each element together again: the shuffle filter stores all first bytes, then all second ones. */
function unshuffled(source: ByteSource, elementBytes: number): ByteSource {
  if (elementBytes <= 1) return source;
  const shuffled = source.read(0, source.size);
  const elements = Math.floor(shuffled.length / elementBytes);
  const bytes = Uint8Array.from(shuffled);
  for (let element = 0; element < elements; element++) {
    for (let byte = 0; byte < elementBytes; byte++) {
      bytes[element * elementBytes + byte] = shuffled[byte * elements + element] ?? 0;
    }
  }
  return source.isCut === true ? cutSource(memorySource(bytes)) : memorySource(bytes);
}
