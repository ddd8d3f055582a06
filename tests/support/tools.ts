/** External programs that some tests need. */

/** Whether a program can be started and succeeds. Tests skip themselves if theirs does not. */
export async function hasProgram(name: string, ...args: string[]): Promise<boolean> {
  return (await runIfThere(name, args))?.code === 0;
}

/** Whether there is a file at a path, as far as this user can see. */
export function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** The first Python on the PATH that has a module. A virtual environment may come after the system's. */
export async function pythonWith(module: string): Promise<string | undefined> {
  for (const directory of (Deno.env.get("PATH") ?? "").split(":")) {
    const python = `${directory}/python3`;
    if (await hasProgram(python, "-c", `import ${module}`)) return python;
  }
  return undefined;
}

/** The exit code and output of a program. */
export interface ProgramOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What {@link run} returns, or undefined if the program is missing or this user may not start it. */
export async function runIfThere(
  program: string,
  args: readonly string[],
): Promise<ProgramOutput | undefined> {
  try {
    return await run(program, args);
  } catch (error) {
    if (CANNOT_START.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}

/** The PATH may name directories that this user may not read, and files in place of directories. */
const CANNOT_START = [
  Deno.errors.NotFound,
  Deno.errors.PermissionDenied,
  Deno.errors.NotADirectory,
];

/** Runs a program and waits for its exit. */
export async function run(
  program: string,
  args: readonly string[],
  options: Pick<Deno.CommandOptions, "cwd" | "env" | "clearEnv" | "signal"> = {},
): Promise<ProgramOutput> {
  const { code, stdout, stderr } = await new Deno.Command(program, { args: [...args], ...options })
    .output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Runs a program that ends once it has used so much CPU time. Unlike time, that is the same on a busy machine. */
export function runWithin(
  cpuSeconds: number,
  program: string,
  args: readonly string[],
): Promise<ProgramOutput> {
  return run("sh", ["-c", `ulimit -t ${cpuSeconds} && exec "$@"`, "sh", program, ...args]);
}
