import { type ByteSource, memorySource, ScanStopped } from "../../../core/scanner/scan.ts";
import { sleepSync } from "../../threads/sleep_sync.ts";
import { cpuLimit, threadCpuMs } from "./cpu_time.ts";
import { type ArrivingFile, FileSource } from "./file_source.ts";
import { freezeIntrinsics } from "./freeze_intrinsics.ts";
import { revokePermissions } from "./permissions.ts";
import type { SandboxReply, SandboxRequest } from "./sandbox.ts";

/** How long to wait for more of a file that comes in, in milliseconds. */
const ARRIVAL_POLL_MS = 10;

/** The members of the global scope of a worker that this module uses. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<SandboxRequest>) => void): void;
  postMessage(message: SandboxReply): void;
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
export type Scan = (requested: RequestedScan) => SandboxReply | Promise<SandboxReply>;

/** Serves requests in a worker, one after the other. */
export function serveRequests(scan: Scan): void {
  // The configured type library describes the main thread.
  const scope = globalThis as unknown as WorkerScope;
  const post = (message: SandboxReply) => scope.postMessage(message);
  scope.addEventListener("message", async ({ data }) => post(await answer(data, scan, post)));
  freezeIntrinsics();
  post({ kind: "ready" });
}

/**
 * Serves a request. The thread starts with permission to read, and gives it up before it looks at the first
 * file: content that comes as bytes needs none, and a file that is named is open by then.
 *
 * @param post Sends a message before the reply.
 */
export async function answer(
  request: SandboxRequest,
  scan: Scan,
  post: RequestedScan["post"],
): Promise<SandboxReply> {
  const isLate = cpuLimit(request.timeoutMs, threadCpuMs);
  let opened: Deno.FsFile | undefined;
  try {
    if ("path" in request) opened = Deno.openSync(request.path);
  } catch (error) {
    return { kind: "unreadable", problem: String(error) };
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
