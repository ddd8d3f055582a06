import { type ByteSource, memorySource, ScanStopped } from "../../../core/scanner/scan.ts";
import { readFrames } from "../frames.ts";
import { MAX_PROBLEM_CHARS, REQUEST_LIMITS, requestOf } from "../requests.ts";
import { writeReply } from "../write_reply.ts";
import { sleepSync } from "../../threads/sleep_sync.ts";
import { cpuLimit, threadCpuMs } from "./cpu_time.ts";
import { type ArrivingFile, FileSource } from "./file_source.ts";
import { freezeIntrinsics } from "./freeze_intrinsics.ts";
import { revokePermissions } from "./permissions.ts";
import type { SandboxReply, SandboxRequest } from "./sandbox.ts";

/** How long to wait for more of a file that comes in, in milliseconds. */
const ARRIVAL_POLL_MS = 10;

/** The members of the global scope that this module uses in a worker. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<SandboxRequest>) => void): void;
  /** Processes have none. */
  postMessage?(message: SandboxReply): void;
}

/** A scan of what a request asks for. */
export interface RequestedScan {
  readonly source: ByteSource;
  readonly request: SandboxRequest;
  /** Whether it has used the CPU time that it may use. */
  readonly isLate: () => boolean;
  /** Sends a message before the reply. */
  post(message: SandboxReply): void;
}

/** Does what a request asks for. */
type Scan = (requested: RequestedScan) => SandboxReply | Promise<SandboxReply>;

/**
 * Serves requests one after the other: in a worker, those that it is sent, and in a process of its own, those
 * on stdin. It starts with permission to read, and gives it up before it looks at the first file: content that
 * comes as bytes needs none, and a file that is named is open by then.
 */
export function serveRequests(scan: Scan): void {
  // The configured type library describes the main thread.
  const scope = globalThis as unknown as WorkerScope;
  freezeIntrinsics();
  if (scope.postMessage === undefined) return void serveProcess(scan);
  const post = (message: SandboxReply) => scope.postMessage?.(message);
  scope.addEventListener("message", async ({ data }) => post(await answer(data, scan, post)));
  post({ kind: "ready" });
}

/** Serves the requests on stdin until it ends, and then ends the process. */
async function serveProcess(scan: Scan): Promise<never> {
  try {
    for await (const frame of readFrames(Deno.stdin.readable, REQUEST_LIMITS)) {
      const reply = await answer(requestOf(frame), scan, writeReply);
      writeReply({ ...reply, residentBytes: Deno.memoryUsage().rss });
    }
  } catch (error) {
    writeReply({ kind: "failed", problem: String(error).slice(0, MAX_PROBLEM_CHARS) });
    Deno.exit(1);
  }
  Deno.exit(0);
}

async function answer(
  request: SandboxRequest,
  scan: Scan,
  post: RequestedScan["post"],
): Promise<SandboxReply> {
  const isLate = cpuLimit(request.timeoutMs, threadCpuMs);
  let opened: Deno.FsFile | undefined;
  try {
    if ("path" in request) opened = Deno.openSync(request.path);
  } catch (error) {
    return { kind: "unreadable", problem: String(error).slice(0, MAX_PROBLEM_CHARS) };
  } finally {
    revokePermissions();
  }
  using file = opened;
  const source = file !== undefined
    ? new FileSource(file, arrivingOf(request))
    : memorySource("bytes" in request ? request.bytes : new Uint8Array());
  return await scan({ source, request, isLate, post });
}

/** Whether the worker is told to stop. */
export function isStopped({ stop }: SandboxRequest): boolean {
  return stop !== undefined && Atomics.load(stop, 0) !== 0;
}

function arrivingOf(request: SandboxRequest): ArrivingFile | undefined {
  const { size } = request;
  if (size === undefined) return undefined;
  const pause = () => {
    if (isStopped(request)) throw new ScanStopped();
    sleepSync(ARRIVAL_POLL_MS);
  };
  return { size, pause };
}
