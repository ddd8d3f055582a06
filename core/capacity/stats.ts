import type { ContainerLimits } from "./cgroup.ts";
import { type HostSize, megabytes, readMachine } from "./host_size.ts";

/** A reading of the host (HC 2). MB are 2^20 bytes. */
export interface SystemStats extends HostSize {
  /** The load average over one minute, in runnable threads. */
  readonly LoadAvg1m: number;
  readonly MemAvailableMB: number;
  readonly DiskFreeMB: number;
}

/**
 * Reads the host (HC 2, C 14): cores, load and memory, lowered to the limits of the container, and the
 * free space of the file system of the data directory. Every reading but the load is at least 1, as 0
 * means unknown.
 *
 * @param dataDir Undefined if nothing is written: then no disk can be full, and none is read.
 * @param root The directory that contains `proc` and `sys`.
 * @param limits The limits of the container, if another process reads them for this one.
 * @throws {Error} when the data directory does not exist.
 */
export function getStats(
  dataDir: string | undefined,
  root = "/",
  limits?: ContainerLimits,
): SystemStats {
  const { cores, totalBytes, availableBytes } = readMachine(root, limits);
  return {
    CPUCores: cores,
    LoadAvg1m: Deno.loadavg()[0] ?? 0,
    MemTotalMB: megabytes(totalBytes),
    MemAvailableMB: megabytes(availableBytes),
    DiskFreeMB: dataDir === undefined ? Infinity : megabytes(freeBytes(dataDir)),
  };
}

/** Not imported: to load all that the module offers takes longer than the rest of a command. */
function freeBytes(directory: string): number {
  // deno-lint-ignore no-process-global
  const { bavail, bsize } = process.getBuiltinModule("node:fs").statfsSync(directory);
  return bavail * bsize;
}
