/** A control group that limits memory, as a container does. Needs root, and works on Linux only. */

const ROOT = "/sys/fs/cgroup";

/** A group of processes that share a memory limit. Dispose of it when they have ended. */
export class MemoryContainer implements AsyncDisposable {
  private constructor(readonly directory: string) {}

  /** Makes a group with a limit, of version 1 or 2. Undefined if the system does not permit it. */
  static async make(limitBytes: number): Promise<MemoryContainer | undefined> {
    const name = `strongroom-test-${crypto.randomUUID()}`;
    for (const [parent, limit] of await parents()) {
      const directory = `${parent}/${name}`;
      try {
        await Deno.mkdir(directory);
        await Deno.writeTextFile(`${directory}/${limit}`, String(limitBytes), { create: false });
        return new MemoryContainer(directory);
      } catch {
        // Not this version, or not permitted.
        await Deno.remove(directory).catch(() => {});
      }
    }
    return undefined;
  }

  /** A program that runs another one in the group. */
  get program(): [string, ...string[]] {
    return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', `${this.directory}/cgroup.procs`];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The kernel may need a moment after the last process has ended.
    for (let tries = 0; tries < 100; tries++) {
      const removed = await Deno.remove(this.directory).then(() => true, () => false);
      if (removed) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** The groups in which a group can be made, with the file of its limit. */
async function parents(): Promise<[string, string][]> {
  const own = await Deno.readTextFile("/proc/self/cgroup").catch(() => "");
  const memory = /^\d+:memory:(.*)$/m.exec(own)?.[1];
  return [
    ...memory === undefined ? [] : [
      [`${ROOT}/memory${memory}`.replace(/\/$/, ""), "memory.limit_in_bytes"],
      [`${ROOT}/memory`, "memory.limit_in_bytes"],
    ] satisfies [string, string][],
    [ROOT, "memory.max"],
  ];
}
