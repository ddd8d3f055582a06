import type {
  ProcessEnd,
  ProcessStarter,
  ReceiveOutput,
  ScannerProcess,
} from "../../storage/scanners/processes.ts";
import { MODULE_DIRECTORIES } from "../../storage/threads/program_modules.ts";
import { runtimeVariables } from "../environment.ts";
import { headOf, signalChild } from "./child_process.ts";
import { type Fence, fenceOf } from "./fence.ts";
import { FrameWriter } from "./frame_writer.ts";
import { lowerPriority } from "./priority.ts";
import { type ProgramArguments, programArguments } from "./program.ts";
import { UsageWatch } from "./usage_watch.ts";

/**
 * Resident memory besides the heap, in MB. The heap is limited to less than the process is, so that
 * garbage is collected before it gets the process killed.
 */
const BESIDES_HEAP_MB = 96;
/** A small young generation, and no threads to collect garbage: most scans are over before these pay. */
const HEAP_FLAGS = "--max-semi-space-size=1,--single-threaded-gc";
/** How much of its stderr is read for the reason of its end. */
const MAX_ERROR_CHARS = 4000;
/** How much of that is for the log. */
const MAX_DETAIL_CHARS = 300;

/** The module that scans. A process that runs it must be ended from outside while it is busy. */
const ALONE = "cli/lone_scanner";
/** The module that has a thread scan, and ends its process with its parent. */
const WATCHING = "cli/scanner";

export interface LocalProcessOptions {
  /** The module that runs. A test replaces it. @default the one that scans, or the one that has a thread do it */
  readonly entry?: string;
  /** Flags for the runtime. @default none */
  readonly runtimeFlags?: readonly string[];
  /** Whether processes yield the processors to others, such as the server. @default false */
  readonly yields?: boolean;
}

/** Starts scanner processes as children of this process. They end with it, even if it is killed. */
export class LocalProcesses implements ProcessStarter, AsyncDisposable {
  readonly #program: ProgramArguments;
  readonly #yields: boolean;
  readonly #fence = fenceOf();
  readonly #running = new Set<ScannerProcess>();

  /**
   * @param read What a process may read until its first file, to open it. Then it may do nothing.
   */
  constructor(
    read: readonly string[] | "all",
    { entry, runtimeFlags = [], yields = false }: LocalProcessOptions = {},
  ) {
    this.#yields = yields;
    this.#program = programArguments({
      runtimeFlags,
      permissions: {
        net: [],
        read: read === "all" ? [] : [...MODULE_DIRECTORIES, ...read],
        write: [],
      },
      fixedFlags: read === "all" ? ["--allow-read"] : [],
      entry: entry ?? (this.#fence.endsWithParent ? ALONE : WATCHING),
    });
  }

  /** What the system denies these processes, besides what the runtime does. */
  get fence(): Fence["name"] {
    return this.#fence.name;
  }

  start(memoryMB: number, receive: ReceiveOutput): ScannerProcess {
    const heapMB = Math.ceil(Math.max(memoryMB - BESIDES_HEAP_MB, memoryMB / 2));
    const [program = "", ...args] = [...this.#fence.launcher, Deno.execPath()];
    const child = new Deno.Command(program, {
      args: [...args, ...this.#program.args, ...Deno.build.standalone ? ["scanner"] : []],
      // A scanner that hostile content has taken over must find no secrets.
      clearEnv: true,
      env: {
        ...runtimeVariables(),
        DENO_V8_FLAGS: `--max-old-space-size=${heapMB},${HEAP_FLAGS}`,
      },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      // A terminal signals a whole process group. Scans end when the server or the command says so.
      detached: true,
    }).spawn();
    if (this.#yields) lowerPriority(child.pid);
    const stdin = new FrameWriter(child.stdin);
    const watch = new UsageWatch(child, memoryMB);
    const process: ScannerProcess = {
      ended: endOf(child, receive, watch).finally(() => this.#running.delete(process)),
      send: (pieces) => void stdin.writeAll(pieces),
      limit: (limits) => watch.limit(limits),
      kill: () => signalChild(child, "SIGKILL"),
    };
    this.#running.add(process);
    return process;
  }

  /** Kills all processes, and waits for their end. */
  async [Symbol.asyncDispose](): Promise<void> {
    using _program = this.#program;
    const running = [...this.#running];
    for (const process of running) process.kill();
    await Promise.all(running.map(({ ended }) => ended));
  }
}

/** Passes the output of a process on, until it has ended. */
async function endOf(
  child: Deno.ChildProcess,
  receive: ReceiveOutput,
  watch: UsageWatch,
): Promise<ProcessEnd> {
  using _watch = watch;
  const errors = headOf(child.stderr, MAX_ERROR_CHARS);
  for await (const bytes of child.stdout) await receive(bytes);
  const [{ code, signal }, text] = await Promise.all([child.status, errors]);
  if (watch.exceeded !== undefined) return { reason: watch.exceeded };
  if (text.includes("JavaScript out of memory")) return { reason: "heap" };
  const detail = `${signal ?? `exit code ${code}`} ${text.slice(0, MAX_DETAIL_CHARS)}`;
  return { reason: "exit", detail: detail.trim() };
}
