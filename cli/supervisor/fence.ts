const SETPRIV = ["/usr/bin/setpriv", "--no-new-privs"] as const;

/**
 * What comes before a program so that neither it nor its children gain rights by set-user-ID programs or
 * capabilities of files: util-linux's `setpriv`, which becomes the program. Nothing if it does not work here.
 */
export function fenceOf(): readonly string[] {
  if (Deno.build.os !== "linux") return [];
  const [program, ...args] = SETPRIV;
  // A process that may only run the runtime would ask the person at its terminal.
  const { state } = Deno.permissions.querySync({ name: "run", command: program });
  if (state !== "granted") return [];
  try {
    const tried = new Deno.Command(program, {
      args: [...args, "true"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).outputSync();
    return tried.success ? SETPRIV : [];
  } catch {
    // It is not installed: scans go on without it.
    return [];
  }
}
