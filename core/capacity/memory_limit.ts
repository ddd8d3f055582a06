import { MIB } from "../../schemas/units.ts";

/** A program with its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** A way of starting a program so that each of its processes gets no more than so much memory. */
export interface MemoryLimiter {
  /** Ends well where the way is there. */
  readonly probe: Command;
  limited(command: Command, limitMB: number): Command;
}

/** `prlimit` of util-linux. */
export const PRLIMIT: MemoryLimiter = {
  probe: ["prlimit", "--version"],
  limited: (command, limitMB) => ["prlimit", `--as=${limitMB * MIB}`, "--", ...command],
};

/** The `ulimit` of a POSIX shell, which counts in KiB. The command is no part of the script. */
export const ULIMIT: MemoryLimiter = {
  probe: ["sh", "-c", "ulimit -v"],
  limited: (
    command,
    limitMB,
  ) => ["sh", "-c", 'ulimit -v "$0" && exec "$@"', String(limitMB * 1024), ...command],
};
