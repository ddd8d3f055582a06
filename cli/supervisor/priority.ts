import { setPriority } from "node:os";

/** How far a process yields to others: 0 is not at all, 19 most. */
const NICENESS = 10;

/** Lets other processes have the processors first. Does nothing where the system does not permit it. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICENESS);
    // Linux may weigh sessions instead of processes. A detached process is a session of its own.
    if (Deno.build.os === "linux") Deno.writeTextFileSync(`/proc/${pid}/autogroup`, `${NICENESS}`);
  } catch {
    // The process has ended, or there are no such priorities: it runs like the others.
  }
}
