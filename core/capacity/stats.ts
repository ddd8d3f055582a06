import { statfsSync } from "node:fs";
import { availableMemory, constrainedMemory } from "node:process";
import { cgroupLimits, type ReadText } from "./cgroup.ts";
import { MIB } from "../../schemas/units.ts";

/** How large the host is. */
export interface HostSize {
  readonly CPUCores: number;
  readonly MemTotalMB: number;
}

/** A reading of the host (HC 2). MB are 2^20 bytes. */
export interface SystemStats extends HostSize {
  /** The load of the last minute, in runnable threads. */
  readonly LoadAvg1m: number;
  readonly MemAvailableMB: number;
  readonly DiskFreeMB: number;
}

/**
 * Reads the host: its cores, load and memory, the limits of the container where they are lower, and
 * the free space of the file system of the data directory (HC 2, C 14). Each reading but the load is 1
 * at least, so that it can't be taken for an unknown one.
 *
 * @param root The directory that `proc` and `sys` are in.
 * @throws {Error} where there is no such directory.
 */
export function getStats(dataDir: string, root = "/"): SystemStats {
  const { cores, totalBytes, availableBytes } = machine(root);
  const { bavail, bsize } = statfsSync(dataDir);
  return {
    CPUCores: cores,
    LoadAvg1m: Deno.loadavg()[0] ?? 0,
    MemTotalMB: megabytes(totalBytes),
    MemAvailableMB: megabytes(availableBytes),
    DiskFreeMB: megabytes(bavail * bsize),
  };
}

/** Reads what does not change while a process runs; needs no data directory. */
export function getHostSize(root = "/"): HostSize {
  const { cores, totalBytes } = machine(root);
  return { CPUCores: cores, MemTotalMB: megabytes(totalBytes) };
}

function machine(root: string) {
  const memory = Deno.systemMemoryInfo();
  const limits = cgroupLimits(readTextUnder(root)) ?? runtimeLimits(memory.total);
  return {
    cores: Math.max(1, Math.min(navigator.hardwareConcurrency, Math.floor(limits.cores))),
    totalBytes: Math.min(memory.total, limits.memoryBytes),
    availableBytes: Math.min(memory.available, limits.availableBytes),
  };
}

/** What the runtime knows of the limits, where it lets nobody read them. An absent one reads as a huge number. */
function runtimeLimits(totalBytes: number) {
  const limit = constrainedMemory();
  const isLimited = limit > 0 && limit < totalBytes;
  return {
    // The runtime's own count of cores keeps to the limit already.
    cores: Infinity,
    memoryBytes: isLimited ? limit : Infinity,
    availableBytes: isLimited ? availableMemory() : Infinity,
  };
}

/** Reads files below a root. Where the runtime refuses to, nobody is asked for a permission. */
function readTextUnder(root: string): ReadText {
  return (path) => {
    const file = `${root.replace(/\/$/, "")}/${path}`;
    try {
      if (Deno.permissions.querySync({ name: "read", path: file }).state !== "granted") {
        return { refused: true };
      }
      return { text: Deno.readTextFileSync(file) };
    } catch (error) {
      // Deno reads /proc and /sys only with all permissions.
      if (error instanceof Deno.errors.NotCapable) return { refused: true };
      // A controller that is not there, or that is not ours to read, sets no limit that we can know.
      return {};
    }
  };
}

function megabytes(bytes: number): number {
  return Math.max(1, Math.trunc(bytes / MIB));
}
