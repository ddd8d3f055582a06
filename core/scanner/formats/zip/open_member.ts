import type { UnpackContext } from "../../contract/scanner.ts";
import { type ByteSource, cutSource, memorySource, sourceSlice } from "../../contract/source.ts";
import { type Codec, unpack } from "../compressed/unpack.ts";
import type { ZipMember } from "./directory.ts";

/** The readable bytes of a member. */
export interface OpenedMember {
  readonly source: ByteSource;
  /** Why bytes are missing, as in `Check.incomplete`; undefined if the member is complete. */
  readonly incomplete: string | undefined;
}

/** Supported compression methods (APPNOTE 4.4.5). */
const CODECS: ReadonlyMap<number, Codec> = new Map([
  [8, "deflate"],
  [12, "bzip2"],
  [14, "zip_lzma"],
  [93, "zstd"],
  [95, "xz"],
]);
const STORED = 0;

/**
 * Opens a member. A stored member is a slice of the archive; a compressed one is unpacked into memory
 * within the limits of the scan. An unsupported method yields the compressed bytes.
 */
export function openZipMember(
  archive: ByteSource,
  member: ZipMember,
  context: UnpackContext,
): OpenedMember {
  const { header, dataStart, dataSize } = member;
  const packed = sourceSlice(archive, dataStart, dataSize);
  const cut = header.compressedSize <= dataSize ? undefined : "truncated_member";
  if (header.method === STORED) return { source: packed, incomplete: cut };
  const codec = CODECS.get(header.method);
  if (!codec) return { source: packed, incomplete: "unsupported_compression" };
  const { bytes, incomplete } = unpack(codec, packed, header.size, context);
  const source = memorySource(bytes);
  return incomplete === "unpacked_limit"
    ? { source: cutSource(source), incomplete }
    : { source, incomplete: incomplete ?? cut };
}
