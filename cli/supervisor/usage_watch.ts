import type { UsageLimits } from "../../storage/scanners/processes.ts";
import { signalChild } from "./child_process.ts";

const WATCH_INTERVAL_MS = 100;
/** Memory fills fast; CPU time is looked at once in so many times. */
const CPU_INTERVALS = 10;
const KIB_PER_MB = 1024;
/** In what the kernel counts the CPU time of processes that it shows. */
const MS_PER_TICK = 10;
/** The kernel kills a process of this score before all others when memory runs out. */
const FIRST_TO_KILL = "1000";

/** Kills a process when it uses more than its limits. Works on Linux only. */
export class UsageWatch implements Disposable {
  readonly #child: Deno.ChildProcess;
  readonly #timer: ReturnType<typeof setInterval>;
  #maxMB: number;
  #maxCpuMs = Infinity;
  #exceeded: "memory" | "cpu" | undefined;
  #checks = 0;

  /** @param maxMB The limit of the resident memory, in MB of 2^20 bytes. */
  constructor(child: Deno.ChildProcess, maxMB: number) {
    this.#child = child;
    this.#maxMB = maxMB;
    if (Deno.build.os === "linux") preferForKill(child.pid);
    this.#timer = setInterval(() => this.#check(), WATCH_INTERVAL_MS);
  }

  /** Sets the limits from now on. */
  limit({ maxMB, maxCpuMs }: UsageLimits): void {
    this.#maxMB = maxMB;
    this.#maxCpuMs = cpuMs(this.#child.pid) + maxCpuMs;
  }

  /** What the process was killed for. */
  get exceeded(): "memory" | "cpu" | undefined {
    return this.#exceeded;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { pid } = this.#child;
    if (residentMB(pid) > this.#maxMB) this.#exceeded ??= "memory";
    else if (++this.#checks % CPU_INTERVALS === 0 && cpuMs(pid) > this.#maxCpuMs) {
      this.#exceeded ??= "cpu";
    }
    if (this.#exceeded !== undefined) signalChild(this.#child, "SIGKILL");
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

/** The CPU time that a process has used, in milliseconds; 0 if it is unknown. */
function cpuMs(pid: number): number {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // Its name is in parentheses, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    // The process has ended, or this is not Linux.
    return 0;
  }
}
