/** How often to read a CPU time at most, in milliseconds: that is slow, and may be in steps of this length. */
const MIN_INTERVAL_MS = 10;

/** The CPU time that this thread has used, in milliseconds. */
export function threadCpuMs(): number {
  // Not imported: it is loaded when it is first needed.
  // deno-lint-ignore no-process-global
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The CPU time that all threads of this process have used, in milliseconds. */
export function processCpuMs(): number {
  // deno-lint-ignore no-process-global
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Returns a function that says whether so much CPU time has been used since. Waiting for a disk, or for a
 * busy host, uses none.
 */
export function cpuLimit(limitMs: number, usedMs: () => number): () => boolean {
  const before = usedMs();
  const leftMs = () => limitMs - (usedMs() - before);
  let next = 0;
  return () => {
    const now = performance.now();
    if (now < next) return false;
    const left = leftMs();
    // A thread cannot use more CPU time than passes. What several use may be noticed later.
    next = left <= 0 ? 0 : now + Math.max(left, MIN_INTERVAL_MS);
    return left <= 0;
  };
}
