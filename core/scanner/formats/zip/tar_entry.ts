import type { ByteSource } from "../../contract/source.ts";
import { isTar, tarEntries } from "../tar/entries.ts";
import { readZipDirectories } from "./directory.ts";

/** TAR entries searched for a ZIP archive. */
const MAX_SEARCHED_TAR_ENTRIES = 10_000;

/**
 * Whether content is a TAR archive and the ZIP archive found in it is one of its entries. ZIP readers
 * start at the end of the file, so they take such a TAR archive for a ZIP archive.
 */
export function isEntryOfTar(source: ByteSource): boolean {
  if (!isTar(source)) return false;
  const { ends: [end], directories: [directory] } = readZipDirectories(source, 1);
  if (end === undefined || directory === undefined) return false;
  let searched = 0;
  for (const entry of tarEntries(source)) {
    if ("fault" in entry || ++searched > MAX_SEARCHED_TAR_ENTRIES) return false;
    const entryEnd = entry.dataStart + entry.size;
    if (directory.base >= entry.dataStart && end.end <= entryEnd) return true;
  }
  return false;
}
