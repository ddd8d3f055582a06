import type { Ballast } from "../disk/ballast.ts";
import { isStorageFull } from "../disk/storage_full.ts";
import { MIB } from "../../schemas/units.ts";

/** Slightly more than the 1000 pages after which SQLite checkpoints the log. */
const LOG_BYTES = 5 * MIB;

/**
 * Takes the space that the log needs before it is checkpointed, so that transactions find it on a full
 * disk too. SQLite ignores what follows the last valid transaction in the log.
 */
export function allocateLog(path: string, ballast: Ballast): void {
  try {
    using log = Deno.openSync(`${path}-wal`, { append: true });
    // fstat would need permission for the target of a link; seeking does not.
    const missing = Math.max(0, LOG_BYTES - log.seekSync(0, Deno.SeekMode.End));
    // On a full disk, half of the ballast stays: some file systems never write in place.
    const bytes = ballast.adjust() ? Math.min(missing, ballast.release(4)) : missing;
    const zeros = new Uint8Array(bytes);
    for (let offset = 0; offset < bytes;) offset += log.writeSync(zeros.subarray(offset));
  } catch (error) {
    if (!isStorageFull(error)) throw error;
  }
}
