/** System calls of a running process that fail. Needs strace, and the right to trace processes. */

import { hasProgram } from "./tools.ts";

/** Whether {@link InjectedFault} works here. */
export const canInjectFaults = await hasProgram("strace", "-e", "trace=none", "true") &&
  await hasProgram("sh", "-c", "sleep 2 & timeout 1 strace -e trace=none -p $!; test $? = 124");

/** A fault of some system calls on one file, until it is disposed of. */
export class InjectedFault implements AsyncDisposable {
  private constructor(readonly process: Deno.ChildProcess) {}

  /**
   * Makes calls of a process fail. Resolves once this is in force.
   *
   * @param path The file; undefined for all files.
   * @param fault The calls and their fault, as strace takes it: `fsync,fdatasync:error=EIO:when=1`.
   */
  static async start(pid: number, path: string | undefined, fault: string): Promise<InjectedFault> {
    const [calls = ""] = fault.split(":");
    const only = path === undefined ? [] : ["-P", path];
    const process = new Deno.Command("strace", {
      args: ["-f", "-p", String(pid), ...only, "-e", `trace=${calls}`, "-e", `inject=${fault}`],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const reader = process.stderr.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!/attached/.test(text)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`strace ended: ${text}`);
      text += value;
    }
    // Goes on reading, so that strace never waits.
    (async () => {
      while (!(await reader.read()).done) { /* discarded */ }
    })().catch(() => {});
    return new InjectedFault(process);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.process.kill("SIGINT");
    } catch {
      // It has ended with the traced process.
    }
    await this.process.status;
  }
}
