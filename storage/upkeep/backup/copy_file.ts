import { createHash } from "node:crypto";
import { readFull, writeAll } from "../../disk/files.ts";
import { LARGE_CHUNK_BYTES } from "../../../core/spare_memory.ts";

/**
 * Copies a file to a new one that only its owner can access, and syncs it. Returns the SHA-256 of what
 * was copied, in lower-case hex.
 */
export async function copyFile(source: string, target: string): Promise<string> {
  using from = await Deno.open(source);
  using to = await Deno.open(target, { write: true, createNew: true, mode: 0o600 });
  const digest = await sha256Of(from, (chunk) => writeAll(to, chunk));
  await to.sync();
  return digest;
}

/** Syncs a file and returns its SHA-256 in lower-case hex. */
export async function syncAndHash(path: string): Promise<string> {
  using file = await Deno.open(path, { read: true, write: true });
  await file.sync();
  return await sha256Of(file, () => {});
}

async function sha256Of(
  file: Deno.FsFile,
  onChunk: (chunk: Uint8Array) => void | Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  const buffer = new Uint8Array(LARGE_CHUNK_BYTES);
  for (;;) {
    const chunk = await readFull(file, buffer);
    if (chunk.length === 0) return hash.digest("hex");
    hash.update(chunk);
    await onChunk(chunk);
  }
}
