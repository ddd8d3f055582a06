/**
 * The scanner process: scans what comes on stdin, and replies on stdout.
 * See docs/design/processes.md.
 */

import { cpuLimit, processCpuMs } from "./sandbox/cpu_time.ts";
import { READ_ONLY, revokePermissions } from "./sandbox/permissions.ts";
import type { SandboxReply } from "./sandbox/sandbox.ts";
import { WORKERS } from "../threads/workers.ts";
import { encodeFrame, readFrames } from "./frames.ts";
import { MAX_PROBLEM_CHARS, REQUEST_LIMITS, requestOf } from "./requests.ts";

/** A scan that never looks at its limit is ended when the process has used this much more CPU time. */
const GRACE_MS = 5000;
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
    reply(isDone ? { ...data, residentBytes: Deno.memoryUsage().rss } : data);
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    reply({ kind: "failed", problem: event.message.slice(0, MAX_PROBLEM_CHARS) });
    Deno.exit(1);
  });
  await ready.promise;
  revokePermissions();
  setInterval(() => {
    if (current === undefined) return;
    // From the first look on: to load what measures it takes longer than most scans.
    current.isOver ??= cpuLimit(current.limitMs, processCpuMs);
    if (current.isOver()) reply({ kind: "late" });
  }, WATCH_INTERVAL_MS);
  for await (const frame of readFrames(Deno.stdin.readable, REQUEST_LIMITS)) {
    const request = requestOf(frame);
    // Threads of the runtime count, too.
    current = { limitMs: 2 * request.timeoutMs + GRACE_MS };
    worker.postMessage(request, "bytes" in request ? [request.bytes.buffer] : []);
  }
  Deno.exit(0);
}

function reply(message: object): void {
  for (const piece of encodeFrame(message)) {
    for (let rest = piece; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
  }
}
