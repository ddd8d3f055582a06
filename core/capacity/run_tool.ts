import type { Log } from "../log.ts";
import type { LeasePool } from "./leases.ts";
import { type Command, type MemoryLimiter, PRLIMIT, ULIMIT } from "./memory_limit.ts";
import { MIB } from "../../schemas/units.ts";

/** How long processes have to end by themselves before they are killed, in milliseconds. */
const GRACE_MS = 5000;
/** Bytes that are kept of each stream of output. */
const MAX_OUTPUT_BYTES = 16 * MIB;

/** All that a tool finds of an environment: what this process has in its own may be secret. */
const ENVIRONMENT = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };

export interface ToolRunnerOptions {
  readonly leases: LeasePool;
  readonly log?: Log;
  /** In the order in which they are tried. @default prlimit, then ulimit */
  readonly limiters?: readonly MemoryLimiter[];
  /** @default 5000 */
  readonly graceMs?: number;
}

export interface ToolOptions {
  /** Ends the waiting for a lease, and the tool. */
  readonly signal: AbortSignal;
  readonly heavy: boolean;
  readonly pollIntervalMs?: number;
  readonly maxWaitMs?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Bytes that are kept of each stream of output; the rest is dropped. @default 16 MiB */
  readonly maxOutputBytes?: number;
}

/** How a tool ended. */
export interface ToolOutcome {
  /** The exit code; 128 and the number of the signal where one ended it. */
  readonly code: number;
  readonly signal: Deno.Signal | null;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Whether output was dropped. */
  readonly truncated: boolean;
}

/**
 * Runs tools as processes, each under a lease and with the lease's memory limit. The limit is one of
 * address space, and each process of a tool has it for itself. For Unix; limits are for Linux.
 */
export class ToolRunner {
  readonly #leases: LeasePool;
  readonly #log: Log | undefined;
  readonly #limiters: readonly MemoryLimiter[];
  readonly #graceMs: number;
  #limiter: Promise<MemoryLimiter | undefined> | undefined;

  constructor(options: ToolRunnerOptions) {
    this.#leases = options.leases;
    this.#log = options.log;
    this.#limiters = options.limiters ?? [PRLIMIT, ULIMIT];
    this.#graceMs = options.graceMs ?? GRACE_MS;
  }

  /**
   * Waits for a lease, runs the command under it and gives the lease back. When the command has ended,
   * whatever it left running in its process group is killed.
   *
   * @throws {ErrToolLeaseWaitTimeout} where the longest wait has passed.
   * @throws {Error} where the signal has ended the waiting or the tool; its reason is the `cause`.
   * @throws {Deno.errors.NotFound} where there is no such program.
   */
  async run(command: Command, options: ToolOptions): Promise<ToolOutcome> {
    const { signal, heavy, pollIntervalMs, maxWaitMs } = options;
    using lease = await this.#leases.acquireToolLeaseWithContext(
      signal,
      heavy,
      commandLine(command),
      pollIntervalMs,
      maxWaitMs,
    );
    const [program, ...args] = await this.#limited(command, lease.memoryLimitMB);
    if (signal.aborted) throw endedError(lease.toolName, signal.reason);
    const child = new Deno.Command(program, {
      args,
      ...options.cwd !== undefined && { cwd: options.cwd },
      env: { ...ENVIRONMENT, ...options.env },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
    const outcome = await this.#finish(child, options);
    if (signal.aborted) throw endedError(lease.toolName, signal.reason);
    return outcome;
  }

  /** Waits for the end of a process group that the signal may bring about. */
  async #finish(
    child: Deno.ChildProcess,
    { signal, maxOutputBytes = MAX_OUTPUT_BYTES }: ToolOptions,
  ): Promise<ToolOutcome> {
    const stop = new AbortController();
    const streams = [child.stdout, child.stderr].map((stream) =>
      firstBytes(stream, maxOutputBytes, stop.signal)
    );
    const timers: ReturnType<typeof setTimeout>[] = [];
    const after = (work: () => void) => timers.push(setTimeout(work, this.#graceMs));
    const end = () => {
      killGroup(child.pid, "SIGTERM");
      after(() => killGroup(child.pid, "SIGKILL"));
    };
    signal.addEventListener("abort", end);
    try {
      const { code, signal: by } = await child.status;
      killGroup(child.pid, "SIGKILL");
      // A process that has left the group may hold the pipes open for as long as it likes.
      after(() => stop.abort());
      const [stdout, stderr] = await Promise.all(streams);
      return {
        code,
        signal: by,
        stdout: stdout?.bytes ?? new Uint8Array(),
        stderr: stderr?.bytes ?? new Uint8Array(),
        truncated: (stdout?.truncated ?? false) || (stderr?.truncated ?? false),
      };
    } finally {
      signal.removeEventListener("abort", end);
      for (const timer of timers) clearTimeout(timer);
    }
  }

  async #limited(command: Command, limitMB: number): Promise<Command> {
    if (limitMB === 0) return command;
    this.#limiter ??= this.#findLimiter();
    return (await this.#limiter)?.limited(command, limitMB) ?? command;
  }

  async #findLimiter(): Promise<MemoryLimiter | undefined> {
    const limiters = Deno.build.os === "linux" ? this.#limiters : [];
    for (const limiter of limiters) {
      if (await endsWell(limiter.probe)) return limiter;
    }
    this.#log?.warn("Tools run without a memory limit: neither prlimit nor ulimit is to be had");
    return undefined;
  }
}

/** The command as a shell would want it, for the label that it gets. */
function commandLine(command: Command): string {
  return command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

async function endsWell([program, ...args]: Command): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(program, {
      args,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied;
    if (isMissing) return false;
    throw error;
  }
}

function killGroup(leader: number, signal: Deno.Signal): void {
  try {
    Deno.kill(-leader, signal);
  } catch (error) {
    // Nobody is left in it, which is what is wanted.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Reads a stream to its end, or until it is stopped, and keeps its first bytes. */
async function firstBytes(
  stream: ReadableStream<Uint8Array>,
  most: number,
  stopped: AbortSignal,
): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  const reader = stream.getReader();
  const stop = () => void reader.cancel();
  stopped.addEventListener("abort", stop);
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let truncated = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const chunk = value.subarray(0, most - kept);
    truncated ||= chunk.length < value.length;
    kept += chunk.length;
    if (chunk.length > 0) chunks.push(chunk);
  }
  stopped.removeEventListener("abort", stop);
  const bytes = new Uint8Array(kept);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { bytes, truncated };
}

function endedError(label: string, reason: unknown): Error {
  const timedOut = reason instanceof DOMException && reason.name === "TimeoutError";
  return new Error(`${label} ${timedOut ? "ran out of time" : "was cancelled"} while it ran`, {
    cause: reason,
  });
}
