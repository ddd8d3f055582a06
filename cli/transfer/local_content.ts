import { createHash, type Hash } from "node:crypto";
import { MIB } from "../../schemas/units.ts";

/** How much is read at a time. */
const CHUNK_BYTES = MIB / 2;
/** Memory for small files, of which there may be many. As many as are read at once. */
const SPARE_BUFFERS: Uint8Array<ArrayBuffer>[] = [];

/**
 * The content of a file. The memory of a chunk is used again for the next one.
 */
async function* readChunks(file: Deno.FsFile): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  await file.seek(0, Deno.SeekMode.Start);
  const buffer = SPARE_BUFFERS.pop() ?? new Uint8Array(CHUNK_BYTES);
  try {
    for (;;) {
      const count = await file.read(buffer);
      if (count === null) return;
      yield buffer.subarray(0, count);
    }
  } finally {
    SPARE_BUFFERS.push(buffer);
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
