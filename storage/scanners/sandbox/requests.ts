import { type ByteSource, memorySource } from "../../../core/scanner/scan.ts";
import { cpuLimit, threadCpuMs } from "./cpu_time.ts";
import { FileSource } from "./file_source.ts";
import { freezeIntrinsics } from "./freeze_intrinsics.ts";
import { revokePermissions } from "./permissions.ts";
import type { SandboxReply, SandboxRequest } from "./sandbox.ts";

/** The members of a worker's global scope that this module uses. */
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

/**
 * Serves requests in a worker, one after the other. The worker starts with permission to read, and
 * gives it up before it looks at the first file: content that comes as bytes needs none, and a file
 * that is named is open by then.
 */
export function serveRequests(
  scan: (requested: RequestedScan) => SandboxReply | Promise<SandboxReply>,
): void {
  // The configured type library describes the main thread.
  const scope = globalThis as unknown as WorkerScope;
  scope.addEventListener("message", async ({ data: request }) => {
    const isLate = cpuLimit(request.timeoutMs, threadCpuMs);
    let opened: Deno.FsFile | undefined;
    try {
      if ("path" in request) opened = Deno.openSync(request.path);
    } catch (error) {
      return scope.postMessage({ kind: "unreadable", problem: String(error) });
    } finally {
      revokePermissions();
    }
    using file = opened;
    const source = file !== undefined
      ? new FileSource(file)
      : memorySource("bytes" in request ? request.bytes : new Uint8Array());
    scope.postMessage(
      await scan({ source, request, isLate, post: (message) => scope.postMessage(message) }),
    );
  });
  freezeIntrinsics();
  scope.postMessage({ kind: "ready" });
}
