import { type Chunk, StoredContent } from "../../core/content.ts";
import type { ByteRange } from "../../core/blob_store.ts";
import { readFull } from "../disk/files.ts";

/** Files are read in chunks of this size. */
const READ_BYTES = 256 * 1024;

/** Reads a range of a file, one chunk ahead, and closes the file at the end. */
export function readRange(file: Deno.FsFile, { start, end }: ByteRange): StoredContent {
  let left = end - start;
  const read = async (): Promise<Chunk | undefined> => {
    if (left === 0) return undefined;
    const chunk = await readFull(file, new Uint8Array(Math.min(left, READ_BYTES)));
    if (chunk.length === 0) throw endsEarly(left);
    left -= chunk.length;
    return chunk;
  };
  // These two wait for no disk: the file is open.
  const { size } = file.statSync();
  if (start > 0) file.seekSync(start, Deno.SeekMode.Start);
  let next = read();
  // The following call, if any, reports a failure.
  const settled = () => next.catch(() => {});
  settled();
  return new StoredContent(
    size,
    async () => {
      const chunk = await next;
      next = read();
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
