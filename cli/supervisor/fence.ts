/** What the system denies a process, besides what the runtime does. */
export interface Fence {
  /** As the log names it. */
  readonly name: "none" | "no_new_privs" | "no_new_privs,no_network";
  /** What comes before the program: programs that become it. */
  readonly launcher: readonly string[];
}

const NONE: Fence = { name: "none", launcher: [] };

/**
 * The narrowest fence that works here, by util-linux. `setpriv`: neither the program nor its children gain
 * rights by set-user-ID programs or capabilities of files. `unshare`: they are in a network of their own that
 * has no interface, not even that of the loopback addresses, and see no shared memory of others.
 */
export function fenceOf(): Fence {
  if (Deno.build.os !== "linux") return NONE;
  const launcher = ["/usr/bin/setpriv", "--no-new-privs"];
  const unshare = ["/usr/bin/unshare", "--net", "--ipc"];
  // Others than root may do that in a namespace of users only. Root would lose access to files of others in one.
  if (Deno.uid() !== 0) unshare.push("--user", "--map-current-user");
  const fences: Fence[] = [
    { name: "no_new_privs,no_network", launcher: [...launcher, ...unshare] },
    { name: "no_new_privs", launcher },
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
