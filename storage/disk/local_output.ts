import { basename, dirname } from "node:path";
import { orMissing, removeFile, syncDirectory, writeAll } from "./files.ts";

/**
 * Writes a text to a file, in place of one that exists. The file has its former or its new content,
 * however this ends. Through a link, its target is replaced. The mode of a former file stays.
 *
 * @throws {Error} when the path is not that of a regular file.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const former = await orMissing(Deno.stat(path));
  if (former !== undefined && !former.isFile) throw new Error(`${path} is not a regular file`);
  const target = former === undefined ? path : await Deno.realPath(path);
  const temporary = `${dirname(target)}/.${basename(target)}.${crypto.randomUUID()}.tmp`;
  try {
    await writeNew(temporary, text);
    if (former?.mode != null) await Deno.chmod(temporary, former.mode & 0o777);
    await Deno.rename(temporary, target);
  } catch (error) {
    await removeFile(temporary);
    throw error;
  }
  await syncDirectory(dirname(target));
}

async function writeNew(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true });
  await writeAll(file, new TextEncoder().encode(text));
  await file.syncData();
}
