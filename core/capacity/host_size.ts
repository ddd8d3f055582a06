import { cgroupLimits, type ContainerLimits, type ReadText, runtimeLimits } from "./cgroup.ts";
import { MIB } from "../../schemas/units.ts";

/** The size of the host. MB are 2^20 bytes. */
export interface HostSize {
  readonly CPUCores: number;
  readonly MemTotalMB: number;
}

/** Reads the size of the host, which does not change while the process runs. */
export function getHostSize(root = "/"): HostSize {
  const { cores, totalBytes } = readMachine(root);
  return { CPUCores: cores, MemTotalMB: megabytes(totalBytes) };
}

/** The limits of the container; undefined if this process may not read them. */
export function containerLimits(root = "/"): ContainerLimits | undefined {
  return cgroupLimits(readTextUnder(root));
}

/**
 * Reads cores and memory, lowered to the limits of the container.
 *
 * @param known The limits of the container, if another process reads them for this one.
 */
export function readMachine(root: string, known?: ContainerLimits) {
  const memory = Deno.systemMemoryInfo();
  const limits = known ?? containerLimits(root) ??
    // Not imported: with all permissions, a command starts without it.
    // deno-lint-ignore no-process-global
    runtimeLimits(process.constrainedMemory(), Deno.memoryUsage().rss);
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

/** Whole MB of 2^20 bytes, at least 1, as 0 means unknown. */
export function megabytes(bytes: number): number {
  return Math.max(1, Math.trunc(bytes / MIB));
}
