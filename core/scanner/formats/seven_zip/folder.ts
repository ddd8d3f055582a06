import { inflateRawSync, zstdDecompressSync } from "node:zlib";
import type { ScanContext } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { unpackBzip2 } from "../../readers/compression/bzip2.ts";
import { undoFilter } from "../../readers/compression/filters.ts";
import { unpackLz4 } from "../../readers/compression/lz4.ts";
import { unpackLzma2 } from "../../readers/compression/lzma.ts";
import { LzmaDecoder } from "../../readers/compression/lzma_decoder.ts";
import {
  DamagedData,
  OutputBuffer,
  OutputFull,
  UnsupportedData,
} from "../../readers/compression/output_buffer.ts";
import type { Coder, Folder } from "./header.ts";

/** What could be unpacked of a folder, and why that is not all of it. */
export interface UnpackedFolder {
  readonly bytes: Uint8Array;
  readonly incomplete?:
    | "unpacked_limit"
    | "corrupt_stream"
    | "unsupported_compression"
    | "encrypted_member";
}

/** Methods of 7z (Methods.txt), those of filters with their numbers in xz. */
const FILTERS: ReadonlyMap<string, number> = new Map([["03", 3], ["04", 4], ["03030103", 4]]);
const ENCRYPTION = /^06f1/;

/** Unpacks the members of a folder, as far as limits allow. */
export function unpackFolder(
  folder: Folder,
  packed: ByteSource,
  context: ScanContext,
): UnpackedFolder {
  const steps = stepsOf(folder);
  if (steps === undefined) {
    return { bytes: new Uint8Array(), incomplete: "unsupported_compression" };
  }
  if (steps.some(({ coder }) => ENCRYPTION.test(coder.method))) {
    return { bytes: new Uint8Array(), incomplete: "encrypted_member" };
  }
  let left = context.limits.maxMemberBytes;
  const grant = (bytes: number) => {
    const granted = context.reserveUnpacked(Math.min(bytes, left));
    left -= granted;
    return granted;
  };
  const limit = Math.ceil(context.limits.maxMemberBytes * 1.125) + 65_536;
  let bytes = packed.read(0, Math.min(packed.size, limit));
  const isCut = bytes.length < packed.size || packed.isCut === true;
  let incomplete: UnpackedFolder["incomplete"] = isCut ? "unpacked_limit" : undefined;
  for (const { coder, size } of steps) {
    const output = new OutputBuffer(grant);
    try {
      bytes = applied(coder, bytes, size, output);
    } catch (error) {
      bytes = output.content();
      incomplete ??= faultOf(error);
    }
  }
  return { bytes, ...incomplete !== undefined && { incomplete } };
}

function faultOf(error: unknown): UnpackedFolder["incomplete"] {
  if (error instanceof OutputFull) return "unpacked_limit";
  if (error instanceof UnsupportedData) return "unsupported_compression";
  if (error instanceof DamagedData) return "corrupt_stream";
  throw error;
}

/** The coders in the order of unpacking, if each has one input and one output. */
function stepsOf({ coders, sources, sizes }: Folder): { coder: Coder; size: number }[] | undefined {
  if (coders.some(({ inputs, outputs }) => inputs !== 1 || outputs !== 1)) return undefined;
  const first = coders.findIndex((_, index) => !sources.has(index));
  const readers = new Map([...sources].map(([input, output]) => [output, input]));
  const steps: { coder: Coder; size: number }[] = [];
  for (let index: number | undefined = first; index !== undefined; index = readers.get(index)) {
    const coder = coders[index];
    if (coder === undefined || steps.length > coders.length) return undefined;
    steps.push({ coder, size: sizes[index] ?? 0 });
  }
  return steps;
}

function applied(
  { method, properties }: Coder,
  bytes: Uint8Array,
  size: number,
  output: OutputBuffer,
): Uint8Array {
  const filter = FILTERS.get(method);
  if (filter !== undefined) {
    const filtered = bytes.slice();
    undoFilter(filter, properties, filtered);
    return filtered;
  }
  switch (method) {
    case "00":
      return bytes.subarray(0, size);
    case "030101": {
      const decoder = new LzmaDecoder(output);
      decoder.setProperties(properties[0] ?? 0);
      decoder.decode(bytes, 0, size);
      break;
    }
    case "21":
      unpackLzma2(bytes, 0, output);
      break;
    case "040202":
      unpackBzip2(bytes, output);
      break;
    case "040108":
      return native(inflateRawSync, bytes, size, output);
    case "04f71104":
      unpackLz4(bytes, output);
      break;
    case "04f71101":
      return native(zstdDecompressSync, bytes, size, output);
    default:
      throw new UnsupportedData(`Method ${method}`);
  }
  return output.content();
}

/** Unpacks with a decoder of the runtime. */
function native(
  decode: (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array,
  bytes: Uint8Array,
  size: number,
  output: OutputBuffer,
): Uint8Array {
  output.reserve(size);
  try {
    return decode(bytes, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw new DamagedData("The data is malformed", { cause: error });
  }
}
