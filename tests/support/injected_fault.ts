/** System calls of a running process that fail. Needs strace, and the right to trace processes. */

import { hasProgram } from "./tools.ts";

/** Whether {@link InjectedFault} works here. */
export const canInjectFaults = await hasProgram("strace", "-e", "trace=none", "true") &&
  await hasProgram("sh", "-c", "sleep 2 & timeout 1 strace -e trace=none -p $!; test $? = 124");

/** Longer than strace needs to leave a process that goes on. */
const DETACH_MS = 3000;

/** A fault of some system calls on one file, until it is disposed of. */
export class InjectedFault implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #reader: ReadableStreamDefaultReader<string>;
  #printed = "";
  #readToTheEnd = Promise.resolve();

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.#reader = process.stderr.pipeThrough(new TextDecoderStream()).getReader();
  }

  /**
   * Makes calls of a process fail. Resolves once this is in force.
   *
   * @param path The file; undefined for all files.
   * @param what The calls and their fault, as strace takes it: `fsync,fdatasync:error=EIO:when=1`.
   */
  static async start(pid: number, path: string | undefined, what: string): Promise<InjectedFault> {
    const [calls = ""] = what.split(":");
    const only = path === undefined ? [] : ["-P", path];
    const trace = ["-e", `trace=${calls}`, "-e", `inject=${what}`];
    const process = new Deno.Command("strace", {
      args: ["-f", "-y", "-s", "0", "-p", String(pid), ...only, ...trace],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const fault = new InjectedFault(process);
    while (!/attached/.test(fault.#printed)) {
      if (!await fault.#read()) throw new Error(`strace ended: ${fault.#printed}`);
    }
    // Goes on reading, so that strace never waits.
    fault.#readToTheEnd = fault.#readAll();
    return fault;
  }

  /** Ends the fault. Returns the calls that failed, as strace prints them. */
  async end(): Promise<string[]> {
    this.#signal("SIGINT");
    // It waits for ever for a process that ends at this moment.
    const timer = setTimeout(() => this.#signal("SIGKILL"), DETACH_MS);
    await this.#process.status;
    clearTimeout(timer);
    await this.#readToTheEnd;
    return this.#printed.split("\n").filter((line) => line.endsWith("(INJECTED)"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  #signal(signal: Deno.Signal): void {
    try {
      this.#process.kill(signal);
    } catch {
      // It has ended with the traced process.
    }
  }

  async #readAll(): Promise<void> {
    while (await this.#read()) { /* until it ends */ }
  }

  /** Reads what strace prints next. Returns false when it has ended. */
  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    this.#printed += value ?? "";
    return !done;
  }
}
