/** The package strongroom-scanner: scans files in Node.js, Deno, Bun and browsers. */

import { builtin } from "./substitutes/builtin.ts";
import { type ScanReply, type ScanRequest, startThread, type Thread } from "./thread.ts";
import type * as api from "./types.d.ts";

/** A thread that waits for the next scan: to start one takes longer than to scan most files. */
let idle: Thread | undefined;

export const scan: typeof api.scan = async (name, content, { limits = {}, signal } = {}) => {
  signal?.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal?.reason);
  signal?.addEventListener("abort", abort);
  try {
    const given = await Promise.race([readable(content, signal), aborted]);
    const reply = await scanInThread({ name, content: given, limits }, aborted);
    if ("report" in reply) return reply.report;
    throw new Error(reply.problem);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
};

/** @throws the reason for which it is aborted. */
async function scanInThread(request: ScanRequest, aborted: Promise<never>): Promise<ScanReply> {
  const thread = idle ?? startThread();
  idle = undefined;
  try {
    const reply = await Promise.race([thread.scan(request), aborted]);
    if (idle === undefined) idle = thread;
    else thread.end();
    return reply;
  } catch (error) {
    thread.end();
    throw error;
  }
}

/** What a thread can read without waiting: a path, or in browsers a blob, else bytes. */
async function readable(
  content: api.Content,
  signal: AbortSignal | undefined,
): Promise<string | Blob | ArrayBuffer> {
  const hasFiles = builtin("node:fs") !== undefined;
  if (typeof content === "string") {
    if (hasFiles) return content;
    throw new TypeError("Browsers read no paths: expected a Blob or async bytes");
  }
  const blob = content instanceof Blob ? content : await collected(content, signal);
  return hasFiles ? await blob.arrayBuffer() : blob;
}

async function collected(
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Blob> {
  const parts: Blob[] = [];
  for await (const part of content) {
    if (signal?.aborted) break;
    // Browsers keep large blobs on disk. The array may be reused for the next part.
    parts.push(new Blob([part.slice()]));
  }
  return new Blob(parts);
}
