import type { ByteSource } from "../../contract/source.ts";
import { isTar, tarEntries } from "../tar/entries.ts";
import { readZipDirectories } from "./directory.ts";

/** How many entries of a TAR archive are looked at. */
const MOST_ENTRIES = 10_000;

/**
 * Whether content is a TAR archive and the ZIP archive at its end is nothing but one of its entries.
 * Readers of ZIP archives take the whole for theirs, for they begin at the end.
 */
export function isEntryOfTar(source: ByteSource): boolean {
  if (!isTar(source)) return false;
  const { ends: [end], directories: [directory] } = readZipDirectories(source, 1);
  if (end === undefined || directory === undefined) return false;
  let looked = 0;
  for (const entry of tarEntries(source)) {
    if ("fault" in entry || ++looked > MOST_ENTRIES) return false;
    const entryEnd = entry.dataStart + entry.size;
    if (directory.base >= entry.dataStart && end.end <= entryEnd) return true;
  }
  return false;
}
