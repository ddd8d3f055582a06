import { pipeline, Readable } from "node:stream";
import { createDeflateRaw, deflateRawSync } from "node:zlib";
import { type Chunk, ContentReader, joinChunks, RunningChecksum } from "../../core/content.ts";
import type { ByteRange } from "../../core/blob_store.ts";
import { readFull } from "../disk/files.ts";

/**
 * The DEFLATE level. On text, level 2 compresses nearly as well as the default level 6 (to 0.246
 * instead of 0.236 of the size in the case that `deno task bench` measures) at more than 1.5 times
 * its speed.
 */
export const DEFLATE_LEVEL = 2;
/** Content is compressed if samples of it shrink to less than this share. */
export const MAX_WORTHWHILE_RATIO = 0.8;
const SAMPLE_BYTES = 32 * 1024;
/** Compressed content is returned in chunks of at least this size, but for the last one. */
export const MIN_DEFLATED_CHUNK_BYTES = 256 * 1024;
/**
 * The memory that a stream compresses into at a time: as much as it reads. The garbage collector frees it late,
 * so larger memory of each compressed file would add up.
 */
export const DEFLATE_BUFFER_BYTES = 64 * 1024;

/** A file that is being compressed, and the checksum of what was read of it so far. */
export interface Deflation {
  readonly content: ContentReader;
  readonly checksum: RunningChecksum;
}

/** Whether samples from the start, the middle and the end indicate that compression pays (C 9). */
export async function shrinks(file: Deno.FsFile): Promise<boolean> {
  const samples: Chunk[] = [];
  for (const { start, end } of sampleRanges((await file.stat()).size)) {
    await file.seek(start, Deno.SeekMode.Start);
    samples.push(await readFull(file, new Uint8Array(end - start)));
  }
  await file.seek(0, Deno.SeekMode.Start);
  return samplesShrink(samples);
}

/** Which parts of content are its samples. */
export function sampleRanges(size: number): ByteRange[] {
  if (size <= 3 * SAMPLE_BYTES) return [{ start: 0, end: size }];
  return [0, Math.floor(size / 2), size - SAMPLE_BYTES]
    .map((start) => ({ start, end: start + SAMPLE_BYTES }));
}

/** Whether samples shrink enough. */
export function samplesShrink(samples: readonly Chunk[]): boolean {
  let sampled = 0;
  let packed = 0;
  for (const sample of samples) {
    sampled += sample.length;
    packed += deflateRawSync(sample, { level: DEFLATE_LEVEL }).length;
  }
  return packed < sampled * MAX_WORTHWHILE_RATIO;
}

/** The compressed content of a file. Reading it to the end, or returning it, closes the file. */
export function deflated(file: Deno.FsFile): Deflation {
  const deflate = createDeflateRaw({
    level: DEFLATE_LEVEL,
    chunkSize: DEFLATE_BUFFER_BYTES,
  });
  const checksum = new RunningChecksum();
  const content = file.readable.pipeThrough(
    new TransformStream<Chunk, Chunk>({
      transform(chunk, controller) {
        checksum.update(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  // Passes a read error on to the iterating side, and closes the file when either side ends.
  pipeline(Readable.from(content), deflate, () => {});
  const chunks = coalesced(deflate);
  return {
    content: new ContentReader(
      async () => (await chunks.next()).value,
      () => {
        deflate.destroy();
      },
    ),
    checksum,
  };
}

/** Joins chunks until they hold {@link MIN_DEFLATED_CHUNK_BYTES}. */
async function* coalesced(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk, undefined> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    size += chunk.length;
    if (size < MIN_DEFLATED_CHUNK_BYTES) continue;
    yield joinChunks(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield joinChunks(held);
}
