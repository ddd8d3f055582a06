/**
 * The scanner process where the system ends it with its parent: scans what comes on stdin, and replies on
 * stdout, in one thread. See docs/design/processes.md.
 */

import { readFrames } from "./frames.ts";
import { MAX_PROBLEM_CHARS, REQUEST_LIMITS, requestOf } from "./requests.ts";
import { freezeIntrinsics } from "./sandbox/freeze_intrinsics.ts";
import { answer, type Scan } from "./sandbox/requests.ts";
import { runRequested } from "./sandbox/run_requested.ts";
import type { SandboxReply } from "./sandbox/sandbox.ts";
import { writeReply } from "./write_reply.ts";

/**
 * Scans until stdin ends, and then ends the process.
 *
 * @param scan What a test does in place of a scan.
 */
export async function serveAlone(scan: Scan = runRequested): Promise<never> {
  freezeIntrinsics();
  try {
    for await (const frame of readFrames(Deno.stdin.readable, REQUEST_LIMITS)) {
      const reply = await answer(requestOf(frame), scan, writeReply);
      writeReply({ ...bounded(reply), residentBytes: Deno.memoryUsage().rss });
    }
  } catch (error) {
    writeReply({ kind: "failed", problem: String(error).slice(0, MAX_PROBLEM_CHARS) });
    Deno.exit(1);
  }
  Deno.exit(0);
}

function bounded(reply: SandboxReply): SandboxReply {
  return reply.kind === "unreadable"
    ? { ...reply, problem: reply.problem.slice(0, MAX_PROBLEM_CHARS) }
    : reply;
}
