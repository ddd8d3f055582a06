import { KIB, MIB } from "../../schemas/units.ts";
import type { Ballast } from "../disk/ballast.ts";
import { isStorageFull } from "../disk/storage_full.ts";

/** Slightly more than the 1000 pages after which SQLite checkpoints the log. */
const LOG_BYTES = 5 * MIB;
/** A file system may refuse a larger write as a whole, although it has space for a part. */
const BLOCK_BYTES = 16 * KIB;

/**
 * Takes the space that the log needs before it is checkpointed, so that transactions find it on a full
 * disk too. SQLite ignores what follows the last valid transaction in the log.
 */
export function allocateLog(path: string, ballast: Ballast): void {
  try {
    using log = Deno.openSync(`${path}-wal`, { append: true });
    // fstat would need permission for the target of a link; seeking does not.
    const missing = Math.max(0, LOG_BYTES - log.seekSync(0, Deno.SeekMode.End));
    // On a full disk, half of the ballast stays: some file systems never write in place. The log takes the
    // rest and what is free. Others would take that, and no stop could make ballast of it again.
    if (ballast.adjust()) ballast.release(4);
    const zeros = new Uint8Array(BLOCK_BYTES);
    for (let left = missing; left > 0;) left -= log.writeSync(zeros.subarray(0, left));
  } catch (error) {
    if (!isStorageFull(error)) throw error;
  }
}
