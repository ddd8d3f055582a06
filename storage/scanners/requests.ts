import { MIB } from "../../schemas/units.ts";
import type { SandboxRequest, ScanTask } from "./sandbox/sandbox.ts";
import { encodeFrame, type Frame, type FrameLimits } from "./frames.ts";

/** Larger content is read by its process. Smaller content is sent to one, which needs no permission. */
export const MAX_SENT_BYTES = 4 * MIB;

/** The largest messages that a scanner process receives. */
export const REQUEST_LIMITS: FrameLimits = { maxHeaderBytes: MIB, maxBodyBytes: MAX_SENT_BYTES };

/** The longest text of a problem in a reply. */
export const MAX_PROBLEM_CHARS = 1000;

/** A scan that never looks at its limit is ended when its process has used this much more CPU time. */
const DEFAULT_CPU_GRACE_MS = 5000;

/** The CPU time after which a process is ended that scans. Threads of the runtime count, too. */
export function maxCpuMs(
  { timeoutMs, cpuGraceMs = DEFAULT_CPU_GRACE_MS }: Pick<ScanTask, "timeoutMs" | "cpuGraceMs">,
): number {
  return 2 * timeoutMs + cpuGraceMs;
}

/** A request to scan content: the bytes themselves, or a file to be read. */
export type ScanRequest = Omit<ScanTask, "stop"> & {
  readonly content: Uint8Array<ArrayBuffer> | string;
};

/** The message that asks for a scan. */
export function requestFrame({ content, ...task }: ScanRequest): Uint8Array[] {
  return typeof content === "string"
    ? encodeFrame({ ...task, path: content })
    : encodeFrame(task, content);
}

/** Reads the message that asks for a scan. It comes from the server, not from a file. */
export function requestOf({ header, body }: Frame): SandboxRequest {
  const request = header as SandboxRequest;
  return "path" in request ? request : { ...request, bytes: body };
}
