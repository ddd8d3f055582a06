import { deflateRawSync } from "node:zlib";
import { type Checksum, type Chunk, RunningChecksum } from "../../core/content.ts";
import type { Compression } from "../../schemas/resources.ts";
import { DEFLATE_LEVEL, MAX_WORTHWHILE_RATIO } from "./deflation.ts";
import { orMissingSync, readFullSync } from "../disk/files.ts";

/** A small file to pack. */
export interface SmallFile {
  /** Where the content is, if it is in a file. */
  readonly path: string | undefined;
  /** The content, if it is not in the file. */
  readonly bytes: Chunk | undefined;
  /** The size that it should have. */
  readonly size: number;
}

/** The packed content of a small file, and the checksum of the bytes that were read. */
export interface PackedBytes {
  readonly bytes: Chunk;
  readonly deflated: boolean;
  readonly checksum: Checksum;
}

/** Reads and packs a small file. Returns undefined if it is missing. */
export function packSmall(file: SmallFile, compression: Compression): PackedBytes | undefined {
  const bytes = file.bytes ?? readSmall(file);
  if (bytes === undefined) return undefined;
  const checksum = new RunningChecksum();
  checksum.update(bytes);
  const stored = { bytes, deflated: false, checksum: { ...checksum } };
  if (compression === "store" || bytes.length === 0) return stored;
  const packed = deflateRawSync(bytes, { level: DEFLATE_LEVEL });
  const worthwhile = packed.length < bytes.length * MAX_WORTHWHILE_RATIO;
  if (compression === "auto" && !worthwhile) return stored;
  // A message copies the whole memory that an array is part of.
  return { ...stored, bytes: new Uint8Array(packed), deflated: true };
}

/** Reads with synchronous calls, which take a fraction of the time of asynchronous ones. */
function readSmall({ path, size }: SmallFile): Chunk | undefined {
  if (path === undefined) return undefined;
  const file = orMissingSync(() => Deno.openSync(path));
  if (file === undefined) return undefined;
  using _file = file;
  // One byte more than expected shows that the file has grown.
  return readFullSync(file, new Uint8Array(size + 1)).slice();
}
