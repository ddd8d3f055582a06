import type { Chunk } from "../../../core/content.ts";
import { removeFile, writeAll } from "../../disk/files.ts";
import { asStorageFull } from "../../disk/storage_full.ts";
import type { ContentFile } from "../content_store.ts";

/** {@link copyToFile}, which makes no file of undefined content. */
export async function temporaryCopy(
  content: AsyncIterable<Chunk> | undefined,
  path: string,
  requireSpace: () => void | Promise<void>,
): Promise<ContentFile> {
  if (content !== undefined) await copyToFile(content, path, requireSpace);
  return { path, [Symbol.asyncDispose]: async () => void await removeFile(path) };
}

/**
 * Writes content to a new file. On failure there is none.
 *
 * @param requireSpace Awaited before each write. Fails to refuse it.
 */
async function copyToFile(
  content: AsyncIterable<Chunk>,
  path: string,
  requireSpace: () => void | Promise<void>,
): Promise<void> {
  try {
    using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    for await (const chunk of content) {
      await requireSpace();
      await writeAll(file, chunk);
    }
  } catch (error) {
    await removeFile(path);
    throw asStorageFull(error);
  }
}
