import { inertLines } from "../schemas/printable.ts";

const BUFFER_CHARS = 64 * 1024;

/**
 * Prints lines on stdout as fast as they are read. Ends without an error when the reader closes the pipe, as `head`
 * does.
 */
export async function printLines(lines: AsyncIterable<string>): Promise<void> {
  let text = "";
  for await (const line of lines) {
    text += `${line}\n`;
    if (text.length < BUFFER_CHARS) continue;
    if (!await written(text)) return;
    text = "";
  }
  await written(text);
}

/** Writes all of a text, as inert as what `print` prints. Returns false if the reader has closed the pipe. */
export async function written(text: string): Promise<boolean> {
  try {
    let bytes = new TextEncoder().encode(inertLines(text));
    while (bytes.length > 0) bytes = bytes.subarray(await Deno.stdout.write(bytes));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return false;
    throw error;
  }
}

/** Prints what was done for a person who watches, and nothing for a program. */
export function printNote(text: string): void {
  if (Deno.stderr.isTerminal()) console.error(inertLines(text));
}
