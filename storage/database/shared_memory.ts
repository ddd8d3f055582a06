import type { Ballast } from "../disk/ballast.ts";
import { readFullSync } from "../disk/files.ts";
import { isStorageFull } from "../disk/storage_full.ts";
import type { Connection } from "./connection.ts";

/** The smallest block of a file system. */
const MIN_BLOCK_BYTES = 512;

/**
 * Takes the space of the memory that connections share through the file `-shm`. SQLite writes one byte
 * of each 4 KiB. Where the blocks of the file system are smaller, the others are holes, and the process
 * would end (SIGBUS) when it first uses one on a full disk.
 *
 * @returns the open file. Close it after all connections of this process, because closing it releases
 *   their locks on it: POSIX locks belong to the process.
 */
export function allocateSharedMemory(
  path: string,
  connection: Connection,
  ballast: Ballast,
): Disposable {
  // While this one has the write lock, no other process writes more than the first block.
  connection.run("BEGIN IMMEDIATE");
  const file = Deno.openSync(`${path}-shm`, { read: true, write: true });
  if (!fillHoles(file) && ballast.release(1) > 0) fillHoles(file);
  connection.run("ROLLBACK");
  return file;
}

/** Writes zeros over the blocks that hold zeros. Returns false if the disk is too full. */
function fillHoles(file: Deno.FsFile): boolean {
  const block = new Uint8Array(MIN_BLOCK_BYTES);
  file.seekSync(0, Deno.SeekMode.Start);
  try {
    for (let offset = 0; readFullSync(file, block).length > 0; offset += block.length) {
      if (block.some((byte) => byte !== 0)) continue;
      file.seekSync(offset, Deno.SeekMode.Start);
      file.writeSync(block);
    }
    return true;
  } catch (error) {
    if (isStorageFull(error)) return false;
    throw error;
  }
}
