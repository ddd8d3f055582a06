/** The scanner process: scans what comes on stdin, and replies on stdout. */

import { READ_ONLY, revokePermissions } from "../sandbox/permissions.ts";
import type { SandboxReply } from "../sandbox/sandbox.ts";
import { WORKERS } from "../threads/workers.ts";
import { encodeFrame, readFrames } from "./frames.ts";
import { MAX_PROBLEM_CHARS, REQUEST_LIMITS, requestOf } from "./requests.ts";

/**
 * Scans until stdin ends, and then ends the process. A thread does the work, so that it ends with its
 * parent even while the scan of a file is busy.
 *
 * @param module The worker that scans.
 */
export async function serveScans(module = WORKERS.scan): Promise<never> {
  const worker = new Worker(module, { type: "module", deno: { permissions: READ_ONLY } });
  const ready = Promise.withResolvers<void>();
  worker.addEventListener("message", ({ data }: MessageEvent<SandboxReply>) => {
    if (data.kind === "ready") ready.resolve();
    else reply(data.kind === "scanned" ? { ...data, residentBytes: Deno.memoryUsage().rss } : data);
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    reply({ kind: "failed", problem: event.message.slice(0, MAX_PROBLEM_CHARS) });
    Deno.exit(1);
  });
  await ready.promise;
  revokePermissions();
  for await (const frame of readFrames(Deno.stdin.readable, REQUEST_LIMITS)) {
    const request = requestOf(frame);
    worker.postMessage(request, "bytes" in request ? [request.bytes.buffer] : []);
  }
  Deno.exit(0);
}

function reply(message: object): void {
  for (const piece of encodeFrame(message)) {
    for (let rest = piece; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
  }
}
