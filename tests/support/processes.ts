/** What the system says about processes. Works on Linux only. */

/** The parent of a process. */
export async function parentOf(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
}

/** The processes whose parent is this one, with their arguments. */
export async function childrenOf(pid: number): Promise<Map<number, string[]>> {
  const children = new Map<number, string[]>();
  for await (const child of childIdsOf(pid)) {
    const line = await orGone(Deno.readTextFile(`/proc/${child}/cmdline`));
    if (line !== undefined) children.set(child, line.split("\0"));
  }
  return children;
}

/** Some kernels list the children of each thread. Looking for them among all processes takes far longer. */
const LISTS_CHILDREN = await Deno.stat(`/proc/${Deno.pid}/task/${Deno.pid}/children`)
  .then(() => true, () => false);

async function* childIdsOf(pid: number): AsyncGenerator<number> {
  const directory = LISTS_CHILDREN ? `/proc/${pid}/task` : "/proc";
  for (const { name } of await orGone(Array.fromAsync(Deno.readDir(directory))) ?? []) {
    if (!/^\d+$/.test(name)) continue;
    if (LISTS_CHILDREN) {
      const list = await orGone(Deno.readTextFile(`${directory}/${name}/children`)) ?? "";
      yield* list.split(" ").filter((it) => it !== "").map(Number);
    } else if (await orGone(parentOf(Number(name))) === pid) yield Number(name);
  }
}

/** The processes whose environment has a variable with a value, `NAME=value`, with their arguments. */
export async function processesWith(variable: string): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const environment = await Deno.readTextFile(`/proc/${name}/environ`);
      if (!environment.split("\0").includes(variable)) continue;
      found.set(Number(name), (await Deno.readTextFile(`/proc/${name}/cmdline`)).split("\0"));
    } catch {
      // It has ended, is one of the kernel, or belongs to another user.
    }
  }
  return found;
}

/** Whether a process has not ended. */
export function isAlive(pid: number): boolean {
  try {
    const isZombie = /^State:\s+[ZX]/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
    // While a thread of it is still ending, it has its files and locks.
    return !isZombie || [...Deno.readDirSync(`/proc/${pid}/task`)].length > 1;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** The memory that a process has in RAM, in bytes; 0 if it is gone. */
export async function memoryOf(pid: number): Promise<number> {
  try {
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  } catch (error) {
    if (isGone(error)) return 0;
    throw error;
  }
}

/** Sends a signal to a child process, unless it has ended. */
export function signalTo(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // The first if the system knows that it has ended, the second if this process does.
    if (!(error instanceof Deno.errors.NotFound || error instanceof TypeError)) throw error;
  }
}

/** What was read of a process; undefined if it has ended. */
async function orGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Whether a process has ended, before its file was opened or before that was read. */
function isGone(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound ||
    error instanceof Error && error.message.startsWith("No such process");
}
