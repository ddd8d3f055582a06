/** Sends a signal to a child process, unless it has ended. */
export function signalChild(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    const hasEnded = error instanceof TypeError || error instanceof Deno.errors.NotFound;
    if (!hasEnded) throw error;
  }
}

/** Reads a stream to its end, and returns its first characters. */
export async function headOf(
  stream: ReadableStream<Uint8Array>,
  maxChars: number,
): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    if (text.length < maxChars) text += decoder.decode(bytes, { stream: true });
  }
  return text.slice(0, maxChars);
}
