import { KIB } from "../../schemas/units.ts";
import type { Ballast } from "../disk/ballast.ts";
import { readFullSync } from "../disk/files.ts";
import { diskFull, isStorageFull } from "../disk/storage_full.ts";
import { sleepSync } from "../threads/sleep_sync.ts";
import type { Connection } from "./connection.ts";
import { resultCode } from "./transactions.ts";

/** The smallest block of a file system. */
const MIN_BLOCK_BYTES = 512;
/** The size that SQLite gives memory that connections share. */
const SHARED_BYTES = 32 * KIB;
const SQLITE_CANTOPEN = 14;
/** Longer than the 30 s between two commits of btrfs. */
const MAX_WAIT_MS = 40_000;
const WAIT_INTERVAL_MS = 100;

/**
 * Takes the space of the memory that connections share through the file `-shm`. SQLite writes one byte
 * of each 4 KiB. Where the blocks of the file system are smaller, the others are holes, and the process
 * would end (SIGBUS) when it first uses one on a full disk.
 * See docs/design/full_disk.md.
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

/**
 * Opens a database, which takes space for the memory that connections share. On a full disk, pieces of the
 * ballast give way. A file system may give their space only later: btrfs, when it next commits.
 *
 * @throws {Error} when there is still no space.
 */
export function withRoom<T>(directory: string, ballast: Ballast, open: () => T): T {
  const end = performance.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return open();
    } catch (error) {
      // SQLite hides why it cannot create a file.
      const full = isStorageFull(error) ||
        (resultCode(error) === SQLITE_CANTOPEN && ballast.adjust());
      if (!full) throw error;
      if (performance.now() > end) throw diskFull(directory, error);
      if (ballast.release(1) === 0) sleepSync(WAIT_INTERVAL_MS);
    }
  }
}

/**
 * Leaves an empty log and empty shared memory beside a database that the last connection has closed. SQLite
 * reads no database without them, and creates them if they are missing, which a full disk refuses, and so
 * does a file system that is mounted read-only. Call it while the data directory is locked.
 */
export function leaveReadable(path: string): void {
  const create = { createNew: true, mode: 0o600 } as const;
  try {
    Deno.writeFileSync(`${path}-wal`, new Uint8Array(), create);
    Deno.writeFileSync(`${path}-shm`, new Uint8Array(SHARED_BYTES), create);
  } catch (error) {
    // Where they exist, another process reads the database, and leaves them.
    if (!(error instanceof Deno.errors.AlreadyExists || isStorageFull(error))) throw error;
  }
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
