import { signalChild } from "./child_process.ts";

const WATCH_INTERVAL_MS = 100;
const KIB_PER_MB = 1024;
/** The kernel kills a process of this score before all others when memory runs out. */
const FIRST_TO_KILL = "1000";

/** Kills a process when its resident memory exceeds a limit. Works on Linux only. */
export class MemoryWatch implements Disposable {
  readonly #child: Deno.ChildProcess;
  readonly #timer: ReturnType<typeof setInterval>;
  /** In MB of 2^20 bytes. */
  maxMB: number;
  #hasExceeded = false;

  constructor(child: Deno.ChildProcess, maxMB: number) {
    this.#child = child;
    this.maxMB = maxMB;
    if (Deno.build.os === "linux") preferForKill(child.pid);
    this.#timer = setInterval(() => this.#check(), WATCH_INTERVAL_MS);
  }

  /** Whether the process was killed because of its memory. */
  get hasExceeded(): boolean {
    return this.#hasExceeded;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    if (residentMB(this.#child.pid) <= this.maxMB) return;
    this.#hasExceeded = true;
    signalChild(this.#child, "SIGKILL");
  }
}

/** Makes the kernel kill a process before the server when memory runs out. */
function preferForKill(pid: number): void {
  try {
    Deno.writeTextFileSync(`/proc/${pid}/oom_score_adj`, FIRST_TO_KILL);
  } catch {
    // The process has ended, or the container has no such file. Its limit holds all the same.
  }
}

/** The resident memory of a process in MB of 2^20 bytes; 0 if it is unknown. */
function residentMB(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/^VmRSS:\s{0,20}(\d{1,15}) kB/m.exec(status)?.[1] ?? 0) / KIB_PER_MB;
  } catch {
    // The process has ended, or this is not Linux.
    return 0;
  }
}
