import type { ScanContext } from "../../contract/scanner.ts";
import { type ByteSource, memorySource, sourceSlice } from "../../contract/source.ts";
import { type Codec, unpack } from "../compressed/unpack.ts";
import type { ZipMember } from "./directory.ts";

/** The bytes of a member, as far as they can be had. */
export interface OpenedMember {
  readonly source: ByteSource;
  /** Why they are not all: see `Check.incomplete`. */
  readonly incomplete: string | undefined;
}

/** Methods of compression (APPNOTE 4.4.5) that are understood. */
const CODECS: ReadonlyMap<number, Codec> = new Map([[8, "deflate"], [93, "zstd"]]);
const STORED = 0;

/**
 * The bytes of a member: those of the archive where they are stored as they are, else unpacked into
 * memory. A member of an unknown method gives its packed bytes.
 */
export function openZipMember(
  archive: ByteSource,
  member: ZipMember,
  context: ScanContext,
): OpenedMember {
  const { header, dataStart, dataSize } = member;
  const cut = header.compressedSize <= dataSize ? undefined : "truncated_member";
  if (header.method === STORED) {
    return { source: sourceSlice(archive, dataStart, dataSize), incomplete: cut };
  }
  const packed = sourceSlice(archive, dataStart, dataSize);
  const codec = CODECS.get(header.method);
  if (!codec) return { source: packed, incomplete: "unsupported_compression" };
  const { bytes, incomplete } = unpack(codec, packed, header.size, context);
  return { source: memorySource(bytes), incomplete: incomplete ?? cut };
}
