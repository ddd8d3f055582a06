import { createHash, type Hash } from "node:crypto";
import { MIB } from "../../schemas/units.ts";

/** How much is read at a time. */
const CHUNK_BYTES = MIB / 2;

/**
 * The content of a file. The memory of a chunk is used again for the next one.
 *
 * @param from Where to begin.
 */
export async function* readChunks(
  file: Deno.FsFile,
  from = 0,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  await file.seek(from, Deno.SeekMode.Start);
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    const count = await file.read(buffer);
    if (count === null) return;
    yield buffer.subarray(0, count);
  }
}

/** Hashes what a file has from its beginning. Returns the hash, to be continued. */
export async function hashOf(
  file: Deno.FsFile,
  onBytes: (bytes: number) => void = () => {},
): Promise<Hash> {
  const hash = createHash("sha256");
  for await (const chunk of readChunks(file)) {
    hash.update(chunk);
    onBytes(chunk.length);
  }
  return hash;
}

/** The SHA-256 of a file, in lower-case hex. */
export async function sha256Of(path: string, onBytes?: (bytes: number) => void): Promise<string> {
  using file = await Deno.open(path);
  return (await hashOf(file, onBytes)).digest("hex");
}

/** A stream of the content of a file, as the body of a request. */
export function contentStream(
  path: string,
  onBytes: (bytes: number) => void,
  from = 0,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let file: Deno.FsFile | undefined;
  return new ReadableStream({
    async pull(controller) {
      if (file === undefined) {
        file = await Deno.open(path);
        await file.seek(from, Deno.SeekMode.Start);
      }
      const buffer = new Uint8Array(CHUNK_BYTES);
      const count = await file.read(buffer);
      if (count === null) {
        file.close();
        controller.close();
        return;
      }
      controller.enqueue(buffer.subarray(0, count));
      onBytes(count);
    },
    cancel: () => file?.close(),
  }, { highWaterMark: 1 });
}
