/** What the system denies a process, besides what the runtime does. */
export interface Fence {
  /** As the log names it. */
  readonly name: "none" | "no_new_privs" | "no_new_privs,no_network";
  /** What comes before the program: programs that become it. */
  readonly launcher: readonly string[];
  /** Whether the system kills the process when the thread that started it ends, busy or not. */
  readonly endsWithParent: boolean;
}

const NONE: Fence = { name: "none", launcher: [], endsWithParent: false };
const NO_NEW_PRIVILEGES = ["/usr/bin/setpriv", "--no-new-privs"];
const UNSHARE = ["/usr/bin/unshare", "--net", "--ipc"];

/**
 * The narrowest fence that works here, by util-linux. `setpriv`: neither the program nor its children gain
 * rights by set-user-ID programs or capabilities of files, and it ends with the process that starts it.
 * `unshare`: they are in a network of their own that has no interface, not even that of the loopback
 * addresses, and see no shared memory of others.
 */
export function fenceOf(): Fence {
  if (Deno.build.os !== "linux") return NONE;
  // Others than root may do that in a namespace of users only. Root would lose access to files of others in one.
  const unshare = Deno.uid() === 0 ? UNSHARE : [...UNSHARE, "--user", "--map-current-user"];
  // The last to run, as a change of rights would undo it.
  const setpriv = [...NO_NEW_PRIVILEGES, "--pdeathsig", "KILL"];
  const fences: Fence[] = [
    {
      name: "no_new_privs,no_network",
      launcher: [...unshare, ...setpriv],
      endsWithParent: true,
    },
    { name: "no_new_privs", launcher: setpriv, endsWithParent: true },
    // Of BusyBox.
    { name: "no_new_privs", launcher: NO_NEW_PRIVILEGES, endsWithParent: false },
  ];
  return fences.find(works) ?? NONE;
}

function works({ launcher: [program = "", ...args] }: Fence): boolean {
  // A process that may only run the runtime would ask the person at its terminal.
  const { state } = Deno.permissions.querySync({ name: "run", command: program });
  if (state !== "granted") return false;
  try {
    return new Deno.Command(program, {
      args: [...args, "true"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).outputSync().success;
  } catch {
    // It is not installed: scans go on without it.
    return false;
  }
}
