/** External programs that some tests need. */

/** Whether a program is installed and succeeds. Tests skip themselves if theirs is not. */
export async function hasProgram(name: string, ...args: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(name, { args, stdout: "null", stderr: "null" })
      .output();
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
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
