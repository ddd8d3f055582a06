/**
 * Whether a thread of a process waits for a disk at this moment, in a call that no signal interrupts. Known on
 * Linux only; elsewhere false.
 */
export function waitsForDisk(pid: number): boolean {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/task`)].some(({ name }) =>
      stateOf(`/proc/${pid}/task/${name}`) === "D"
    );
  } catch {
    // The process has ended, or this is not Linux.
    return false;
  }
}

/** The state of a thread, as `ps` shows it; undefined if it has ended. */
function stateOf(thread: string): string | undefined {
  try {
    const stat = Deno.readTextFileSync(`${thread}/stat`);
    // The name of the program, in parentheses, may have any characters.
    return stat.slice(stat.lastIndexOf(")") + 2)[0];
  } catch {
    return undefined;
  }
}
