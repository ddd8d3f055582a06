/**
 * The scanner process where the system does not end it with its parent: scans what comes on stdin, and
 * replies on stdout.
 * See docs/design/processes.md.
 */

import { cpuLimit, processCpuMs } from "./sandbox/cpu_time.ts";
import { READ_ONLY, revokePermissions } from "./sandbox/permissions.ts";
import type { SandboxReply } from "./sandbox/sandbox.ts";
import { WORKERS } from "../threads/workers.ts";
import { readFrames } from "./frames.ts";
import { MAX_PROBLEM_CHARS, maxCpuMs, REQUEST_LIMITS, requestOf } from "./requests.ts";
import { writeReply } from "./write_reply.ts";

/** How often to look at the CPU time of the process. */
const WATCH_INTERVAL_MS = 1000;

/**
 * Scans until stdin ends, and then ends the process. A thread does the work, so that it ends with its
 * parent even while the scan of a file is busy.
 *
 * @param module The worker that scans.
 */
export async function serveScans(module = WORKERS.scan): Promise<never> {
  const worker = new Worker(module, { type: "module", deno: { permissions: READ_ONLY } });
  const ready = Promise.withResolvers<void>();
  /** The CPU time that the current scan may use, and whether it has. */
  let current: { readonly limitMs: number; isOver?: () => boolean } | undefined;
  worker.addEventListener("message", ({ data }: MessageEvent<SandboxReply>) => {
    if (data.kind === "ready") return ready.resolve();
    if (data.kind !== "progress") current = undefined;
    const isDone = data.kind === "scanned" || data.kind === "listed";
    writeReply(isDone ? { ...data, residentBytes: Deno.memoryUsage().rss } : data);
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    writeReply({ kind: "failed", problem: event.message.slice(0, MAX_PROBLEM_CHARS) });
    Deno.exit(1);
  });
  await ready.promise;
  revokePermissions();
  setInterval(() => {
    if (current === undefined) return;
    // From the first look on: to load what measures it takes longer than most scans.
    current.isOver ??= cpuLimit(current.limitMs, processCpuMs);
    if (current.isOver()) writeReply({ kind: "late" });
  }, WATCH_INTERVAL_MS);
  for await (const frame of readFrames(Deno.stdin.readable, REQUEST_LIMITS)) {
    const request = requestOf(frame);
    current = { limitMs: maxCpuMs(request) };
    worker.postMessage(request, "bytes" in request ? [request.bytes.buffer] : []);
  }
  Deno.exit(0);
}
