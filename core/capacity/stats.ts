import { statfsSync } from "node:fs";
import { constrainedMemory, memoryUsage } from "node:process";
import { cgroupLimits, type ContainerLimits, type ReadText, runtimeLimits } from "./cgroup.ts";
import { MIB } from "../../schemas/units.ts";

/** The size of the host. MB are 2^20 bytes. */
export interface HostSize {
  readonly CPUCores: number;
  readonly MemTotalMB: number;
}

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
 * @param root The directory that contains `proc` and `sys`.
 * @param limits The limits of the container, if another process reads them for this one.
 * @throws {Error} when the data directory does not exist.
 */
export function getStats(dataDir: string, root = "/", limits?: ContainerLimits): SystemStats {
  const { cores, totalBytes, availableBytes } = machine(root, limits);
  const { bavail, bsize } = statfsSync(dataDir);
  return {
    CPUCores: cores,
    LoadAvg1m: Deno.loadavg()[0] ?? 0,
    MemTotalMB: megabytes(totalBytes),
    MemAvailableMB: megabytes(availableBytes),
    DiskFreeMB: megabytes(bavail * bsize),
  };
}

/** Reads the size of the host, which does not change while the process runs. */
export function getHostSize(root = "/"): HostSize {
  const { cores, totalBytes } = machine(root);
  return { CPUCores: cores, MemTotalMB: megabytes(totalBytes) };
}

/** The limits of the container; undefined if this process may not read them. */
export function containerLimits(root = "/"): ContainerLimits | undefined {
  return cgroupLimits(readTextUnder(root));
}

function machine(root: string, known?: ContainerLimits) {
  const memory = Deno.systemMemoryInfo();
  const limits = known ?? containerLimits(root) ??
    runtimeLimits(constrainedMemory(), memoryUsage.rss());
  return {
    cores: Math.max(1, Math.min(navigator.hardwareConcurrency, Math.floor(limits.cores))),
    totalBytes: Math.min(memory.total, limits.memoryBytes),
    availableBytes: Math.min(memory.available, limits.availableBytes),
  };
}

/** Reads files below a root. Never prompts for a permission. */
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
      // The controller does not exist or is not readable: no known limit.
      return {};
    }
  };
}

function megabytes(bytes: number): number {
  return Math.max(1, Math.trunc(bytes / MIB));
}
