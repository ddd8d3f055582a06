import { statfs } from "node:fs/promises";
import { inPlacePath } from "../storage/disk/data_directory.ts";
import { orMissing } from "../storage/disk/files.ts";

/** The type of btrfs, as `statfs` returns it. */
const BTRFS = 0x9123683e;

/**
 * Whether a directory is on a file system that never writes in place unless it is asked to. There, the memory
 * that connections share through a file needs new space for each write, and the kernel ends a process for
 * which a full disk has none.
 */
export async function isCopyOnWrite(directory: string): Promise<boolean> {
  return Deno.build.os === "linux" && (await statfs(directory)).type === BTRFS;
}

/** A warning if the database of a data directory is not written in place where it should be. */
export async function copyOnWriteWarning(dataDir: string): Promise<string | undefined> {
  if (!await isCopyOnWrite(dataDir)) return undefined;
  if (await orMissing(Deno.lstat(inPlacePath(dataDir))) !== undefined) return undefined;
  return `"${dataDir}" is on btrfs, which writes no file in place: on a full disk, the server may end at each ` +
    "start. Start it once where the program chattr is installed";
}
