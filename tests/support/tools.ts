/** Programs of the system that some tests need, and the ones that are there. */

/** Whether a program can be started; a test without its program is skipped. */
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

/** What a program printed, and how it ended. */
export interface ProgramOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export async function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<ProgramOutput> {
  const { code, stdout, stderr } = await new Deno.Command(program, { args: [...args], ...options })
    .output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
