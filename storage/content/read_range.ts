import { type Chunk, StoredContent } from "../../core/content.ts";
import type { ByteRange } from "../../core/blob_store.ts";
import { KIB, MIB } from "../../schemas/units.ts";
import { readFull } from "../disk/files.ts";

/** The size of a chunk for a client that may read nothing. A stalled download holds two or three chunks. */
const FIRST_READ_BYTES = 128 * KIB;
/** The size of a chunk for a client that reads, which is read one chunk ahead. */
const READ_BYTES = 256 * KIB;
/** More than the system takes of a reply that nobody reads. */
const MAX_BUFFERED_BYTES = 8 * MIB;

/** Reads a range of a file, and closes the file at the end. */
export function readRange(file: Deno.FsFile, { start, end }: ByteRange): StoredContent {
  let left = end - start;
  const isRead = () => end - start - left >= MAX_BUFFERED_BYTES;
  const read = async (): Promise<Chunk | undefined> => {
    if (left === 0) return undefined;
    const bytes = Math.min(left, isRead() ? READ_BYTES : FIRST_READ_BYTES);
    const chunk = await readFull(file, new Uint8Array(bytes));
    if (chunk.length === 0) throw endsEarly(left);
    left -= chunk.length;
    return chunk;
  };
  // These two wait for no disk: the file is open.
  const { size } = file.statSync();
  if (start > 0) file.seekSync(start, Deno.SeekMode.Start);
  let ahead: Promise<Chunk | undefined> | undefined;
  // The following call, if any, reports a failure.
  const settled = () => ahead?.catch(() => {});
  return new StoredContent(
    size,
    async () => {
      const chunk = await (ahead ?? read());
      ahead = isRead() ? read() : undefined;
      settled();
      return chunk;
    },
    async () => {
      await settled();
      file.close();
    },
  );
}

/** Reads a range of content that is in memory. */
export function rangeOf(bytes: Chunk, { start, end }: ByteRange): StoredContent {
  let left = end - start;
  const read = (): Chunk | undefined => {
    if (left === 0) return undefined;
    const chunk = bytes.subarray(end - left, end);
    if (chunk.length === 0) throw endsEarly(left);
    left -= chunk.length;
    return chunk;
  };
  const { length } = bytes;
  return new StoredContent(length, () => new Promise((resolve) => resolve(read())), () => {});
}

function endsEarly(missing: number): Error {
  return new Error(`Stored content ends ${missing} bytes too early`);
}
